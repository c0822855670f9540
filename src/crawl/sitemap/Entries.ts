import { maxUrl } from "../page/Text.ts"
import { isDate } from "./Dates.ts"
import type { Alternate, FileLedger, SitemapProblemKind } from "./SitemapFacts.ts"

const frequencies = new Set(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"])

/** Optional fields of an entry, each with the fault of an invalid value (sitemaps.org, XML tag definitions). */
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

/** Faults of optional fields: the URL of the entry still counts. */
export const hintFaults: ReadonlySet<string> = new Set(Object.values(hints).map(({ kind }) => kind))

/** Element names of one kind of document; names are local names. */
export interface XmlShape {
  readonly root: string
  readonly kind: "index" | "urls"
  readonly format: "xml" | "rss" | "atom"
  /** The element that holds one entry. */
  readonly entry: string
  /** Its children with the URL as text, best first. */
  readonly location: ReadonlyArray<string>
  /** Its children with the date as text. */
  readonly date: ReadonlyArray<string>
  /** Whether a second URL in one entry begins another entry, for files that forget to close the first. */
  readonly repeats: boolean
}

/** The supported documents: sitemaps.org's two, and the feeds it also allows. */
export const shapes: ReadonlyArray<XmlShape> = [
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
export const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

/** Maximum characters of one field: more than a URL may have, so that too long URLs are recognized. */
const maxField = maxUrl + 1000
/** Maximum characters of a version's language. */
const maxLanguage = 100
/** Maximum language versions of one entry. */
const maxAlternates = 200

/** A URL as written. */
interface Location {
  readonly text: string
  readonly line: number
}

interface Entry {
  readonly line: number
  /** Depth of the entry's element. */
  readonly depth: number
  /** URLs by rank of their element. */
  readonly locations: Array<Location | undefined>
  date: string | null
  /** Text directly in the entry. */
  loose: string
  isTaken: boolean
  /** Whether the entry has an element of the news vocabulary. */
  isNews: boolean
  readonly alternates: Array<Alternate>
}

interface Field {
  readonly name: string
  readonly depth: number
  readonly line: number
  text: string
}

export const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(":")))
export const localOf = (name: string): string => name.slice(name.indexOf(":") + 1)

/** Collects the entries of a document from parser events. */
export class EntryReader {
  private entry: Entry | null = null
  private field: Field | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly shape: XmlShape,
    /** Only elements with the root's prefix belong to the document itself: `image:loc` is not `loc`. */
    private readonly prefix: string
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number, line: number): void {
    if (this.entry !== null && this.field === null && depth === this.entry.depth + 1) {
      this.alternate(name, attributes)
      // No other vocabulary has an element `news` in an entry.
      if (this.shape.format === "xml" && localOf(name) === "news") this.entry.isNews = true
    }
    const local = this.localName(name)
    if (local === null || this.field !== null) return
    if (this.entry === null) {
      if (local === this.shape.entry) this.entry = blank(line, depth)
      return
    }
    if (depth !== this.entry.depth + 1) return
    if (this.shape.format === "atom" && local === "link") this.link(attributes, line)
    else if (this.isField(local)) this.field = { name: local, depth, line, text: "" }
  }

  text(text: string): void {
    if (this.field !== null) this.field.text = (this.field.text + text).slice(0, maxField)
    else if (this.entry !== null) this.entry.loose = (this.entry.loose + text.trimStart()).slice(0, maxField)
  }

  close(name: string, depth: number): void {
    if (this.field?.depth === depth) this.settle(this.field)
    else if (this.entry?.depth === depth && this.localName(name) === this.shape.entry) this.flush()
  }

  /** Finishes the current entry; an entry that a fault cuts off lacks only its cut part. */
  flush(isCut = false): void {
    const { entry } = this
    this.entry = null
    this.field = null
    const location = entry?.locations.find((found) => found !== undefined)
    if (entry === null || (isCut && location === undefined)) return
    const { alternates, isNews } = entry
    const extras = {
      ...(alternates.length === 0 ? {} : { alternates }),
      ...(isNews ? { isNews: true as const } : {})
    }
    if (location !== undefined) this.ledger.add(location.text, entry.date, location.line, extras)
    else if (!entry.isTaken && this.shape.format === "xml") this.loose(entry)
  }

  /** Some files put the URL directly into the entry: the URL is clear, but this is a fault. */
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

  private settle({ line, name, text }: Field): void {
    const { entry } = this
    this.field = null
    if (entry === null) return
    const rank = this.shape.location.indexOf(name)
    if (rank === -1) {
      this.hint(name, text.trim(), line)
      if (this.shape.date.includes(name)) entry.date ??= text.trim()
      return
    }
    if (this.shape.repeats && entry.locations[rank] !== undefined) {
      this.flush()
      this.entry = { ...blank(entry.line, entry.depth), isTaken: true }
    }
    this.place(rank, { text, line })
  }

  /** Feeds have other rules for these fields; an empty element counts as absent. */
  private hint(name: string, text: string, line: number): void {
    const hint = this.shape.format === "xml" && Object.hasOwn(hints, name) ? hints[name] : undefined
    if (hint !== undefined && text !== "" && !hint.isValid(text)) this.ledger.fault(hint.kind, line, text)
  }

  /** A language version, in the XHTML namespace with any prefix. */
  private alternate(name: string, { href, hreflang, rel }: Readonly<Record<string, string>>): void {
    const isLink =
      this.shape.format === "xml" && name.endsWith(":link") && rel === "alternate" && hreflang !== undefined
    if (isLink && href !== undefined && (this.entry?.alternates.length ?? 0) < maxAlternates)
      this.entry?.alternates.push({ language: hreflang.slice(0, maxLanguage), href: href.slice(0, maxField) })
  }

  private place(rank: number, location: Location): void {
    if (this.entry !== null && this.entry.locations[rank] === undefined) this.entry.locations[rank] = location
  }

  /** Atom's URL is an attribute; the alternate link of an entry is its page (RFC 4287 §4.2.7). */
  private link({ href, rel }: Readonly<Record<string, string>>, line: number): void {
    if (href !== undefined && (rel === undefined || rel === "alternate")) this.place(0, { text: href, line })
  }
}

const blank = (line: number, depth: number): Entry => ({
  line,
  depth,
  locations: [],
  date: null,
  loose: "",
  isTaken: false,
  isNews: false,
  alternates: []
})
