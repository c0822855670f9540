/**
 * Platform adapter: has the collector (`Bun.gc`) take away what pages leave behind. The engine by itself waits with the next
 * collection until the heap has doubled, and hardly sees the pieces that bodies come in; by then fifty hostile pages have
 * made the process more than a gigabyte larger (`test/crawl/memory.test.ts`).
 */

import * as Effect from "effect/Effect"

/** A collection takes tens of milliseconds and is worth so many bytes: ordinary runs seldom come to one. */
const much = 16 * 1024 * 1024

/** Bytes of tree and strings for each byte of a page. */
const perByte = 16

let waiting = 0

/** A turn of the event loop later, so that nothing on the stack looks like a reference to what is to go. */
const collect = Effect.zipRight(
  Effect.sleep(0),
  Effect.sync(() => Bun.gc(true))
)

const left = (bytes: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    waiting += bytes
    if (waiting < much) return Effect.void
    waiting = 0
    return collect
  })

/** To be run after each body that was received, of so many bytes. */
export const afterBody = (bytes: number): Effect.Effect<void> => left(bytes)

/** To be run after each page that was read, of so many bytes. */
export const afterPage = (bytes: number): Effect.Effect<void> => left(bytes * perByte)
