import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Outages } from "./Outages.ts"

/** Repeats some work with a pause after each round until the scope closes. A failure is logged with `message`, and the next round tries again. */
export const every =
  (pause: "5 seconds" | "1 minute" | "10 minutes", message: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, Outages | R | Scope.Scope> =>
    work.pipe(
      Effect.catchAllCause((cause) => Outages.report(message, cause)),
      Effect.repeat(Schedule.spaced(pause)),
      Effect.forkScoped,
      Effect.asVoid
    )
