/**
 * Platform adapter: has the collector (`Bun.gc`) take away what pages leave behind. The engine by itself waits with the next
 * collection until the heap has doubled, and hardly sees the pieces that bodies come in; by then fifty hostile pages have
 * made the process more than a gigabyte larger (`test/crawl/memory.test.ts`).
 */

/** A collection takes tens of milliseconds and is worth so many bytes: ordinary runs seldom come to one. */
const much = 32 * 1024 * 1024

/** Bytes of tree and strings for each byte of a page. */
const perByte = 32

let waiting = 0

const expect = (bytes: number): void => {
  if (waiting >= much) {
    waiting = 0
    Bun.gc(true)
  }
  waiting += bytes
}

/** To be told of each body that was received, in bytes. */
export const afterBody = (bytes: number): void => expect(bytes)

/** To be told before each page is read, in bytes of its body: of the one before nothing is held any more by then. */
export const beforePage = (bytes: number): void => expect(bytes * perByte)
