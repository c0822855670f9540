// Platform adapter: standard input and output of an agent's program.
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/Help.ts"
import { proxy } from "./Proxy.ts"
import { ApiKey, isNode, NodeUrl } from "./Settings.ts"

const input = Stream.fromReadableStream({
  evaluate: () => Bun.stdin.stream(),
  onError: (cause) => new Refused({ message: `Standard input cannot be read: ${cause}` })
})

/** `mcp`: the tools for agents whose program starts a server of its own. */
export const mcp = Command.make(
  "mcp",
  {
    url: Options.optional(
      Options.text("url").pipe(Options.withDescription("address of the node; FINDABLE_URL by default"))
    )
  },
  ({ url }) =>
    Effect.gen(function* () {
      const key = yield* Effect.flatten(ApiKey).pipe(
        Effect.catchTag(
          "NoSuchElementException",
          () => new Refused({ message: "There is no key: set FINDABLE_API_KEY to a key of the node" })
        )
      )
      const address = Option.isSome(url) ? url.value : yield* NodeUrl
      if (!isNode(address)) return yield* new Refused({ message: `${address} is no http or https address of a node` })
      yield* proxy({ key, url: address }, input, (line) => Console.log(line))
    }).pipe(Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    described(
      "serve the tools for agents (Model Context Protocol) on standard input and output, from a node",
      "mcp --url http://127.0.0.1:8787"
    )
  )
)
