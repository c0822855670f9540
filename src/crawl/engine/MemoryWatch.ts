/**
 * Platform adapter: runs the garbage collector (`Bun.gc`) while a crawl makes its process larger. The engine hardly counts the pieces that bodies arrive
 * in, and delays the next collection until the heap has doubled: large pages then take up to 250 MiB, with `--smol` too (`bun run campaign memory`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * Bytes by which resident memory may grow before a collection. Of the 150 MiB that a crawl may take, one page of 2 MiB takes 90 while it is read; the
 * rest is room for one growth before it and one before the collector is next called. A process whose heap holds much else may allow more, because a
 * collection goes through all of it.
 */
export class MemoryGrowth extends Context.Reference<MemoryGrowth>()("crawl/MemoryGrowth", {
  defaultValue: () => 32 * 2 ** 20
}) {}

/** Milliseconds between two looks, in which a crawl takes in a few megabytes. */
const interval = 20

/** Resident memory in bytes at its lowest since the last collection, for all crawls of the process. */
let lowest = Number.POSITIVE_INFINITY

/** Resident memory in bytes when it was last read, for all crawls of the process: to read it takes up to 0.1 ms. */
const last = { at: Number.NEGATIVE_INFINITY, bytes: 0 }

const read = () => {
  last.bytes = process.memoryUsage.rss()
  last.at = performance.now()
  return last.bytes
}

const look = Effect.map(MemoryGrowth, (growth) => {
  const now = performance.now() - last.at < interval / 2 ? last.bytes : read()
  lowest = Math.min(lowest, now)
  if (now < lowest + growth) return
  Bun.gc(true)
  lowest = read()
})

/**
 * Watches the process until the scope ends. It looks in turns of the event loop of its own, when nothing on the stack looks like a reference to a page, and
 * on the machine's clock, for memory is used up in real time.
 */
export const watchMemory = look.pipe(
  Effect.repeat(Schedule.spaced(`${interval} millis`)),
  Effect.withClock(Clock.make()),
  Effect.forkScoped
)
