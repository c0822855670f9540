import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Timings } from "./Timings.ts"

/** The phases of an exchange, in their order. */
export type Phase = Exclude<keyof Timings, "reused" | "totalMs">

/** Times the phases of one exchange, also of one that fails or is cut off. */
export interface Stopwatch {
  /** Ends a phase now; the next one starts. A phase that ended keeps its first time. */
  readonly lap: (phase: Phase) => Effect.Effect<void>
  /** Notes that the connection is one that was kept alive, or that it turned out to be of no use. */
  readonly reuses: (reused: boolean) => void
  /** The phases that ended, and the time since the start, in milliseconds with one decimal. */
  readonly timings: Effect.Effect<Timings>
}

const milliseconds = (from: bigint, to: bigint) => Math.round(Number(to - from) / 100_000) / 10

/** A stopwatch that runs from now. */
export const start: Effect.Effect<Stopwatch> = Effect.map(Clock.currentTimeNanos, (begin) => {
  let last = begin
  let reused = false
  let phases: Record<Phase, number | null> = {
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    bodyMs: null
  }
  return {
    lap: (phase) =>
      Effect.map(Clock.currentTimeNanos, (now) => {
        if (phases[phase] !== null) return
        phases = { ...phases, [phase]: milliseconds(last, now) }
        last = now
      }),
    reuses: (now) => {
      reused = now
    },
    timings: Effect.map(Clock.currentTimeNanos, (now) => ({ ...phases, totalMs: milliseconds(begin, now), reused }))
  }
})
