import { isWeb } from "../../foundation/schema/Scalars.ts"
import { hasCredentials, maskedReference, maskedText } from "../page/Credentials.ts"
import { keep, maxUrl } from "../page/Text.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"
import { sameSite } from "../site/Site.ts"
import type { Place } from "./Excerpt.ts"

/** A language version as an entry of a sitemap writes it (`xhtml:link`). */
export interface Alternate {
  readonly language: string
  readonly href: string
}

/** One address of a sitemap or of a sitemap index. */
interface SitemapEntry {
  /** Absolute http(s) URL by its identity: fragment dropped, percent-escapes in upper case. */
  readonly url: string
  /** `lastmod` (or a feed's date) as written, trimmed; null when absent. */
  readonly lastmod: string | null
  /** Language versions that the entry names; absent when it names none. */
  readonly alternates?: ReadonlyArray<Alternate>
  /** Whether it is marked as an article of news; absent when it is not. */
  readonly isNews?: true
}

/** What an entry has besides its address and its date. */
export type EntryExtras = Pick<SitemapEntry, "alternates" | "isNews">

/** What can be wrong with a sitemap. */
export type SitemapProblemKind =
  | "empty"
  | "not_a_sitemap"
  | "blank_before_xml"
  | "text_before_xml"
  | "malformed_xml"
  | "undeclared_prefix"
  | "dtd_refused"
  | "bad_namespace"
  | "bad_encoding"
  | "gzip_broken"
  | "gzip_trailing"
  | "too_large"
  | "too_many_urls"
  | "nested_index"
  | "missing_loc"
  | "invalid_loc"
  | "has_credentials"
  | "loc_too_long"
  | "foreign_host"
  | "invalid_lastmod"
  | "invalid_changefreq"
  | "invalid_priority"

/** A fault of a sitemap; `line` is 1-based where it is known. */
export interface SitemapProblem {
  readonly kind: SitemapProblemKind
  readonly line: number | null
  /** How often it was seen; what stands besides is that of the first. */
  readonly count: number
  readonly detail: string | null
  /** 1-based, in characters; absent where it is not known. */
  readonly column?: number
  /** The text of the line, or the bytes, at fault; absent where `detail` has it or there is none. */
  readonly text?: string
}

interface Common {
  /** Addresses on the sitemap's own host (`www.` and scheme ignored), in order, first occurrence only. */
  readonly entries: ReadonlyArray<SitemapEntry>
  /** The first 100 addresses on other hosts: evidence, nothing to fetch. */
  readonly foreign: ReadonlyArray<SitemapEntry>
  readonly foreignCount: number
  /** At most one entry a kind. */
  readonly problems: ReadonlyArray<SitemapProblem>
  /** True when the file was read to its end. */
  readonly complete: boolean
  /** Bytes after decompression that were read. */
  readonly decodedBytes: number
}

/** A sitemap index, whose entries are sitemaps. */
interface SitemapIndex extends Common {
  readonly kind: "index"
  readonly format: "xml"
}

/** A list of pages; `unknown` when the file was no sitemap of any form. */
interface SitemapUrls extends Common {
  readonly kind: "urls"
  readonly format: "xml" | "text" | "rss" | "atom" | "unknown"
}

/** What was read of a sitemap file. */
export type Sitemap = SitemapIndex | SitemapUrls

const maxForeign = 100
const maxLastmod = 64
/** Characters of all addresses of one file: 160 for each of the most that there may be. */
const maxCharacters = 8 * 1024 * 1024

/** Collects what one sitemap file says, whatever its form: its addresses sorted by host, and its faults counted. */
export class FileLedger {
  readonly entries: Array<SitemapEntry> = []
  readonly foreign: Array<SitemapEntry> = []
  foreignCount = 0
  /** Set when nothing more is to be read: a fatal fault, or the limit of addresses. */
  isClosed = false
  private readonly faults = new Map<SitemapProblemKind, SitemapProblem>()
  private readonly seen = new Set<string>()
  private characters = 0
  private readonly own: URL | null

  constructor(
    url: string,
    private readonly maxEntries: number
  ) {
    this.own = parseUrl(url, null)
  }

  get problems(): ReadonlyArray<SitemapProblem> {
    return [...this.faults.values()]
  }

  has(kind: SitemapProblemKind): boolean {
    return this.faults.has(kind)
  }

  /** Counts a fault; the first of a kind is the example. */
  fault(kind: SitemapProblemKind, at: number | Place | null, detail: string | null = null, text?: string): void {
    const first = this.faults.get(kind)
    if (first !== undefined) {
      this.faults.set(kind, { ...first, count: first.count + 1 })
      return
    }
    const place = at === null || typeof at === "number" ? { line: at } : at
    const shown = detail === null ? null : keep(maskedText(maskedReference(detail)), 200)
    this.faults.set(kind, { kind, count: 1, detail: shown, ...place, ...(text === undefined ? {} : { text }) })
  }

  /** A fault after which nothing more is read. */
  fatal(kind: SitemapProblemKind, at: number | Place | null, detail: string | null = null): void {
    this.fault(kind, at, detail)
    this.isClosed = true
  }

  /** Takes an address as written; it must be absolute, since a sitemap has no base. */
  add(written: string, lastmod: string | null, line: number, extras: EntryExtras = {}): void {
    const location = written.trim()
    const url = location.length > maxUrl ? null : parseUrl(location, null)
    if (location === "") this.fault("missing_loc", line)
    else if (location.length > maxUrl) this.fault("loc_too_long", line, location)
    else if (url === null || !isWeb(url)) this.fault("invalid_loc", line, location)
    else if (hasCredentials(url)) this.fault("has_credentials", line, location)
    else if (this.entries.length + this.foreignCount >= this.maxEntries) this.fatal("too_many_urls", line)
    else this.file(url, lastmod, line, extras)
  }

  private file(url: URL, lastmod: string | null, line: number, extras: EntryExtras): void {
    const found = keep(identity(url), maxUrl * 3)
    if (this.seen.has(found)) return
    this.seen.add(found)
    this.characters += found.length
    if (this.characters > maxCharacters) {
      this.fatal("too_large", line, `URLs with more than ${maxCharacters} characters in total`)
      return
    }
    this.characters += (extras.alternates ?? []).reduce((sum, { href }) => sum + href.length, 0)
    const entry = {
      url: found,
      lastmod: lastmod === null || lastmod === "" ? null : keep(lastmod, maxLastmod),
      ...extras
    }
    if (this.own === null || sameSite(this.own, url)) {
      this.entries.push(entry)
      return
    }
    this.foreignCount++
    if (this.foreign.length < maxForeign) this.foreign.push(entry)
    this.fault("foreign_host", line, found)
  }
}
