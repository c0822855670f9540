import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Polls until a condition holds, every few milliseconds by default; after 50 seconds the test fails with the last value. */
export const until = <A, E, R>(
  ask: Effect.Effect<A, E, R>,
  holds: (answer: A) => boolean,
  every: Duration.DurationInput = "5 millis"
) =>
  Effect.tap(ask, (answer) => (holds(answer) ? Effect.void : Effect.sleep(every))).pipe(
    Effect.repeat({ until: holds }),
    Effect.timeoutOption("50 seconds"),
    Effect.flatMap(
      Option.match({
        onNone: () =>
          Effect.flatMap(ask, (last) => Effect.dieMessage(`It never held of ${JSON.stringify(last, null, 1)}`)),
        onSome: Effect.succeed
      })
    )
  )

/** Waits until a condition holds. */
export const eventually = (holds: () => boolean) => Effect.asVoid(until(Effect.sync(holds), (held) => held))
