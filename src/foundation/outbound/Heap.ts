/**
 * Platform adapter: runs the garbage collector (`Bun.gc`) after large bodies. The engine hardly counts the pieces that
 * bodies arrive in, and delays the next collection until the heap has doubled; by then fifty hostile pages have made the
 * process more than a gigabyte larger (`bun run campaign memory`).
 */

/** The least garbage, in bytes, that is worth a collection of tens of milliseconds; ordinary answers seldom reach it. */
const least = 16 * 1024 * 1024

let much = least
let waiting = 0

/** Records `bytes` of garbage, present or imminent. */
export const letGo = (bytes: number): void => {
  waiting += bytes
  if (waiting < much) return
  waiting = 0
  Bun.gc(true)
  // The cost of a collection grows with the live heap, so the next one must free more.
  much = Math.max(least, process.memoryUsage().heapUsed / 4)
}
