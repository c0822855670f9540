import type * as Clock from "effect/Clock"
import * as Monotonic from "../schema/Monotonic.ts"
import type { Timings } from "./Outbound.ts"

/** The phases of an exchange, in their order. */
type Phase = Exclude<keyof Timings, "reused" | "totalMs">

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

const milliseconds = (from: number, to: number) => Math.round((to - from) * 10) / 10

/** A stopwatch that runs from now. */
export const start = (clock: Clock.Clock): Stopwatch => {
  const begin = Monotonic.of(clock)
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
    elapsed: () => Monotonic.of(clock) - begin,
    lap: (phase) => {
      if (phases[phase] !== null) return
      const now = Monotonic.of(clock)
      phases[phase] = milliseconds(last, now)
      last = now
    },
    reuses: (now) => {
      reused = now
    },
    timings: () => ({ ...phases, totalMs: milliseconds(begin, Monotonic.of(clock)), reused })
  }
}
