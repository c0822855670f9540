import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ticksOf } from "./unsafe.ts"

/** Milliseconds, with fractions, of a clock that no setting of the time of day moves; they count from some moment. */
export const of = (clock: Clock.Clock): number => ticksOf(clock)

/** The same of the clock that a program runs on. */
export const now: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)
