import * as Effect from "effect/Effect"

/** Something with a deadline. */
interface Timed {
  /** Milliseconds that are left. */
  readonly left: () => number
  readonly end: () => void
}

/** How late a deadline may be noticed. */
const accuracy = "20 millis"

/**
 * Ends whatever passes its deadline. One fiber watches all exchanges while any is under way: a race of fibers for each would cost more than the exchange.
 */
export const make = () => {
  const all = new Set<Timed>()
  let exchanges = 0
  let looking = false

  const look = Effect.sync(() => {
    for (const timed of all) if (timed.left() <= 0) timed.end()
    looking = exchanges > 0
  })
  const looks = Effect.forkDaemon(Effect.repeat(Effect.delay(look, accuracy), { while: () => looking }))

  const begin = Effect.suspend(() => {
    exchanges += 1
    if (looking) return Effect.void
    looking = true
    return looks
  })
  const finish = Effect.sync(() => {
    exchanges -= 1
  })

  return {
    add: (timed: Timed) => all.add(timed),
    remove: (timed: Timed) => all.delete(timed),
    /** Keeps the watch running while the exchange is under way, so that a deadline may be added late. */
    during: <A, E, R>(exchange: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        begin,
        () => exchange,
        () => finish
      )
  }
}
export type Deadlines = ReturnType<typeof make>
