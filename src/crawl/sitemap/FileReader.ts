import { encodingOf, newDecoder } from "../page/Labels.ts"
import { FileLedger } from "./FileLedger.ts"
import type { Sitemap } from "./SitemapFacts.ts"
import { TextForm } from "./TextForm.ts"
import { XmlForm } from "./XmlForm.ts"

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
export interface FileLimits {
  readonly maxBytes: number
  readonly maxEntries: number
  readonly insideIndex: boolean
}

/** Reads one decompressed sitemap file from pieces of bytes. */
export class FileReader {
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
