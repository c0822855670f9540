import * as Command from "@effect/cli/Command"
import * as CliOptions from "@effect/cli/Options"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AnyEnvelope } from "../../foundation/http/ApiError.ts"
import { Refused } from "../../foundation/schema/DomainError.ts"
import { described } from "../../foundation/terminal/CommandLine.ts"
import { ApiKey, isNode, NodeUrl } from "./Settings.ts"

/** The longest wait for the next part of a response; tools wait for 50 seconds at most. */
const patience = "90 seconds"

const Id = Schema.Union(Schema.String, Schema.Number)

/** The fields of a message that the proxy reads; everything else passes through unchanged. */
const Message = Schema.parseJson(
  Schema.Struct({
    id: Schema.optional(Id),
    method: Schema.optional(Schema.String),
    params: Schema.optional(
      Schema.Struct({
        _meta: Schema.optional(
          Schema.Struct({ "io.modelcontextprotocol/protocolVersion": Schema.optional(Schema.String) })
        ),
        name: Schema.optional(Schema.String),
        requestId: Schema.optional(Id)
      })
    )
  })
)
type Message = typeof Message.Type

const Begun = Schema.parseJson(Schema.Struct({ result: Schema.Struct({ protocolVersion: Schema.String }) }))

const messageOf = Schema.decodeUnknownOption(Message)
const begunOf = Schema.decodeUnknownOption(Begun)
const envelopeOf = Schema.decodeUnknownOption(Schema.parseJson(AnyEnvelope))

/** The URL and the key of the node. */
interface Options {
  readonly key: Redacted.Redacted
  readonly url: string
}

const failure = (id: string | number | null, code: number, message: string) =>
  JSON.stringify({ error: { code, message }, id, jsonrpc: "2.0" })

/** Headers that repeat parts of a message: the agreed version, and since 2026-07-28 method and name. */
const headersOf = ({ method, params }: Message, agreed: Option.Option<string>) => {
  const own = params?._meta?.["io.modelcontextprotocol/protocolVersion"]
  const version = own ?? Option.getOrUndefined(agreed)
  return {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...(version !== undefined && method !== "initialize" && { "mcp-protocol-version": version }),
    ...(own !== undefined && method !== undefined && { "mcp-method": method }),
    ...(own !== undefined && params?.name !== undefined && { "mcp-name": params.name })
  }
}

/** The messages of a response: one, several from a stream, or an error of the API as an error of the protocol. */
const answersOf = ({ id }: Message, response: HttpClientResponse.HttpClientResponse) => {
  const lines = Stream.splitLines(Stream.decodeText(response.stream))
  if (response.headers["content-type"]?.startsWith("text/event-stream")) {
    return Stream.filterMap(lines, (line) =>
      line.startsWith("data:") ? Option.some(line.slice(5).trim()) : Option.none()
    )
  }
  return Stream.filterMap(Stream.fromEffect(response.text), (text) => {
    if (text.trim() === "") return Option.none()
    return Option.match(envelopeOf(text), {
      onNone: () => Option.some(text),
      onSome: ({ error: { code, message } }) => Option.some(failure(id ?? null, -32_000, `${code}: ${message}`))
    })
  })
}

/**
 * Sends messages of standard input, one a line, to the `/mcp` of a node, and prints its responses. A request that the agent cancels is aborted. Ends after the
 * input has ended and every request has a response.
 */
export const proxy = <E>(
  { key, url }: Options,
  input: Stream.Stream<Uint8Array, E>,
  write: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const agreed = yield* Ref.make(Option.none<string>())
    const open = yield* FiberMap.make<string | number>()
    const address = `${url.replace(/\/+$/, "")}/mcp`

    const unreachable = ({ id }: Message) =>
      id === undefined
        ? Effect.void
        : write(failure(id, -32_000, `No response from ${address}. Start the server, or set FINDABLE_URL to its URL.`))

    const send = Effect.fnUntraced(
      function* (message: Message, line: string) {
        const request = HttpClientRequest.post(address).pipe(
          HttpClientRequest.setHeaders(headersOf(message, yield* Ref.get(agreed))),
          HttpClientRequest.bearerToken(key),
          HttpClientRequest.bodyText(line, "application/json")
        )
        const response = yield* http.execute(request)
        yield* Stream.runForEach(answersOf(message, response), (answer) =>
          Effect.zipRight(
            Effect.when(
              Effect.flatMap(begunOf(answer), ({ result }) => Ref.set(agreed, Option.some(result.protocolVersion))),
              () => message.method === "initialize"
            ).pipe(Effect.ignore),
            write(answer)
          )
        )
      },
      (sent, message) =>
        sent.pipe(
          Effect.timeout(patience),
          Effect.catchAll(() => unreachable(message))
        )
    )

    let notifications = 0
    const handle = (line: string) =>
      Option.match(messageOf(line), {
        onNone: () => write(failure(null, -32_700, "Parse error: each line must be one JSON-RPC message")),
        onSome: (message) => {
          const { id, method, params } = message
          if (method === "notifications/cancelled" && params?.requestId !== undefined) {
            return FiberMap.remove(open, params.requestId)
          }
          // Messages after initialize need the agreed version.
          if (method === "initialize") return send(message, line)
          return Effect.asVoid(FiberMap.run(open, id ?? `notification-${++notifications}`, send(message, line)))
        }
      })

    yield* input.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line.trim() !== ""),
      Stream.runForEach(handle)
    )
    yield* FiberMap.awaitEmpty(open)
  }).pipe(Effect.scoped)

// Platform adapter: standard input and output of an agent's program.

const input = Stream.fromReadableStream({
  evaluate: () => Bun.stdin.stream(),
  onError: (cause) => new Refused({ message: `Standard input cannot be read: ${cause}` })
})

/** `mcp`: tools for agents that start a local server program. */
export const mcp = Command.make(
  "mcp",
  {
    url: CliOptions.optional(
      CliOptions.text("url").pipe(CliOptions.withDescription("URL of the server (default: FINDABLE_URL)"))
    )
  },
  ({ url }) =>
    Effect.gen(function* () {
      const key = yield* Effect.flatten(ApiKey).pipe(
        Effect.catchTag(
          "NoSuchElementException",
          () => new Refused({ message: "No API key. Set FINDABLE_API_KEY to a key of the server." })
        )
      )
      const address = Option.isSome(url) ? url.value : yield* NodeUrl
      if (!isNode(address))
        return yield* new Refused({ message: `${address} is not the http or https URL of a server` })
      yield* proxy({ key, url: address }, input, (line) => Console.log(line))
    }).pipe(Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    described(
      "Connect an AI agent to your server: a Model Context Protocol (MCP) server on standard input and output",
      "mcp --url http://127.0.0.1:8787"
    )
  )
)
