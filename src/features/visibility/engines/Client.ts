import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { waitOf } from "../../../foundation/outbound/Timing.ts"
import * as Redaction from "../../../foundation/secrets/Redaction.ts"
import type { Engine } from "../Domain.ts"
import type { Dialect } from "./Answer.ts"
import { anthropic, openai, perplexity, xai } from "./Engines.ts"
import { Engines } from "./Settings.ts"

/** The dialect of each engine. */
export const dialects: Readonly<Record<Engine, Dialect>> = { anthropic, openai, perplexity, xai }

/**
 * A request without a readable answer. `mayCost`: the engine may have worked, so the reserved amount stays charged; `retryAfter`: milliseconds. The engine's
 * own message is not passed on, because it quotes the key.
 */
export class AskFailed extends Data.TaggedError("AskFailed")<{
  readonly code: "credentials" | "quota" | "rate_limited" | "invalid_request" | "unavailable" | "invalid_answer"
  readonly message: string
  readonly mayCost: boolean
  readonly isPassing: boolean
  readonly retryAfter: number | null
}> {}

/** One request to an engine, with a JSON response. */
interface Request {
  readonly engine: Engine
  readonly body: object
}

/** The engines. Only this client has their keys, and sends each only to its configured origin. */
export class EngineClient extends Context.Tag("visibility/engines/EngineClient")<
  EngineClient,
  { readonly ask: (request: Request) => Effect.Effect<unknown, AskFailed> }
>() {}

/** Maximum bytes of a response; recorded ones have under 50,000. */
const longest = 1_048_576

const patience = "150 seconds"

const failed = (
  code: AskFailed["code"],
  message: string,
  { isPassing = false, mayCost = false, retryAfter = null }: Partial<AskFailed> = {}
) => new AskFailed({ code, isPassing, mayCost, message, retryAfter })

/** Whether nothing was sent: the connection was refused, or the name is unknown. */
const isUnsent = Schema.is(Schema.Struct({ code: Schema.Literal("ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN") }))

const unreachable = ({ cause }: HttpClientError.HttpClientError) =>
  Effect.fail(failed("unavailable", "The engine did not answer", { mayCost: !isUnsent(cause) }))
const unreadable = failed("invalid_answer", "The answer of the engine cannot be read", { mayCost: true })

const isUsedUp = Option.exists(
  Schema.is(Schema.Struct({ error: Schema.Struct({ code: Schema.Literal("insufficient_quota") }) }))
)

/** The failure for a status other than 200. */
const refusal = (status: number, json: Option.Option<unknown>, retryAfter: number | null) => {
  if (status === 401 || status === 403)
    return failed("credentials", `The engine refuses the key, or its account has no credit (${status})`)
  if (status === 429)
    return isUsedUp(json)
      ? failed("quota", "The quota of the account at the engine is used up")
      : failed("rate_limited", "The engine allows no more requests now", { isPassing: true, retryAfter })
  if (status === 408 || status >= 500)
    return failed("unavailable", `The engine answered ${status}`, { isPassing: true, mayCost: true, retryAfter })
  return failed("invalid_request", `The engine refuses the request (${status})`)
}

const make = Effect.gen(function* () {
  const engines = yield* Engines
  // Without spans and propagation, so that traces and requests keep their data apart.
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withTracerPropagation(false)
  )

  const ask = ({ body, engine }: Request) =>
    Effect.gen(function* () {
      const { key, url } = engines[engine]
      const dialect = dialects[engine]
      if (Option.isNone(key)) return yield* failed("credentials", "The engine has no key")
      const secret = Redacted.value(key.value)
      const response = yield* HttpClientRequest.post(new URL(dialect.path, url.origin)).pipe(
        HttpClientRequest.setHeaders(dialect.headers(secret)),
        HttpClientRequest.bodyUnsafeJson(body),
        client.execute
      )
      const { headers, json, status } = yield* Redaction.cleanAnswer(
        response,
        Redaction.of([key.value], "[key]"),
        longest,
        unreadable
      )
      if (status !== 200) {
        const { date = null, "retry-after": retryAfter = null } = headers
        const wait = waitOf(retryAfter, date, yield* Clock.currentTimeMillis)
        return yield* refusal(status, json, Option.getOrNull(wait))
      }
      return yield* Effect.mapError(json, () => unreadable)
    }).pipe(
      Effect.catchTags({ RequestError: unreachable, ResponseError: unreachable }),
      Effect.timeoutFail({
        duration: patience,
        onTimeout: () => failed("unavailable", `The engine gave no whole answer within ${patience}`, { mayCost: true })
      })
    )

  return EngineClient.of({ ask })
})

/**
 * The engines over `fetch`. It follows no redirects, because they would receive the key, and keeps no connections, because a request on a closed connection
 * is resent automatically and would be paid twice.
 */
export const layer = Layer.effect(EngineClient, make).pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { keepalive: false, redirect: "manual" }))
)
