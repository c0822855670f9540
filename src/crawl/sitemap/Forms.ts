import { SaxesParser } from "saxes"
import { instant } from "../page/Meta.ts"
import { maxUrl } from "../page/Text.ts"
import type { Alternate, FileLedger, SitemapProblemKind } from "./SitemapFacts.ts"

/** Year, month, day, or an instant with its zone, as W3C writes dates (W3C NOTE-datetime); an instant without one is refused. */
const w3cDate =
  /^\d{4}(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?)?)?$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

/** Whether it is a date as sitemaps write it. */
const isDate = (text: string): boolean => {
  const found = w3cDate.exec(text)
  return found !== null && Number(found[2] ?? 1) <= daysIn(Number(text.slice(0, 4)), Number(found[1] ?? 1))
}

const frequencies = new Set(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"])

/** What an entry says about its page besides the address, and the fault when that cannot be understood (sitemaps.org, XML tag definitions). */
const hints: Readonly<
  Record<string, { readonly kind: SitemapProblemKind; readonly isValid: (text: string) => boolean }>
> = {
  lastmod: { kind: "invalid_lastmod", isValid: isDate },
  changefreq: { kind: "invalid_changefreq", isValid: (text) => frequencies.has(text) },
  priority: {
    kind: "invalid_priority",
    isValid: (text) => /^\+?(?:\d+\.?\d*|\.\d+)$/.test(text) && Number(text) <= 1
  }
}

/** Faults of such values: the addresses beside them are read all the same. */
export const hintFaults: ReadonlySet<string> = new Set(Object.values(hints).map(({ kind }) => kind))

/** What the entries of sitemaps say together of the time at which their pages changed. */
export interface SitemapDates {
  /** Entries with a date that can be read. */
  readonly dated: number
  /** The one date that all of them have, as written; null when there is none or they differ. */
  readonly only: string | null
  /** The latest date. */
  readonly latest: { readonly url: string; readonly written: string; readonly millis: number } | null
}

export const noDates: SitemapDates = { dated: 0, only: null, latest: null }

/** Feeds write the name of the month (RFC 822 §5). */
const isFeedDate = /^(?:[a-z]{3},\s*)?\d{1,2} [a-z]{3} \d{2,4}\b/i

/** A year or a month stands for its first day (W3C Date and Time Formats), so that only what is certainly later counts as later. */
const millisOf = (written: string): number | null => {
  if (!isDate(written)) return isFeedDate.test(written) ? instant(written) : null
  const [year = "", month = "01", ...rest] = written.split("-")
  return instant(rest.length === 0 ? `${year}-${month}-01` : written)
}

/** The dates with that of one more entry; one that cannot be read counts as none. */
export const withDate = (dates: SitemapDates, url: string, written: string | null): SitemapDates => {
  if (written === null) return dates
  // The same text again says nothing new.
  if (written === dates.only) return { ...dates, dated: dates.dated + 1 }
  const millis = millisOf(written)
  if (millis === null) return dates
  const isLater = dates.latest === null || millis > dates.latest.millis
  const latest = isLater ? { url, written, millis } : dates.latest
  return { dated: dates.dated + 1, only: dates.dated === 0 ? written : null, latest }
}

/** Where the addresses stand in one kind of document; names are local names. */
interface XmlShape {
  readonly root: string
  readonly kind: "index" | "urls"
  readonly format: "xml" | "rss" | "atom"
  /** The element that holds one entry. */
  readonly entry: string
  /** Its children whose text is the address, best first. */
  readonly location: ReadonlyArray<string>
  /** Its children whose text is the date. */
  readonly date: ReadonlyArray<string>
  /** Whether a second address in one entry begins another entry, as files that forget to close the first have it. */
  readonly repeats: boolean
}

/** The documents that are read: sitemaps.org's two, and the feeds it also allows. */
const shapes: ReadonlyArray<XmlShape> = [
  { root: "urlset", kind: "urls", format: "xml", entry: "url", location: ["loc"], date: ["lastmod"], repeats: true },
  {
    root: "sitemapindex",
    kind: "index",
    format: "xml",
    entry: "sitemap",
    location: ["loc"],
    date: ["lastmod"],
    repeats: true
  },
  {
    root: "rss",
    kind: "urls",
    format: "rss",
    entry: "item",
    location: ["link", "guid"],
    date: ["pubDate"],
    repeats: false
  },
  { root: "RDF", kind: "urls", format: "rss", entry: "item", location: ["link"], date: ["date"], repeats: false },
  { root: "feed", kind: "urls", format: "atom", entry: "entry", location: ["link"], date: ["updated"], repeats: false }
]

/** The namespace of sitemaps.org's documents. */
const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

/** Text gathered of one field: a little more than a URL may have, so that longer ones are seen to be longer. */
const maxField = maxUrl + 1000
/** Characters of the language of a version. */
const maxLanguage = 100
/** Language versions that one entry may name. */
const maxAlternates = 200

interface Entry {
  readonly line: number
  /** Depth of the entry's element. */
  readonly depth: number
  /** Addresses by rank of the element they stood in. */
  readonly locations: Array<string | undefined>
  date: string | null
  /** Text that stands directly in the entry. */
  loose: string
  isTaken: boolean
  readonly alternates: Array<Alternate>
}

interface Field {
  readonly name: string
  readonly depth: number
  text: string
}

/** Gathers the entries of a document from the events of its parser. */
class EntryReader {
  private entry: Entry | null = null
  private field: Field | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly shape: XmlShape,
    /** Only elements under the root's prefix are the document's own: `image:loc` is not `loc`. */
    private readonly prefix: string
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number, line: number): void {
    if (this.entry !== null && this.field === null && depth === this.entry.depth + 1) this.alternate(name, attributes)
    const local = this.localName(name)
    if (local === null || this.field !== null) return
    if (this.entry === null) {
      if (local === this.shape.entry) this.entry = blank(line, depth)
      return
    }
    if (depth !== this.entry.depth + 1) return
    if (this.shape.format === "atom" && local === "link") this.link(attributes)
    else if (this.isField(local)) this.field = { name: local, depth, text: "" }
  }

  text(text: string): void {
    if (this.field !== null) this.field.text = (this.field.text + text).slice(0, maxField)
    else if (this.entry !== null) this.entry.loose = (this.entry.loose + text.trimStart()).slice(0, maxField)
  }

  close(name: string, depth: number): void {
    if (this.field?.depth === depth) this.settle(this.field)
    else if (this.entry?.depth === depth && this.localName(name) === this.shape.entry) this.flush()
  }

  /** Hands over the entry at hand, also when the document breaks off inside it. */
  flush(): void {
    const { entry } = this
    this.entry = null
    this.field = null
    const location = entry?.locations.find((found) => found !== undefined)
    if (entry === null) return
    if (location !== undefined) this.ledger.add(location, entry.date, entry.line, entry.alternates)
    else if (!entry.isTaken && this.shape.format === "xml") this.loose(entry)
  }

  /** Some files put the address straight into the entry: it is unmistakable, and still a fault. */
  private loose(entry: Entry): void {
    this.ledger.fault("missing_loc", entry.line)
    if (entry.loose.trim() !== "") this.ledger.add(entry.loose, entry.date, entry.line)
  }

  private localName(name: string): string | null {
    if (this.prefix === "") return name
    return name.startsWith(`${this.prefix}:`) ? name.slice(this.prefix.length + 1) : null
  }

  private isField(local: string): boolean {
    const isHint = this.shape.format === "xml" && Object.hasOwn(hints, local)
    return isHint || this.shape.location.includes(local) || this.shape.date.includes(local)
  }

  private settle({ name, text }: Field): void {
    const { entry } = this
    this.field = null
    if (entry === null) return
    const rank = this.shape.location.indexOf(name)
    if (rank === -1) {
      this.hint(name, text.trim(), entry.line)
      if (this.shape.date.includes(name)) entry.date ??= text.trim()
      return
    }
    if (this.shape.repeats && entry.locations[rank] !== undefined) {
      this.flush()
      this.entry = { ...blank(entry.line, entry.depth), isTaken: true }
    }
    this.place(rank, text)
  }

  /** What feeds say has rules of its own; an empty element says nothing. */
  private hint(name: string, text: string, line: number): void {
    const hint = this.shape.format === "xml" && Object.hasOwn(hints, name) ? hints[name] : undefined
    if (hint !== undefined && text !== "" && !hint.isValid(text)) this.ledger.fault(hint.kind, line, text)
  }

  /** A language version, in the namespace of XHTML, whose prefix is the file's choice. */
  private alternate(name: string, { href, hreflang, rel }: Readonly<Record<string, string>>): void {
    const isLink =
      this.shape.format === "xml" && name.endsWith(":link") && rel === "alternate" && hreflang !== undefined
    if (isLink && href !== undefined && (this.entry?.alternates.length ?? 0) < maxAlternates)
      this.entry?.alternates.push({ language: hreflang.slice(0, maxLanguage), href: href.slice(0, maxField) })
  }

  private place(rank: number, text: string): void {
    if (this.entry !== null && this.entry.locations[rank] === undefined) this.entry.locations[rank] = text
  }

  /** Atom's address is an attribute; of the links of an entry the alternate one is the page (RFC 4287 §4.2.7). */
  private link({ href, rel }: Readonly<Record<string, string>>): void {
    if (href !== undefined && (rel === undefined || rel === "alternate")) this.place(0, href)
  }
}

