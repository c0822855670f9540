import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Outages } from "./Outages.ts"

/** Does some work over and over, with a pause after each time, for as long as the scope lives. What fails is told by the message, and done the next time. */
export const every =
  (pause: "5 seconds" | "1 minute" | "10 minutes", message: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, Outages | R | Scope.Scope> =>
    work.pipe(
      Effect.catchAllCause((cause) => Outages.report(message, cause)),
      Effect.repeat(Schedule.spaced(pause)),
      Effect.forkScoped,
      Effect.asVoid
    )
