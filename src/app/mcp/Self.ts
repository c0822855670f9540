import type * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { OpenRequests } from "../../features/accounts/OpenRequests.ts"
import { CurrentRequest } from "../../foundation/http/ServerContext.ts"
import * as Client from "../client/Client.ts"
import * as Handling from "../server/Handling.ts"

/** No host: a request that does not leave the process has none, and links name that of the request which it is a part of. */
const nowhere = "http://node"

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? Uint8Array.from(body.body) : null

/**
 * The API of this node as its typed client: a call is answered in this process by the handler of its endpoint, with everything that the contract says of it,
 * for the caller who was admitted (`Admitted`). It is a part of the request that is being served and has its id.
 */
export const make = Effect.flatMap(
  Effect.context<HttpApiBuilder.Router | HttpRouter.HttpRouter.DefaultServices | OpenRequests>(),
  (services) =>
    Effect.gen(function* () {
      // At the first call all routes are there.
      const ready = yield* Effect.cached(Effect.orDie(Effect.provide(Handling.make, services)))
      const http = HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const { answered, handle, matched } = yield* ready
          const outer = yield* Effect.context<never>()
          const { id } = Context.get(outer, CurrentRequest)
          const host = Option.flatMap(Context.getOption(outer, HttpServerRequest.HttpServerRequest), ({ headers }) =>
            Option.fromNullable(headers.host)
          )
          const source = new Request(url.href, {
            body: bodyOf(request),
            headers: request.headers,
            method: request.method
          })
          const own = HttpServerRequest.fromWeb(source)
          const part = own.modify({ headers: { ...own.headers, ...(Option.isSome(host) && { host: host.value }) } })
          const found = matched(part)
          const current = { headers: {}, id, method: request.method, route: found.match?.route.path }
          const response = yield* Effect.provide(answered(found, part, current, handle(found)), services)
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
