import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { gunzip } from "../../foundation/text/Compressed.ts"
import { encodingOf, newDecoder } from "../page/Encoding.ts"
import { TextForm, XmlForm } from "./Forms.ts"
import { FileLedger, type Sitemap } from "./SitemapFacts.ts"

const marks: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
  [[0x00, 0x3c], "utf-16be"],
  [[0x3c, 0x00], "utf-16le"]
]

const ascii = new TextDecoder("latin1")

/** The encoding by the first bytes: a byte order mark, the XML declaration, or the UTF-8 that sitemaps.org requires. */
const encodingOfStart = (bytes: Uint8Array): string => {
  const mark = marks.find(([start]) => start.every((byte, index) => bytes[index] === byte))
  if (mark !== undefined) return mark[1]
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(ascii.decode(bytes.subarray(0, 256)))
  const named = declared === null ? null : encodingOf(declared[1] ?? "")
  return named === null || named === "replacement" || named.startsWith("utf-16") ? "utf-8" : named
}

/** A decoder for the file that begins with these bytes. */
const decoderFor = (start: Uint8Array): TextDecoder => newDecoder(encodingOfStart(start))

/** The limits of one file; `insideIndex` refuses an index, since indexes do not nest (sitemaps.org). */
interface FileLimits {
  readonly maxBytes: number
  readonly maxEntries: number
  readonly insideIndex: boolean
}

/** Reads one decompressed sitemap file from pieces of bytes. */
class FileReader {
  readonly ledger: FileLedger
  private decoder: TextDecoder | null = null
  private form: TextForm | XmlForm | null = null
  private bytes = 0
  /** Lines of blank text before the content. */
  private blankLines = 0

  constructor(
    url: string,
    private readonly limits: FileLimits
  ) {
    this.ledger = new FileLedger(url, limits.maxEntries)
  }

  write(piece: Uint8Array): void {
    const room = this.limits.maxBytes - this.bytes
    const taken = piece.subarray(0, Math.max(0, room))
    this.bytes += taken.length
    this.decoder ??= decoderFor(piece)
    this.text(this.decoder.decode(taken, { stream: true }))
    if (piece.length > room) this.ledger.fatal("too_large", null, `more than ${this.limits.maxBytes} bytes`)
  }

  /** What was read, when there is no more; `isBroken` when the decompression failed. */
  end(isBroken: boolean): Sitemap {
    if (isBroken) this.ledger.fault("gzip_broken", null)
    if (!this.ledger.isClosed) {
      this.text(this.decoder?.decode() ?? "")
      this.form?.end()
    }
    this.judge()
    const { entries, foreign, foreignCount, isClosed, problems } = this.ledger
    const common = {
      entries,
      foreign,
      foreignCount,
      problems,
      complete: !isClosed && !isBroken,
      decodedBytes: this.bytes
    }
    const format = this.ledger.has("not_a_sitemap") ? "unknown" : (this.form?.format ?? "unknown")
    return this.form?.kind === "index"
      ? { ...common, kind: "index", format: "xml" }
      : { ...common, kind: "urls", format }
  }

  private text(text: string): void {
    if (text.includes("\uFFFD") && !this.ledger.has("bad_encoding")) this.ledger.fault("bad_encoding", null)
    const started = this.form === null ? this.start(text) : text
    if (started !== "") this.form?.write(started)
  }

  /** Chooses the form by the first character that is not blank; generators leave blank lines before the XML declaration. */
  private start(text: string): string {
    const content = text.replace(/^[\uFEFF\s]+/, "")
    this.blankLines += text.slice(0, text.length - content.length).split("\n").length - 1
    if (content !== "") {
      const isMarkup = content.startsWith("<")
      this.form = isMarkup
        ? new XmlForm(this.ledger, this.limits.insideIndex, this.blankLines)
        : new TextForm(this.ledger, this.blankLines)
    }
    return content
  }

  /** Faults that only the whole file shows. */
  private judge(): void {
    const { entries, foreignCount } = this.ledger
    if (this.form === null && !this.ledger.isClosed) this.ledger.fault("empty", null)
    if (this.form?.format === "text" && entries.length + foreignCount === 0) this.ledger.fatal("not_a_sitemap", null)
  }
}

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
