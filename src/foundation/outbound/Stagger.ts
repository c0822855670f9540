import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

/** How long an attempt may stay silent before the next one starts beside it (RFC 8305 §5). */
const headStart = "250 millis"

/** The first success of several attempts; each starts when the one before has failed or stayed silent for 250 ms. The others are interrupted. */
export const staggered = <A, E, R>([attempt, next, ...others]: readonly [
  Effect.Effect<A, E, R>,
  ...ReadonlyArray<Effect.Effect<A, E, R>>
]): Effect.Effect<A, E, R> => {
  if (next === undefined) return attempt
  return Effect.gen(function* () {
    const failed = yield* Deferred.make<void>()
    const first = attempt.pipe(Effect.tapError(() => Deferred.succeed(failed, undefined)))
    const later = Deferred.await(failed).pipe(
      Effect.timeoutOption(headStart),
      Effect.zipRight(staggered([next, ...others]))
    )
    return yield* Effect.race(first, later)
  })
}
