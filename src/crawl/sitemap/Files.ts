import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { joined, makeWakeUp, nothing, type Poll } from "../../foundation/outbound/Body.ts"
import { decode } from "../../foundation/outbound/Codings.ts"
import { Fault, type Trailing } from "../../foundation/outbound/Outbound.ts"
import { plural } from "../../foundation/text/Words.ts"
import { encodingOf, newDecoder } from "../page/Encoding.ts"
import { placeIn } from "./Excerpt.ts"
import { type Before, TextForm, XmlForm } from "./Forms.ts"
import { FileLedger, type Sitemap } from "./SitemapFacts.ts"

const marks: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
  [[0x00, 0x3c], "utf-16be"],
  [[0x3c, 0x00], "utf-16le"]
]

const ascii = new TextDecoder("latin1")

/** Whether the bytes are gzip by their magic number, for any name or type (RFC 1952 §2.3.1). */
const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The encoding of the first bytes: a byte order mark, the XML declaration, or the UTF-8 that sitemaps.org requires. */
const encodingOfStart = (bytes: Uint8Array): string => {
  const mark = marks.find(([start]) => start.every((byte, index) => bytes[index] === byte))
  if (mark !== undefined) return mark[1]
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(ascii.decode(bytes.subarray(0, 256)))
  const named = declared === null ? null : encodingOf(declared[1] ?? "")
  return named === null || named === "replacement" || named.startsWith("utf-16") ? "utf-8" : named
}

/** A decoder for a file with these first bytes. */
const decoderFor = (start: Uint8Array): TextDecoder => newDecoder(encodingOfStart(start))

/** The limits of one file; `insideIndex` refuses an index, because indexes do not nest (sitemaps.org). */
interface FileLimits {
  readonly maxBytes: number
  readonly maxEntries: number
  readonly insideIndex: boolean
}

/** The beginning of a supported XML document, anywhere in a text. */
const xmlStart = /<\?xml\s|<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]/i
/** A part of a prolog without an XML declaration (XML 1.0 §2.8). */
const prologPart = /\s+|<!--[\s\S]*?-->|<\?(?!xml\s)[\s\S]*?\?>|<!doctype\b[^>[]*(?:\[[^\]]*\]\s*)?>/iy

/** Text before the XML in a file that does not begin with it; null without such text or without XML. */
const beforeXml = (content: string): string | null => {
  if (/^<(?:\?xml\s|html|head|body)/i.test(content)) return null
  prologPart.lastIndex = 0
  let end = 0
  while (end < content.length && prologPart.test(content)) end = prologPart.lastIndex
  const rest = content.slice(end)
  const at = rest.search(xmlStart)
  const isInOrder = at === 0 && !/^<\?/.test(rest)
  return at === -1 || isInOrder || /^<(?:!|\?(?!xml\s))/i.test(rest) ? null : content.slice(0, end + at)
}

/** Bytes for evidence: text, or their hexadecimal digits. */
const shownBytes = (bytes: Uint8Array): string => {
  const text = new TextDecoder().decode(bytes)
  const isText = /\S/.test(text) && !/[\uFFFD\p{Cc}]/u.test(text.replace(/[\t\n\r]/g, " "))
  if (isText) return placeIn(text.trimStart(), 0, 0, 0).text
  return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join(" ")
}

/** Reads one decompressed sitemap file from pieces of bytes. */
class FileReader {
  readonly ledger: FileLedger
  private decoder: TextDecoder | null = null
  private form: TextForm | XmlForm | null = null
  private bytes = 0
  /** Blank text before the content. */
  private blank: Before = { lines: 0, columns: 0 }

  constructor(
    url: string,
    private readonly limits: FileLimits
  ) {
    this.ledger = new FileLedger(url, limits.maxEntries)
  }

  write(piece: Uint8Array): void {
    if (this.bytes === 0 && isGzip(piece)) {
      this.ledger.fatal("not_a_sitemap", null, "gzip inside of gzip")
      return
    }
    const room = this.limits.maxBytes - this.bytes
    const taken = piece.subarray(0, Math.max(0, room))
    this.bytes += taken.length
    this.decoder ??= decoderFor(piece)
    this.text(this.decoder.decode(taken, { stream: true }))
    if (piece.length > room) this.ledger.fatal("too_large", null, `more than ${this.limits.maxBytes} bytes`)
  }

  /** The finished result; `isBroken` when the decompression failed. */
  end(isBroken: boolean, trailing: Trailing | null): Sitemap {
    if (isBroken) this.ledger.fault("gzip_broken", null)
    if (!this.ledger.isClosed) {
      this.text(this.decoder?.decode() ?? "")
      this.form?.end()
    }
    if (trailing !== null) this.trails(trailing)
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
    const isUnknown = this.ledger.has("not_a_sitemap") || this.ledger.has("text_before_xml")
    const format = isUnknown ? "unknown" : (this.form?.format ?? "unknown")
    return this.form?.kind === "index"
      ? { ...common, kind: "index", format: "xml" }
      : { ...common, kind: "urls", format }
  }

  private text(text: string): void {
    const bad = text.indexOf("\uFFFD")
    if (bad !== -1 && !this.ledger.has("bad_encoding")) {
      const { columns, lines } = this.form?.place ?? this.blank
      this.ledger.fault("bad_encoding", placeIn(text, bad, lines, columns))
    }
    const started = this.form === null ? this.start(text) : text
    if (started !== "") this.form?.write(started)
  }

