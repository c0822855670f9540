import * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Connections, type CurrentRequest, Stopping } from "../../foundation/http/Request.ts"
import * as Time from "../../foundation/schema/Time.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"

import * as Answers from "./Answers.ts"

import * as ErrorAnswer from "./ErrorAnswer.ts"

import type { Route } from "./RouteTable.ts"
import { AccessLog } from "./Settings.ts"

/** Probes, which machines send every few seconds. */
const probes = new Set(["/healthz", "/readyz", "/metrics"])

/**
 * Logs a completed request with its id, method, route, status and milliseconds, if lines of this level are logged. The route is a pattern, so no caller writes
 * into the log.
 */
const makeAccessLog = Effect.map(
  Effect.all({ isEnabled: AccessLog, least: FiberRef.get(FiberRef.currentMinimumLogLevel) }),
  ({ isEnabled, least }) =>
    (
      { id, method, route = "none" }: CurrentRequest["Type"],
      status: number,
      seconds: number
    ): Effect.Effect<void> | undefined =>
      isEnabled && LogLevel.lessThanEqual(least, LogLevel.Info) && !probes.has(route)
        ? Effect.annotateLogs(Effect.logInfo(`${method} ${route}`), {
            request_id: id,
            status,
            ms: Math.round(seconds * 10_000) / 10
          })
        : undefined
)

/** How long a stop waits for requests in flight. */
const patience = "20 seconds"

/** The error for requests that arrive during shutdown. */
const leaving = apiError(
  "service_unavailable",
  "The server is stopping. Nothing was started: try again in a few seconds.",
  {
    headers: { "retry-after": "1" }
  }
)

/** Time between two reads of the number of pending responses. */
const interval = "20 millis"

/** Logs how many requests were in flight at the stop, and how many of them are now aborted. */
const report = (found: number, open: number) =>
  Effect.annotateLogs(Effect.logInfo("Requests in progress have ended"), {
    answered: Math.max(0, found - open),
    broken_off: open
  })

/** Lets a stop wait for requests in flight; later ones get 503 with `Retry-After`. */
export class Drain extends Effect.Service<Drain>()("server/Drain", {
  effect: Effect.gen(function* () {
    const empty = yield* Deferred.make<void>()
    const { pending } = yield* Connections
    let inside = 0
    let closing = false
    const answered = Effect.suspend(() => (inside === 0 ? Effect.void : Deferred.await(empty)))
    // A handler returns long before the last byte of an export, or of a response to a slow reader, is sent.
    const sent = Effect.repeat(
      Effect.suspend(() => (pending() === 0 ? Effect.succeed(true) : Effect.as(Effect.sleep(interval), false))),
      { until: (done) => done }
    )
    return {
      /** Refuses new requests and waits until all other responses are sent, 20 s at most. */
      close: Effect.suspend(() => {
        closing = true
        const open = () => Math.max(inside, pending())
        const found = open()
        // A finalizer is uninterruptible, and a time-out needs an interruptible effect.
        const left = Effect.interruptible(Effect.zipRight(answered, sent))
        return Effect.zipRight(
          Effect.timeoutOption(left, patience),
          Effect.suspend(() => report(found, open()))
        )
      }),
      /** Admits a request; false during shutdown. Every successful `enter` needs one `leave`. */
      enter: (): boolean => {
        if (!closing) inside++
        return !closing
      },
      leave: Effect.suspend(() => {
        inside--
        return closing && inside === 0 ? Effect.asVoid(Deferred.succeed(empty, undefined)) : Effect.void
      })
    }
  })
}) {}

/** Drains when the scope ends, and ends long polls first. The layer is built after the server and so released before it, while the server still responds. */
export const closeFirst = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Drain, Stopping]), ([drain, stopping]) =>
    Effect.addFinalizer(() => Effect.zipRight(stopping.begin, drain.close))
  )
)

const methodsOf = ({ methods }: Route<unknown>) => Array.from(methods.keys())

const wrongMethod = (route: Route<unknown>) =>
  apiError("method_not_allowed", `${route.path.replace(/:(\w+)/g, "{$1}")} accepts ${methodsOf(route).join(", ")}`, {
    headers: { allow: methodsOf(route).join(", ") }
  })

/** Names route and client in the request's span, if any. */
const annotateSpan = (context: Context.Context<never>, route: string, client: Option.Option<string>) => {
  const span = Context.getOption(context, Tracer.ParentSpan)
  if (Option.isNone(span) || span.value._tag !== "Span") return
  span.value.attribute("http.route", route)
  if (Option.isSome(client)) span.value.attribute("client.address", client.value)
}

/**
 * Every request and every response passes here. An empty Idempotency-Key, as of an unfilled form, counts as absent. Route and method are checked before
 * anything else, every failure becomes the error envelope, and the request id is in the header, the envelope and the log.
 */
export const make = Effect.map(
  Effect.all({
    connections: Connections,
    cors: Answers.make,
    drain: Drain,
    entropy: Entropy.Entropy,
    handling: ErrorAnswer.make,
    log: makeAccessLog
  }),
  ({ connections, cors, drain, entropy, handling, log }) => {
    // `Effect.zip` takes the runtime twelve steps more.
    const begun = Effect.flatMap(entropy.bytes(26), (random) =>
      Effect.map(Time.now, (began) => ({ began, id: `req_${Entropy.digits(random)}` }))
    )
    return Effect.contextWithEffect((outer: Context.Context<HttpServerRequest.HttpServerRequest>) =>
      Effect.flatMap(begun, ({ began, id }) => {
        const original = Context.get(outer, HttpServerRequest.HttpServerRequest)
        const remoteAddress = connections.addressOf(original.source)
        const request = original.modify({
          ...(original.headers["idempotency-key"] === "" && {
            headers: Headers.remove(original.headers, "idempotency-key")
          }),
          ...(remoteAddress !== undefined && { remoteAddress })
        })
        const { method } = request
        const matched = handling.matched(request)
        const { handled, match } = matched
        const current = { headers: {}, id, method, route: match?.route.path }

        const isInside = drain.enter()

        /** The response without a handler, if any. */
        const instead = () => {
          if (!isInside) return leaving
          if (match === undefined) return undefined
          if (handled === undefined) return cors.preflight(request, methodsOf(match.route)) ?? wrongMethod(match.route)
          annotateSpan(outer, match.route.path, request.remoteAddress)
          return undefined
        }

        const measured = (response: HttpServerResponse.HttpServerResponse) =>
          Effect.flatMap(Time.now, (ended) => {
            const seconds = (ended - began) / 1000
            const answer = Answers.withAnswerHeaders(cors.shared(request, response), current)
            const counted = Effect.as(ErrorAnswer.observe(method, current.route, response.status, seconds), answer)
            const logged = log(current, response.status, seconds)
            return logged === undefined ? counted : Effect.zipLeft(counted, logged)
          })

        const finish = (response: HttpServerResponse.HttpServerResponse) => {
          const finished = Effect.flatMap(
            Answers.represented(request, response, Answers.isPublic(current.route)),
            measured
          )
          return isInside ? Effect.zipRight(drain.leave, finished) : finished
        }

        // Only the handler is interruptible, so `drain.leave` always runs.
        return Effect.uninterruptible(Effect.flatMap(handling.answered(matched, request, current, instead()), finish))
      })
    )
  }
)
