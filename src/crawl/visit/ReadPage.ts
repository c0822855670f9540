import * as Effect from "effect/Effect"
import { letGo } from "../../foundation/outbound/Heap.ts"
import { block, unhurried } from "../../foundation/schema/Steps.ts"
import { processSemaphore } from "../../foundation/schema/unsafe.ts"
import { contentType } from "../page/ContentType.ts"
import type { HeaderLines } from "../page/HeaderFacts.ts"
import { readingPage } from "../page/Page.ts"
import type { PageFacts } from "../page/PageFacts.ts"

/** One page of the whole process is read at a time: they share one thread anyway, and one large tree is all that fits. */
const desk = processSemaphore(1)

/** Bytes of tree and strings that reading leaves behind for each byte of a page. */
const garbage = 16

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
