import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type FileLimits, FileReader } from "./FileReader.ts"
import { content } from "./Gunzip.ts"
import type { Sitemap } from "./SitemapFacts.ts"

/** Bytes after decompression that sitemaps.org allows one file. */
export const maxBytes = 50 * 1024 * 1024

/** Addresses that sitemaps.org allows one file. */
export const maxEntries = 50_000

/** Limits below the protocol's own. */
export type SitemapOptions = Partial<FileLimits>

/**
 * Reads a sitemap, a sitemap index, a list of URLs in text, or a feed from the bytes of its file, gzip or not. It never
 * fails: faults are among the result's `problems`. Between pieces of the file timers and sockets have their turn, and it can be interrupted.
 */
export const read = (url: string, bytes: Uint8Array, options: SitemapOptions = {}): Effect.Effect<Sitemap> =>
  Effect.suspend(() => {
    const reader = new FileReader(url, { maxBytes, maxEntries, insideIndex: false, ...options })
    const take = (piece: Uint8Array) =>
      Effect.map(Effect.sleep(0), () => {
        reader.write(piece)
        return !reader.ledger.isClosed
      })
    return Stream.runForEachWhile(content(bytes), take).pipe(
      Effect.as(false),
      Effect.catchTag("GzipBroken", () => Effect.succeed(true)),
      Effect.map((isBroken) => reader.end(isBroken))
    )
  })