  /** Chooses the form by the first non-blank character; generators leave blank lines before the XML declaration. */
  private start(text: string): string {
    const content = text.replace(/^[\uFEFF\s]+/, "")
    const { lines, columns } = this.blank
    const { column, line } = placeIn(text, text.length - content.length, lines, columns)
    this.blank = { lines: line - 1, columns: column - 1 }
    if (content === "") return ""
    const place = () => placeIn(content, 0, line - 1, column - 1)
    const isDeclared = /^<\?xml\s/i.test(content)
    const ahead = beforeXml(content)
    this.form = content.startsWith("<")
      ? new XmlForm(this.ledger, this.limits.insideIndex, this.blank, isDeclared)
      : new TextForm(this.ledger, this.blank)
    if (ahead !== null) {
      const xml = placeIn(content, ahead.length, line - 1, column - 1)
      this.ledger.fatal("text_before_xml", place(), `the XML begins in line ${xml.line}, column ${xml.column}`)
    } else if (isDeclared && (line > 1 || column > 1))
      this.ledger.fault("blank_before_xml", place(), "white space before <?xml")
    return content
  }

  private trails({ bytes, start }: Trailing): void {
    const words = `${plural(bytes, "byte")} after the end of the gzip stream`
    this.ledger.fault("gzip_trailing", null, words, shownBytes(start))
  }

  /** Adds faults that only the whole file shows. */
  private judge(): void {
    const { entries, foreignCount } = this.ledger
    if (this.form === null && !this.ledger.isClosed) this.ledger.fault("empty", null)
    if (this.form instanceof TextForm && !this.ledger.isClosed && entries.length + foreignCount === 0)
      this.ledger.fatal("not_a_sitemap", this.form.first)
  }
}

/** Maximum decompressed bytes of one file by sitemaps.org. */
export const maxBytes = 50 * 1024 * 1024

/** Maximum URLs of one file by sitemaps.org. */
export const maxEntries = 50_000

/** The gzip stream is broken; earlier decompressed bytes were passed on. */
class GzipBroken extends Data.TaggedError("GzipBroken") {}

const pieceBytes = 64 * 1024

const slices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    at >= bytes.length ? Option.none() : Option.some([bytes.subarray(at, at + pieceBytes), at + pieceBytes] as const)
  )

/** Joins pieces to one worth processing; none at the end. */
const gather = (poll: Poll): (() => Uint8Array | Fault | typeof nothing) => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  return () => {
    while (length < pieceBytes) {
      const piece = poll()
      if (piece === nothing || (piece instanceof Fault && length === 0)) return piece
      if (!(piece instanceof Uint8Array)) break
      pieces.push(piece)
      length += piece.length
    }
    return joined(...pieces)
  }
}

/** A gzip file in memory, decompressed piece by piece on demand, and the bytes after its stream. */
const unzipped = (bytes: Uint8Array) => {
  const wakeUp = makeWakeUp()
  let at = 0
  const input: Poll = () => {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += pieceBytes
    return piece.length === 0 ? undefined : piece
  }
  const { close, poll, trailing } = decode(["gzip"], input, wakeUp)
  const next = Effect.async<Uint8Array, GzipBroken>((resume) => {
    const step = gather(poll)
    const goOn = () => {
      const piece = step()
      if (piece !== nothing) resume(piece instanceof Fault ? Effect.fail(new GzipBroken()) : Effect.succeed(piece))
    }
    wakeUp.listen(goOn)
    goOn()
    return Effect.sync(close)
  })
  const pieces = Stream.repeatEffect(next).pipe(
    Stream.takeWhile(({ length }) => length > 0),
    Stream.ensuring(Effect.sync(close))
  )
  return { pieces, trailing }
}

/** The file's content in pieces, decompressed if it is gzip; a consumer that stops early stops the decompression. */
const content = (
  bytes: Uint8Array
): { readonly pieces: Stream.Stream<Uint8Array, GzipBroken>; readonly trailing: () => Trailing | null } =>
  isGzip(bytes) ? unzipped(bytes) : { pieces: slices(bytes), trailing: () => null }

/** Limits below the protocol's own, and the bytes after the file's gzip stream. */
export type SitemapOptions = Partial<FileLimits> & { readonly trailing?: Trailing | undefined }

/**
 * Reads a sitemap, a sitemap index, a text list of URLs, or a feed from the bytes of its file, gzip or not. Reading never fails: the result's `problems` have
 * the faults. Reading yields to timers and sockets between pieces of the file, and can be interrupted.
 */
export const read = (
  url: string,
  bytes: Uint8Array,
  { trailing: sent, ...limits }: SitemapOptions = {}
): Effect.Effect<Sitemap> =>
  Effect.suspend(() => {
    const reader = new FileReader(url, { maxBytes, maxEntries, insideIndex: false, ...limits })
    const { pieces, trailing } = content(bytes)
    const take = (piece: Uint8Array) =>
      Effect.map(Effect.sleep(0), () => {
        reader.write(piece)
        return !reader.ledger.isClosed
      })
    return Stream.runForEachWhile(pieces, take).pipe(
      Effect.as(false),
      Effect.catchTag("GzipBroken", () => Effect.succeed(true)),
      Effect.map((isBroken) => reader.end(isBroken, trailing() ?? sent ?? null))
    )
  })
