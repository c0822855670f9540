import * as Effect from "effect/Effect"
import { letGo } from "../../outbound/Heap.ts"
import { contentType } from "../page/ContentType.ts"
import type { HeaderLines } from "../page/HeaderFacts.ts"
import { readingPage } from "../page/Page.ts"
import type { PageFacts } from "../page/PageFacts.ts"
import type { Steps } from "../page/Steps.ts"

/** One page of the whole process is read at a time: they share one thread anyway, and one large tree is all that fits. */
const desk = Effect.unsafeMakeSemaphore(1)

/** Characters read before timers and sockets have their turn; most pages are shorter. */
const block = 131_072

/** Bytes of tree and strings that reading leaves behind for each byte of a page. */
const garbage = 16

/** Does work in steps, and lets everything else of the process go on after each block of them, so that deadlines hold. */
const unhurried = <A>(work: Steps<A>, room = block): Effect.Effect<A> =>
  Effect.suspend(() => {
    const step = work.next()
    if (step.done) return Effect.succeed(step.value)
    const left = room - step.value
    return left > 0 ? unhurried(work, left) : Effect.zipRight(Effect.sleep(0), unhurried(work))
  })

/** A turn of the event loop later nothing on the stack looks like a reference to the page any more. */
const tidy = (bytes: Uint8Array): Effect.Effect<void> =>
  Effect.zipRight(
    bytes.length > block ? Effect.sleep(0) : Effect.void,
    Effect.sync(() => letGo(bytes.length * garbage))
  )

/** What an HTML answer says, whatever its bytes. */
export const readPage = (url: URL, headers: HeaderLines, bytes: Uint8Array): Effect.Effect<PageFacts> =>
  Effect.suspend(() => {
    const { charset, essence } = contentType(headers, bytes)
    return unhurried(readingPage({ url: url.href, bytes, charset, isXml: essence === "application/xhtml+xml" }))
  }).pipe(Effect.zipLeft(tidy(bytes)), desk.withPermits(1))
