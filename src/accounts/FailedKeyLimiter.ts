import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Failed authentications that one address may cause in a window before it is asked to wait. */
const limit = 1200
const windowMillis = 60_000
/** Addresses remembered at once, and keys that were good; the oldest is forgotten first. */
const capacity = 10_000

interface Failures {
  readonly since: number
  readonly count: number
  /** One look-up at a time for an address that guesses keys. */
  readonly turn: Effect.Semaphore
}

const forgetOldest = (known: Map<string, unknown> | Set<string>) => {
  const oldest = known.keys().next()
  if (known.size > capacity && !oldest.done) known.delete(oldest.value)
}

/**
 * Bounds what requests without a usable key cost, by address and node: after 1,200 failures in a minute the address is answered without a look-up
 * until the minute is over. A usable key is never refused for what others send from its address: what looks like a key is still looked up, one at a
 * time, and keys that were good before do not queue with the guesses.
 */
export class FailedKeyLimiter extends Effect.Service<FailedKeyLimiter>()("accounts/FailedKeyLimiter", {
  sync: () => {
    const failures = new Map<string, Failures>()
    const good = new Set<string>()
    const current = (from: string, now: number): Failures => {
      const known = failures.get(from)
      return known !== undefined && now >= known.since && now - known.since < windowMillis
        ? known
        : { count: 0, since: now, turn: known?.turn ?? Effect.unsafeMakeSemaphore(1) }
    }
    /** Notes one more failure of the address. */
    const note = (address: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { count, ...known } = current(address, now)
        failures.delete(address)
        failures.set(address, { ...known, count: count + 1 })
        forgetOldest(failures)
      })
    return {
      /** Seconds that the address has to wait before it may fail again; 0 when it is welcome. */
      wait: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          return count < limit ? 0 : Math.max(1, Math.ceil((since + windowMillis - now) / 1000))
        }),
      note,
      /** Notes that a key was good. */
      welcome: (hash: string) => {
        if (good.has(hash)) return
        good.add(hash)
        forgetOldest(good)
      },
      /**
       * Looks a key up; those that an address over its limit guesses wait for each other. One whose caller leaves before the answer counts as a failure,
       * unless its key was good before: else whoever never waits for an answer could guess for ever.
       */
      lookUp: <A, E, R>(address: () => string, hash: string, look: Effect.Effect<A, E, R>) =>
        good.has(hash)
          ? look
          : Effect.flatMap(Clock.currentTimeMillis, (now) => {
              // Of a connection that is closed nobody knows the address any more.
              const from = address()
              const { count, turn } = current(from, now)
              return Effect.onInterrupt(count < limit ? look : turn.withPermits(1)(look), () => note(from))
            }),
      limit
    }
  }
}) {}
