import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** When a client sends a request again. */
export interface Patience {
  /** Retries of a request at most; default 3. */
  readonly retries?: number
  /** The longest wait before a retry; a longer `Retry-After` fails at once. Default: a minute. */
  readonly longestWait?: Duration.DurationInput
}

/** Reads, and requests with an idempotency key. */
const maySendTwice = ({ headers, method }: HttpClientRequest.HttpClientRequest) =>
  method === "GET" || method === "HEAD" || headers["idempotency-key"] !== undefined

/** The `Retry-After` of a 429 or 503, in seconds. */
const requestedWait = (response: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  response.status === 429 || response.status === 503 ? retryAfter(response) : Option.none()

/** The wait before a failed connection is tried again: half a second, one, two … */
const backoff = (attempt: number) => Duration.millis(500 * 2 ** attempt)

type Execution = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Repeats a request that may be sent twice: after the `Retry-After` of a 429 or 503, and when no answer came. */
export const patient = (
  execution: Execution,
  request: HttpClientRequest.HttpClientRequest,
  { longestWait = "1 minute", retries = 3 }: Patience
): Execution => {
  const attempt = (number: number): Execution => {
    if (number >= retries || !maySendTwice(request)) return execution
    const again = (wait: Duration.Duration) =>
      Effect.delay(
        Effect.suspend(() => attempt(number + 1)),
        wait
      )
    return execution.pipe(
      Effect.matchEffect({
        onFailure: (error) =>
          error._tag === "RequestError" && error.reason === "Transport" ? again(backoff(number)) : Effect.fail(error),
        onSuccess: (response) =>
          Option.match(Option.map(requestedWait(response), Duration.seconds), {
            onNone: () => Effect.succeed(response),
            onSome: (wait) => (Duration.lessThanOrEqualTo(wait, longestWait) ? again(wait) : Effect.succeed(response))
          })
      })
    )
  }
  return attempt(0)
}

/** The seconds of `Retry-After` (RFC 9110 §10.2.3). The API never sends dates, so only numbers are read. */
export const retryAfter = ({ headers }: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  Option.map(
    Option.liftPredicate(headers["retry-after"] ?? "", (text) => /^\d{1,9}$/.test(text)),
    Number
  )
