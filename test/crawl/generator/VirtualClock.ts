import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/** Milliseconds of virtual time that count as a short leap. */
const leap = 5000

/**
 * A clock that moves only when nothing else can happen: hours pass in milliseconds, in the right order. Code under test
 * must wait by this clock alone; it would not wait for I/O.
 */
export const virtualClock = (startAt = 0): Clock.Clock => {
  let now = startAt
  let order = 0
  let isTurning = false
  const sleepers: Array<Sleeper> = []

  const advance = () => {
    isTurning = false
    const next = sleepers.shift()
    if (next === undefined) return
    now = Math.max(now, next.at)
    next.wake()
    schedule()
  }
  const turn = (patience: number) => {
    sleepers.sort((a, b) => a.at - b.at || a.order - b.order)
    // Busy fibers yield to timers now and then: a long leap, as to a deadline, waits until they are done as well.
    if (patience > 0 && (sleepers[0]?.at ?? now) > now + leap) setTimeout(turn, 0, patience - 1)
    else advance()
  }
  // A macrotask runs after every fiber that can run has run.
  const schedule = () => {
    if (isTurning || sleepers.length === 0) return
    isTurning = true
    setImmediate(turn, 3)
  }

  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(now * 1_000_000)),
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(Math.round(now * 1_000_000))),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper = { at: now + Duration.toMillis(duration), order: order++, wake: () => resume(Effect.void) }
        sleepers.push(sleeper)
        schedule()
        return Effect.sync(() => {
          const index = sleepers.indexOf(sleeper)
          if (index !== -1) sleepers.splice(index, 1)
        })
      })
  }
}
