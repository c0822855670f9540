import * as Effect from "effect/Effect"

/** Something that ends when its time is over. */
export interface Timed {
  /** Milliseconds that are left. */
  readonly left: () => number
  readonly end: () => void
}

/** How late something may end. */
const accuracy = "20 millis"

/**
 * Ends what takes too long. One fiber looks after all of it, for as long as there is anything: a race of fibers for each exchange would cost more than
 * the exchange.
 */
export const make = () => {
  const all = new Set<Timed>()
  let looking = false

  const look = Effect.sync(() => {
    for (const timed of all) if (timed.left() <= 0) timed.end()
    looking = all.size > 0
  })

  /** Somebody looks from now on, until nothing is left to look after. */
  const watched = Effect.suspend(() => {
    if (looking) return Effect.void
    looking = true
    return Effect.forkDaemon(Effect.repeat(Effect.delay(look, accuracy), { while: () => looking }))
  })

  return {
    add: (timed: Timed) => all.add(timed),
    remove: (timed: Timed) => all.delete(timed),
    watched
  }
}
export type Deadlines = ReturnType<typeof make>
