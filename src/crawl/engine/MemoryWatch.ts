/**
 * Platform adapter: runs the garbage collector (`Bun.gc`) while a crawl makes its process larger. The engine hardly counts the pieces that bodies arrive
 * in, and delays the next collection until the heap has doubled: large and hostile pages then take 250 MiB, with `--smol` too, and 110 MiB with this watch
 * (`bun run campaign memory`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * The part by which resident memory may grow before a collection, some 30 MiB of an ordinary crawl. A part and no amount, because the cost of a collection
 * grows with what is kept: so the cost of all of them grows as the crawl does.
 */
const growth = 0.25

/** The time between two looks, in which a crawl takes in a few megabytes; a look takes microseconds. */
const interval = "20 millis"

/** Resident memory in bytes at its lowest since the last collection, for all crawls of the process. */
let lowest = Number.POSITIVE_INFINITY

const look = Effect.sync(() => {
  const now = process.memoryUsage.rss()
  lowest = Math.min(lowest, now)
  if (now < lowest * (1 + growth)) return
  Bun.gc(true)
  lowest = process.memoryUsage.rss()
})

/**
 * Watches the process until the scope ends. It looks in turns of the event loop of its own, when nothing on the stack looks like a reference to a page, and
 * on the machine's clock, for memory is used up in real time.
 */
export const watchMemory = look.pipe(
  Effect.repeat(Schedule.spaced(interval)),
  Effect.withClock(Clock.make()),
  Effect.forkScoped
)
