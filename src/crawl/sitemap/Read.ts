import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { gunzip } from "../../foundation/text/Gzip.ts"
import { type FileLimits, FileReader } from "./FileReader.ts"
import type { Sitemap } from "./SitemapFacts.ts"

/** Bytes after decompression that sitemaps.org allows one file. */
export const maxBytes = 50 * 1024 * 1024

/** Addresses that sitemaps.org allows one file. */
export const maxEntries = 50_000

/** The bytes stopped being gzip: what was decompressed before came through. */
class GzipBroken extends Data.TaggedError("GzipBroken") {}

const pieceBytes = 64 * 1024

/** Whether the bytes are gzip by their magic number, whatever their name or type says (RFC 1952 §2.3.1). */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    at >= bytes.length ? Option.none() : Option.some([bytes.subarray(at, at + pieceBytes), at + pieceBytes] as const)
  )

/** The file's content in pieces, decompressed where it is gzip; a consumer that stops early stops the decompression. */
const content = (bytes: Uint8Array): Stream.Stream<Uint8Array, GzipBroken> =>
  isGzip(bytes) ? gunzip({ failed: () => new GzipBroken(), pieceBytes })(Stream.make(bytes)) : slices(bytes)

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
