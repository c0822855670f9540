import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Shares from "../../foundation/database/Shares.ts"

/** Failed authentications that one address may cause in a window before it has to wait. */
const limit = 1200
const windowMillis = 60_000
/** Addresses remembered at once, and keys that were good; the oldest is forgotten first. */
const capacity = 10_000

interface Failures {
  readonly since: number
  readonly count: number
}

const forgetOldest = (known: Map<string, unknown>) => {
  const oldest = known.keys().next()
  if (known.size > capacity && !oldest.done) known.delete(oldest.value)
}

/**
 * Bounds what requests without a usable key cost, by address and node: after 1,200 failures in a minute the address is answered without a look-up
 * until the minute is over. A usable key is never refused because of other requests from its address: well-formed keys are still looked up, one at
 * a time, and keys that were good before do not queue with the guesses.
 */
export class FailedKeyLimiter extends Effect.Service<FailedKeyLimiter>()("accounts/FailedKeyLimiter", {
  sync: () => {
    const failures = new Map<string, Failures>()
    /** The account of each. */
    const good = new Map<string, string>()
    const current = (from: string, now: number): Failures => {
      const known = failures.get(from)
      return known !== undefined && now >= known.since && now - known.since < windowMillis
        ? known
        : { count: 0, since: now }
    }
    /** Notes one more failure of the address. */
    const note = (address: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { count, since } = current(address, now)
        failures.delete(address)
        failures.set(address, { count: count + 1, since })
        forgetOldest(failures)
      })
    return {
      /** Seconds that the address has to wait before it may fail again; 0 when it need not wait. */
      wait: (address: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { count, since } = current(address, now)
          return count < limit ? 0 : Math.max(1, Math.ceil((since + windowMillis - now) / 1000))
        }),
      note,
      /** The account of a key that was good; undefined of others. */
      accountOf: (hash: string) => good.get(hash),
      /** Notes that a key of the account was good. */
      welcome: (hash: string, account: string) => {
        if (good.has(hash)) return
        good.set(hash, account)
        forgetOldest(good)
      },
      /**
       * Looks a key up; those that an address over its limit guesses wait for each other. A look-up whose caller leaves before the answer counts as a
       * failure unless its key was good before: otherwise an address that never waits for answers could guess without a limit.
       */
      lookUp: <A, E, R>(address: () => string, hash: string, look: Effect.Effect<A, E, R>) => {
        const account = good.get(hash)
        return account !== undefined
          ? Effect.zipRight(FiberRef.set(Shares.current, Shares.keysOf(account)), look)
          : Effect.flatMap(Clock.currentTimeMillis, (now) => {
              // The address of a connection is unknown once it is closed.
              const from = address()
              const share = current(from, now).count < limit ? Shares.keys : Shares.guesses(from)
              return Effect.onInterrupt(Effect.zipRight(FiberRef.set(Shares.current, share), look), () => note(from))
            })
      },
      limit
    }
  }
}) {}