const blank = (line: number, depth: number): Entry => ({
  line,
  depth,
  locations: [],
  date: null,
  loose: "",
  isTaken: false,
  alternates: []
})

/** Reads a plain list of URLs, one a line (sitemaps.org, text file), from pieces of text. */
export class TextForm {
  readonly kind = "urls"
  readonly format = "text"
  private rest = ""
  private line: number

  constructor(
    private readonly ledger: FileLedger,
    linesBefore: number
  ) {
    this.line = linesBefore
  }

  write(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\r(?!$)|\n/)
    // A line without an end is not gathered forever: what is above the limit cannot be a URL.
    this.rest = (lines.pop() ?? "").slice(0, 2 * maxUrl)
    for (const line of lines) this.take(line)
  }

  end(): void {
    this.take(this.rest)
  }

  private take(line: string): void {
    this.line++
    if (!this.ledger.isClosed && line.trim() !== "") this.ledger.add(line, null, this.line)
  }
}

/** Elements open at once, and characters without any tag: no sitemap comes near either. */
const maxDepth = 64
const maxSilence = 1 << 20

interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(":")))
const localOf = (name: string): string => name.slice(name.indexOf(":") + 1)

/**
 * Reads an XML sitemap or feed from pieces of text, strictly: at the first fault of form it stops with what came before.
 * Document type declarations end the reading, so there are no entities to expand and nothing external to fetch.
 */
