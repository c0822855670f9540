import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import { make } from "../../client/Client.ts"
import { ApiKey, NodeUrl } from "../../mcp/Settings.ts"

/** The node that the settings name, as a client, and the account of the key. */
export const node = Effect.gen(function* () {
  const address = yield* NodeUrl
  const key = yield* Option.match(yield* ApiKey, {
    onNone: () => new Refused({ message: "Set FINDABLE_API_KEY to a key with the scope webhooks:manage" }),
    onSome: Effect.succeed
  })
  const client = yield* Effect.provide(make({ baseUrl: address, key }), FetchHttpClient.layer)
  const { data } = yield* client.key
    .get()
    .pipe(
      Effect.mapError((error) =>
        error._tag === "ApiError"
          ? new Refused({ message: `${address} refuses FINDABLE_API_KEY: ${error.message}` })
          : new Refused({ message: `No node of Findable answers at ${address}, which FINDABLE_URL names` })
      )
    )
  return { account: data.account.id, address, client }
})

export type Node = Effect.Effect.Success<typeof node>
