import type * as Clock from "effect/Clock"
import type { Timings } from "./Outbound.ts"
import { nanosOf } from "./unsafe.ts"

/** The phases of an exchange, in their order. */
export type Phase = Exclude<keyof Timings, "reused" | "totalMs">

/** Times the phases of one exchange, even if it fails. */
export interface Stopwatch {
  /** Ends a phase and starts the next. A phase that has ended keeps its first time. */
  readonly lap: (phase: Phase) => void
  /** Records whether the exchange uses a kept-alive connection. */
  readonly reuses: (reused: boolean) => void
  /** Milliseconds since the start. */
  readonly elapsed: () => number
  /** The phases that ended, and the time since the start, in milliseconds with one decimal. */
  readonly timings: () => Timings
}

const milliseconds = (from: bigint, to: bigint) => Math.round(Number(to - from) / 100_000) / 10

/** A stopwatch that runs from now. */
export const start = (clock: Clock.Clock): Stopwatch => {
  const begin = nanosOf(clock)
  let last = begin
  let reused = false
  const phases: Record<Phase, number | null> = {
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    bodyMs: null
  }
  return {
    elapsed: () => Number(nanosOf(clock) - begin) / 1_000_000,
    lap: (phase) => {
      if (phases[phase] !== null) return
      const now = nanosOf(clock)
      phases[phase] = milliseconds(last, now)
      last = now
    },
    reuses: (now) => {
      reused = now
    },
    timings: () => ({ ...phases, totalMs: milliseconds(begin, nanosOf(clock)), reused })
  }
}
