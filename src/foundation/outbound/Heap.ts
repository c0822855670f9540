/**
 * Platform adapter: has the collector (`Bun.gc`) take away what bodies leave behind. The engine hardly sees the pieces that
 * bodies come in, and waits with the next collection until the heap has doubled; by then fifty hostile pages have made the
 * process more than a gigabyte larger (`bun run campaign memory`).
 */

/** A collection takes tens of milliseconds and is worth so many bytes; ordinary answers seldom come to one. */
const least = 16 * 1024 * 1024

let much = least
let waiting = 0

/** Notes that so many bytes are garbage now, or will be presently. */
export const letGo = (bytes: number): void => {
  waiting += bytes
  if (waiting < much) return
  waiting = 0
  Bun.gc(true)
  // What a collection costs grows with what it leaves, so the next one has to be worth more.
  much = Math.max(least, process.memoryUsage().heapUsed / 4)
}
