import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Failed authentications that one address may cause in a window before it is asked to wait. */
const limit = 1200
const windowMillis = 60_000
/** Addresses remembered at once; the oldest is forgotten first. */
const capacity = 10_000

interface Failures {
  readonly since: number
  readonly count: number
}

/**
 * Bounds what requests without a usable key cost, by address and node: after 1,200 failures in a minute the address is answered without a look-up
 * until the minute is over.
 */
export class FailedKeyLimiter extends Effect.Service<FailedKeyLimiter>()("accounts/FailedKeyLimiter", {
  sync: () => {
    const failures = new Map<string, Failures>()
    const current = (from: string, now: number) => {
      const known = failures.get(from)
      return known !== undefined && now - known.since < windowMillis ? known : { count: 0, since: now }
    }
    return {
      /** Seconds that the address has to wait; 0 when it is welcome. */
      wait: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          return count < limit ? 0 : Math.max(1, Math.ceil((since + windowMillis - now) / 1000))
        }),
      /** Notes one more failure of the address. */
      note: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          failures.delete(address)
          failures.set(address, { count: count + 1, since })
          const oldest = failures.keys().next()
          if (failures.size > capacity && !oldest.done) failures.delete(oldest.value)
        }),
      limit
    }
  }
}) {}
