import { maxUrl } from "../page/Text.ts"
import { isDate } from "./Dates.ts"
import type { Alternate, FileLedger, SitemapProblemKind } from "./SitemapFacts.ts"

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

/** Where the addresses stand in one kind of document; names are local names. */
export interface XmlShape {
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

/** Text gathered of one field: a little more than a URL may have, so that longer ones are seen to be longer. */
const maxField = maxUrl + 1000
/** Characters of the language of a version. */
const maxLanguage = 100
/** Language versions that one entry may name. */
const maxAlternates = 200

/** An address as written. */
interface Location {
  readonly text: string
  readonly line: number
}

interface Entry {
  readonly line: number
  /** Depth of the entry's element. */
  readonly depth: number
  /** Addresses by rank of the element they stood in. */
  readonly locations: Array<Location | undefined>
  date: string | null
  /** Text that stands directly in the entry. */
  loose: string
  isTaken: boolean
  /** Whether an element of the vocabulary of news stands in it. */
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

/** Gathers the entries of a document from the events of its parser. */
export class EntryReader {
  private entry: Entry | null = null
  private field: Field | null = null

  constructor(
    private readonly ledger: FileLedger,
    private readonly shape: XmlShape,
    /** Only elements under the root's prefix are the document's own: `image:loc` is not `loc`. */
    private readonly prefix: string
  ) {}

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number, line: number): void {
    if (this.entry !== null && this.field === null && depth === this.entry.depth + 1) {
      this.alternate(name, attributes)
      // No other vocabulary has an element of this name inside of an entry.
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

  /** Hands over the entry at hand; of one that the document breaks off inside, nothing is missing but what the fault took. */
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

  private place(rank: number, location: Location): void {
    if (this.entry !== null && this.entry.locations[rank] === undefined) this.entry.locations[rank] = location
  }

  /** Atom's address is an attribute; of the links of an entry the alternate one is the page (RFC 4287 §4.2.7). */
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
