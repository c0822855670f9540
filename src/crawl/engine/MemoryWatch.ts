/**
 * Platform adapter: runs the garbage collector (`Bun.gc`) while a crawl makes its process larger. The engine hardly counts the pieces that bodies arrive
 * in, and delays the next collection until the heap has doubled: large pages then take up to 250 MiB, with `--smol` too (`bun run campaign memory`).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/**
 * Growth of resident memory in bytes that triggers a collection. A crawl may take 150 MiB, 90 of them to read one page of 2 MiB; the rest is room for one
 * growth before the page and one before the next collection. A process with a large heap may allow more, because a collection scans the whole heap.
 */
export class MemoryGrowth extends Context.Reference<MemoryGrowth>()("crawl/MemoryGrowth", {
  defaultValue: () => 32 * 2 ** 20
}) {}

/** Milliseconds between two checks; a crawl reads a few megabytes in this time. */
const interval = 20

/** Lowest resident memory in bytes since the last collection, for all crawls of the process. */
let lowest = Number.POSITIVE_INFINITY

/** Resident memory in bytes at the last read, for all crawls of the process: a read takes up to 0.1 ms. */
const last = { at: Number.NEGATIVE_INFINITY, bytes: 0 }

const read = () => {
  last.bytes = process.memoryUsage.rss()
  last.at = performance.now()
  return last.bytes
}

const look = (growth: number) =>
  Effect.sync(() => {
    const now = performance.now() - last.at < interval / 2 ? last.bytes : read()
    lowest = Math.min(lowest, now)
    if (now < lowest + growth) return
    Bun.gc(true)
    lowest = read()
  })

/**
 * Watches the process until the scope ends, unless it may grow without bounds. The checks run in separate turns of the event loop, when no value on the stack
 * looks like a reference to a page, and on the machine's clock, because memory fills in real time.
 */
export const watchMemory = Effect.flatMap(MemoryGrowth, (growth) =>
  Number.isFinite(growth)
    ? look(growth).pipe(
        Effect.repeat(Schedule.spaced(`${interval} millis`)),
        Effect.withClock(Clock.make()),
        Effect.forkScoped,
        Effect.asVoid
      )
    : Effect.void
)
