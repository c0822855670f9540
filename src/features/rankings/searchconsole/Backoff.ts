import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { SearchConsoleFailed } from "./SearchAnalytics.ts"

/** Retries of one request: with a first wait of a second they span two minutes. */
const retries = 7

/** The longest wait that is honoured: after it the next synchronisation is soon enough. */
const longestWait = Duration.minutes(10)

/** The wait before retry `attempt` (0-based): doubling, or what the service asks for when that is longer. */
export const delay = (
  attempt: number,
  first: Duration.Duration,
  retryAfter: Duration.Duration | null
): Duration.Duration =>
  Duration.min(Duration.max(Duration.times(first, 2 ** attempt), retryAfter ?? Duration.zero), longestWait)

/** Repeats a request while it fails for reasons that pass; up to a tenth is added to each wait so that nodes spread. */
export const retrying = <A, R>(
  request: Effect.Effect<A, SearchConsoleFailed, R>,
  first: Duration.Duration
): Effect.Effect<A, SearchConsoleFailed, R> => {
  const attempt = (number: number): Effect.Effect<A, SearchConsoleFailed, R> =>
    Effect.catchAll(request, (failed) =>
      failed.isTransient && number < retries
        ? Random.nextRange(1, 1.1).pipe(
            Effect.flatMap((jitter) => Effect.sleep(Duration.times(delay(number, first, failed.retryAfter), jitter))),
            Effect.zipRight(Effect.suspend(() => attempt(number + 1)))
          )
        : Effect.fail(failed)
    )
  return attempt(0)
}
