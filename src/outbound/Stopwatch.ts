import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Timings } from "./Timings.ts"

/** The phases of an exchange, in their order. */
export type Phase = Exclude<keyof Timings, "totalMs">

/** Times the phases of one exchange, also of one that fails or is cut off. */
export interface Stopwatch {
  /** Ends a phase now; the next one starts. A phase that ended keeps its first time. */
  readonly lap: (phase: Phase) => Effect.Effect<void>
  /** The phases that ended, and the time since the start, in milliseconds with one decimal. */
  readonly timings: Effect.Effect<Timings>
}

const milliseconds = (from: bigint, to: bigint) => Math.round(Number(to - from) / 100_000) / 10

/** A stopwatch that runs from now. */
export const start: Effect.Effect<Stopwatch> = Effect.map(Clock.currentTimeNanos, (begin) => {
  let last = begin
  let phases: Omit<Timings, "totalMs"> = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null }
  return {
    lap: (phase) =>
      Effect.map(Clock.currentTimeNanos, (now) => {
        if (phases[phase] !== null) return
        phases = { ...phases, [phase]: milliseconds(last, now) }
        last = now
      }),
    timings: Effect.map(Clock.currentTimeNanos, (now) => ({ ...phases, totalMs: milliseconds(begin, now) }))
  }
})
