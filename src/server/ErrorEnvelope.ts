import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../Api.ts"
import { Exchange } from "../http/Exchange.ts"
import { type ApiError, apiError } from "../http/Failure.ts"
import { moved } from "../http/Moved.ts"
import { digits } from "../secrets/Base32.ts"
import * as Entropy from "../secrets/Entropy.ts"
import * as AccessLog from "./AccessLog.ts"
import { isPublic, withAnswerHeaders } from "./AnswerHeaders.ts"
import * as Cors from "./Cors.ts"
import { pages } from "./Docs.ts"
import { Drain } from "./Drain.ts"
import { answer, errorOf } from "./ErrorAnswer.ts"
import { withJsonBody } from "./JsonBody.ts"
import { represented } from "./Representation.ts"
import { type Route, routesOf } from "./Routes.ts"
import { observe } from "./Traffic.ts"

const noRoute = apiError("not_found", "There is no such route")

const wrongMethod = (route: Route) =>
  apiError("method_not_allowed", `This route answers ${route.methods.join(", ")}`, {
    headers: { allow: route.methods.join(", ") }
  })

/** What a request is served with, added to the context in one copy of it. */
const servicesOf = (
  exchange: Exchange["Type"],
  request: HttpServerRequest.HttpServerRequest,
  route: Route | undefined
) =>
  Context.make(Exchange, exchange).pipe(
    Context.add(HttpServerRequest.HttpServerRequest, withJsonBody(request, route?.bodyLimits.get(request.method) ?? 0))
  )

/**
 * The one place that every answer passes, whatever happened: route and method are judged before anything else, failures of all kinds become the
 * error envelope, and the request id is in the header, the envelope and the log.
 */
export const layer = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const drain = yield* Drain
    const log = yield* AccessLog.make
    const entropy = yield* Entropy.Entropy
    const find = routesOf(Api, pages)
    const cors = yield* Cors.make

    return (app: HttpApp.Default) =>
      Effect.gen(function* () {
        const asked = yield* HttpServerRequest.HttpServerRequest
        const move = moved(asked.url)
        const request = move === undefined ? asked : asked.modify({ url: move.url })
        const began = clock.unsafeCurrentTimeNanos()
        const id = `req_${digits(yield* entropy.bytes(26))}`
        const { method } = request
        const route = find(request.url.split("?", 1)[0] ?? "/")
        const exchange = { headers: { ...move?.headers }, id, method, route: route?.path }
        const routed = (): HttpApp.Default<ApiError> => {
          if (route === undefined) return noRoute
          return route.methods.includes(method) ? app : (cors.preflight(request, route) ?? wrongMethod(route))
        }
        const response = yield* drain.pass(request, routed()).pipe(
          Effect.catchAllCause((cause) => Effect.map(errorOf(cause), (error) => answer(error, id))),
          Effect.provide(servicesOf(exchange, request, route))
        )
        const shown = yield* represented(request, response, isPublic(route?.path))
        const seconds = Number(clock.unsafeCurrentTimeNanos() - began) / 1e9
        observe(method, route?.path, shown.status, seconds)
        yield* log(exchange, shown.status, seconds)
        return withAnswerHeaders(cors.shared(request, shown), exchange)
      })
  })
).pipe(Layer.provide(Entropy.layer))