export class XmlForm {
  private readonly parser = new SaxesParser<{ xmlns: false }>({ xmlns: false })
  private depth = 0
  private silence = 0
  /** Line of the last tag. */
  private tagLine = 1
  private entries: EntryReader | null = null
  private shape: XmlShape | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly insideIndex: boolean,
    /** Lines of the file before the text that this form is given. */
    private readonly linesBefore: number
  ) {
    this.parser.on("error", ({ message }) => this.fail(message.replace(/^\d+:\d+: /, "").replace(/\.$/, "")))
    this.parser.on("doctype", (declaration) => this.doctype(declaration))
    this.parser.on("opentag", (tag) => this.guard(() => this.open(tag)))
    this.parser.on("closetag", (tag) => this.guard(() => this.close(tag)))
    this.parser.on("text", (text) => this.guard(() => this.entries?.text(text)))
    this.parser.on("cdata", (text) => this.guard(() => this.entries?.text(text)))
  }

  private get line(): number {
    return this.linesBefore + this.parser.line
  }

  get kind(): "index" | "urls" {
    return this.shape?.kind ?? "urls"
  }

  get format(): XmlShape["format"] | "unknown" {
    return this.shape?.format ?? "unknown"
  }

  write(text: string): void {
    this.silence += text.length
    this.guard(() => this.parser.write(text))
    if (this.silence > maxSilence && !this.ledger.isClosed) this.fail("text without markup is too long")
  }

  end(): void {
    this.guard(() => this.parser.close())
    this.entries?.flush()
  }

  private heard(): void {
    this.silence = 0
    this.tagLine = this.line
  }

  private guard(act: () => unknown): void {
    if (!this.ledger.isClosed) act()
  }

  private fail(message: string): void {
    if (this.ledger.isClosed) return
    this.entries?.flush()
    // At the end of the file the fault is where the markup stopped making sense: an unescaped & swallows all that follows.
    const line = message.startsWith("unclosed tag") ? this.tagLine : this.line
    this.ledger.fatal(this.shape === null ? "not_a_sitemap" : "malformed_xml", line, message)
  }

  private doctype(declaration: string): void {
    if (this.ledger.isClosed) return
    const isHtml = /^\s*html\b/i.test(declaration)
    this.ledger.fatal(isHtml ? "not_a_sitemap" : "dtd_refused", this.line, isHtml ? "an HTML page" : null)
  }

  private root({ attributes, name }: Tag): void {
    const shape = shapes.find(({ root }) => root === localOf(name))
    if (shape === undefined) this.fail(`root element <${name.slice(0, 50)}>`)
    else if (shape.kind === "index" && this.insideIndex) this.ledger.fatal("nested_index", this.line)
    else this.begin(shape, name, attributes)
  }

  private begin(shape: XmlShape, name: string, attributes: Tag["attributes"]): void {
    this.shape = shape
    const prefix = prefixOf(name)
    const namespace = attributes[prefix === "" ? "xmlns" : `xmlns:${prefix}`] ?? ""
    if (shape.format === "xml" && namespace !== sitemapNamespace) {
      this.ledger.fault("bad_namespace", this.line, namespace)
    }
    // RSS 1.0 keeps its items in the default namespace, under a prefixed root.
    this.entries = new EntryReader(this.ledger, shape, shape.root === "RDF" ? "" : prefix)
  }

  private open(tag: Tag): void {
    this.heard()
    this.depth++
    if (this.depth > maxDepth) this.fail("elements are nested too deeply")
    else if (this.depth === 1) this.root(tag)
    else this.entries?.open(tag.name, tag.attributes, this.depth, this.line)
  }

  private close({ name }: Tag): void {
    this.heard()
    this.entries?.close(name, this.depth)
    this.depth--
  }
}
