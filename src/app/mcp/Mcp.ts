import type * as Headers from "@effect/platform/Headers"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { credentials } from "../../features/accounts/ApiKeys.ts"
import { Admitted, AnyKey, type Caller, UncountedKey } from "../../features/accounts/Authorized.ts"
import { grants } from "../../features/accounts/Domain.ts"
import { type OpenRequests, Standing } from "../../features/accounts/OpenRequests.ts"
import { ApiError, apiError } from "../../foundation/http/ApiError.ts"
import { CurrentRequest, jsonResponse, PublicBase, Stopping } from "../../foundation/http/Request.ts"
import { turnOf } from "../../foundation/process/Turns.ts"
import { Entropy } from "../../foundation/secrets/Entropy.ts"
import * as Client from "../client/Client.ts"
import * as ErrorAnswer from "../server/ErrorAnswer.ts"
import { CorsOrigins } from "../server/Settings.ts"
import { Defect, make as makeProtocol, type Perform } from "./Protocol.ts"

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a request comes from an agent and not from a page of a foreign site. Such a page, in a browser beside a node on the loopback, sends its own origin
 * or, after DNS rebinding, its own host (MCP, Streamable HTTP, security).
 */
const make = Effect.map(Effect.all([PublicBase, CorsOrigins]), ([base, origins]) => {
  const known = [...Option.toArray(Option.map(base, ({ origin }) => origin)), ...origins]
  const hosts = new Set(known.map((origin) => new URL(origin).host))
  const isKnownOrigin = (origin: string) =>
    known.includes(origin) || (URL.canParse(origin) && loopback.test(new URL(origin).host))
  return ({ host = "", origin }: Headers.Headers) =>
    (loopback.test(host) || hosts.has(host.toLowerCase())) && (origin === undefined || isKnownOrigin(origin))
})

/** A placeholder host for requests inside the process. Links have the host of the outer request. */
const nowhere = "http://node"

const requestBody = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? Uint8Array.from(body.body) : null

/**
 * The API of this node as its typed client. The endpoint's handler serves a call in this process, with all rules of the contract, for the admitted caller
 * (`Admitted`). The call is a part of the current request and has its id.
 */
const makeApiClient = Effect.flatMap(
  Effect.context<HttpApiBuilder.Router | HttpRouter.HttpRouter.DefaultServices | OpenRequests>(),
  (services) =>
    Effect.gen(function* () {
      // All routes are registered before the first call.
      const ready = yield* Effect.cached(Effect.orDie(Effect.provide(ErrorAnswer.make, services)))
      const http = HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const { answered, matched } = yield* ready
          const outer = yield* Effect.context<never>()
          const { id } = Context.get(outer, CurrentRequest)
          const host = Option.flatMap(Context.getOption(outer, HttpServerRequest.HttpServerRequest), ({ headers }) =>
            Option.fromNullable(headers.host)
          )
          const source = new Request(url.href, {
            body: requestBody(request),
            headers: request.headers,
            method: request.method
          })
          const own = HttpServerRequest.fromWeb(source)
          const part = own.modify({ headers: { ...own.headers, ...(Option.isSome(host) && { host: host.value }) } })
          const found = matched(part)
          const current = { headers: {}, id, method: request.method, route: found.match?.route.path }
          const response = yield* Effect.provide(answered(found, part, current), services)
          return HttpClientResponse.fromWeb(request, HttpServerResponse.toWeb(response))
        })
      )
      return yield* Effect.provideService(
        Client.make({ baseUrl: nowhere, key: "", retries: 0 }),
        HttpClient.HttpClient,
        http
      )
    })
)

/** The path for agents: Model Context Protocol over Streamable HTTP, without sessions. */
const path = "/mcp"

const foreign = apiError(
  "forbidden",
  "The Origin or Host of this request is not allowed. Set FINDABLE_PUBLIC_URL to this server's URL, or add the web page's origin to FINDABLE_CORS_ORIGINS"
)

/** An error of JSON-RPC without a request id. */
const refused = (code: number, message: string) =>
  jsonResponse({ error: { code, message }, id: null, jsonrpc: "2.0" }, { status: 400 })

/** The part of a body that is read before the protocol reads it. */
const Message = Schema.Struct({
  method: Schema.optional(Schema.Unknown),
  params: Schema.optional(
    Schema.Struct({
      _meta: Schema.optional(
        Schema.Struct({ progressToken: Schema.optional(Schema.Union(Schema.String, Schema.Number)) })
      ),
      arguments: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
      name: Schema.optional(Schema.String)
    })
  )
})

const messageOf = Schema.decodeUnknownOption(Message, { exact: false })

/** The body as JSON. The protocol reports text that is no JSON; the API reports other errors. */
const bodyOf = ({ json }: HttpServerRequest.HttpServerRequest) =>
  Effect.either(
    Effect.catchAllDefect(Effect.orDie(json), (defect) =>
      defect instanceof ApiError && defect.code === "validation_error" ? Effect.fail(defect) : Effect.die(defect)
    )
  )

/** The endpoint for agents. */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const anyKey = yield* AnyKey
    const uncountedKey = yield* UncountedKey
    const { begun: stopping } = yield* Stopping
    const entropy = yield* Entropy
    const client = yield* makeApiClient
    const isOwn = yield* make
    const protocol = yield* makeProtocol

    /** Calls a tool for a caller; the whole call counts once against the key's limits. */
    const performing =
      (caller: Caller["Type"], requestId: string, standing: Standing["Type"]): Perform =>
      (tool, args, report) => {
        const called = tool.call(args, {
          client,
          grants: (scope) => grants(caller.scopes, scope),
          report,
          stopping
        })
        // A client that reads a stream waits for the end of the call, not of the stream.
        return (
          report === undefined ? called : Effect.flatMap(standing.ended, (lost) => Effect.raceFirst(called, lost))
        ).pipe(
          Effect.provideService(Admitted, Option.some(caller)),
          Effect.provideService(Entropy, entropy),
          Effect.map((text): Either.Either<string, ApiError> => Either.right(text)),
          Effect.catchIf(
            (error): error is ApiError => error instanceof ApiError && error.code !== "internal_error",
            (error) => Effect.succeed(Either.left(error))
          ),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              // A handler that died has logged its defect.
              Effect.unless(Effect.logError(`The MCP tool ${tool.declaration.name} failed`, cause), () =>
                Option.exists(Cause.failureOption(cause), (error) => error instanceof ApiError)
              ),
              new Defect({ requestId })
            )
          )
        )
      }

    const answered = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!isOwn(request.headers)) return yield* foreign
      // A body is read only with a key.
      if (credentials(request.headers)._tag !== "Key") yield* uncountedKey
      const body = yield* bodyOf(request)
      const message = Option.getOrUndefined(messageOf(Either.getOrUndefined(body)))
      const caller = yield* message?.method === "tools/call" ? anyKey : uncountedKey
      if (Either.isLeft(body)) return refused(-32700, `Parse error: ${body.left.message}`)
      if (Array.isArray(body.right)) return refused(-32600, "Batches are not supported: send one message per request")
      yield* turnOf(caller.accountId)
      const { id } = yield* CurrentRequest
      const source = request.source instanceof Request ? request.source : new Request("http://node/mcp")
      return yield* protocol({
        body: body.right,
        params: message?.params,
        perform: performing(caller, id, yield* Standing),
        source
      })
    })
    yield* router.post(path, Effect.orDie(answered))
  })
).pipe(Layer.provide(HttpApiBuilder.Router.Live))
