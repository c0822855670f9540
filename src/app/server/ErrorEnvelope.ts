import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Connections } from "../../foundation/http/ServerContext.ts"
import * as Monotonic from "../../foundation/schema/Monotonic.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import { digits } from "../../foundation/secrets/Entropy.ts"
import * as AccessLog from "./AccessLog.ts"
import { isPublic, withAnswerHeaders } from "./AnswerHeaders.ts"
import * as Cors from "./Cors.ts"
import { Drain, leaving } from "./Drain.ts"
import * as Handling from "./Handling.ts"
import { observe } from "./HttpMetrics.ts"
import { represented } from "./Representation.ts"
import type { Route } from "./RouteTable.ts"

const methodsOf = ({ methods }: Route<unknown>) => Array.from(methods.keys())

const wrongMethod = (route: Route<unknown>) =>
  apiError("method_not_allowed", `This route answers ${methodsOf(route).join(", ")}`, {
    headers: { allow: methodsOf(route).join(", ") }
  })

/** Names route and client in the span of the request, if there is one. */
const annotateSpan = (context: Context.Context<never>, route: string, client: Option.Option<string>) => {
  const span = Context.getOption(context, Tracer.ParentSpan)
  if (Option.isNone(span) || span.value._tag !== "Span") return
  span.value.attribute("http.route", route)
  if (Option.isSome(client)) span.value.attribute("client.address", client.value)
}

/**
 * Every request and every answer passes here. An empty Idempotency-Key counts as absent, so that a form can be sent as it stands. Route and method are checked before anything else, every failure becomes the error envelope, and the request
 * id is in the header, the envelope and the log.
 */
export const make = Effect.map(
  Effect.all({
    connections: Connections,
    cors: Cors.make,
    drain: Drain,
    entropy: Entropy.Entropy,
    handling: Handling.make,
    log: AccessLog.make
  }),
  ({ connections, cors, drain, entropy, handling, log }) =>
    Effect.flatMap(
      Effect.all([Effect.context<HttpServerRequest.HttpServerRequest>(), entropy.bytes(26), Monotonic.now]),
      ([outer, random, began]) => {
        const original = Context.get(outer, HttpServerRequest.HttpServerRequest)
        const remoteAddress = connections.addressOf(original.source)
        const request = original.modify({
          ...(original.headers["idempotency-key"] === "" && {
            headers: Headers.remove(original.headers, "idempotency-key")
          }),
          ...(remoteAddress !== undefined && { remoteAddress })
        })
        const id = `req_${digits(random)}`
        const { method } = request
        const matched = handling.matched(request)
        const { handled, match } = matched
        const current = { headers: {}, id, method, route: match?.route.path }

        const isInside = drain.enter()

        const served = () => {
          if (!isInside) return leaving
          if (match === undefined) return handling.handle(matched)
          if (handled === undefined) return cors.preflight(request, methodsOf(match.route)) ?? wrongMethod(match.route)
          annotateSpan(outer, match.route.path, request.remoteAddress)
          return handling.handle(matched)
        }

        const measured = (response: HttpServerResponse.HttpServerResponse) =>
          Effect.flatMap(Monotonic.now, (ended) => {
            const seconds = (ended - began) / 1000
            const answer = withAnswerHeaders(cors.shared(request, response), current)
            const counted = Effect.as(observe(method, current.route, response.status, seconds), answer)
            const logged = log(current, response.status, seconds)
            return logged === undefined ? counted : Effect.zipLeft(counted, logged)
          })

        const finish = (response: HttpServerResponse.HttpServerResponse) => {
          const finished = Effect.flatMap(represented(request, response, isPublic(current.route)), measured)
          return isInside ? Effect.zipRight(drain.leave, finished) : finished
        }

        // Only the handler is interruptible, so `drain.leave` always runs.
        return Effect.uninterruptible(
          Effect.flatMap(handling.answered(matched, request, current, Effect.suspend(served)), finish)
        )
      }
    )
)
