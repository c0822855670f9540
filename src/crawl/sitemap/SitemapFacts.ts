import { isWeb } from "../../foundation/schema/Scalars.ts"
import { hasCredentials, maskedReference, maskedText } from "../page/Credentials.ts"
import { keep, maxUrl } from "../page/Text.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"
import { sameSite } from "../site/Site.ts"
import type { Place } from "./Excerpt.ts"

/** A language version in a sitemap entry (`xhtml:link`), as written. */
export interface Alternate {
  readonly language: string
  readonly href: string
}

/** One URL of a sitemap or of a sitemap index. */
interface SitemapEntry {
  /** Absolute, normalized http(s) URL: fragment dropped, percent-escapes in upper case. */
  readonly url: string
  /** `lastmod` (or a feed's date) as written, trimmed; null when absent. */
  readonly lastmod: string | null
  /** Language versions of the entry; absent without any. */
  readonly alternates?: ReadonlyArray<Alternate>
  /** Whether the entry is a news article; absent when it is not. */
  readonly isNews?: true
}

/** An entry without its URL and date. */
export type EntryExtras = Pick<SitemapEntry, "alternates" | "isNews">

/** Kinds of sitemap faults. */
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

/** A fault of a sitemap; `line` is 1-based. */
export interface SitemapProblem {
  readonly kind: SitemapProblemKind
  readonly line: number | null
  /** How often the fault occurred; all other fields describe the first occurrence. */
  readonly count: number
  readonly detail: string | null
  /** 1-based, in characters; absent when unknown. */
  readonly column?: number
  /** The text of the line, or the bytes, at fault; absent when `detail` has it or there is none. */
  readonly text?: string
}

interface Common {
  /** URLs on the sitemap's own host (`www.` and scheme ignored), in order, first occurrence only. */
  readonly entries: ReadonlyArray<SitemapEntry>
  /** The first 100 URLs on other hosts: only evidence, never fetched. */
  readonly foreign: ReadonlyArray<SitemapEntry>
  readonly foreignCount: number
  /** At most one entry a kind. */
  readonly problems: ReadonlyArray<SitemapProblem>
  /** True when the file was read to its end. */
  readonly complete: boolean
  /** Decompressed bytes read. */
  readonly decodedBytes: number
}

/** A sitemap index with its sitemaps. */
interface SitemapIndex extends Common {
  readonly kind: "index"
  readonly format: "xml"
}

/** A list of pages; `unknown` when the file had no known form. */
interface SitemapUrls extends Common {
  readonly kind: "urls"
  readonly format: "xml" | "text" | "rss" | "atom" | "unknown"
}

/** The content of a sitemap file. */
export type Sitemap = SitemapIndex | SitemapUrls

const maxForeign = 100
const maxLastmod = 64
/** Maximum characters of all URLs of one file: 160 for each URL that a file may hold. */
const maxCharacters = 8 * 1024 * 1024

/** Collects the content of one sitemap file of any form: its URLs sorted by host, and its faults counted. */
export class FileLedger {
  readonly entries: Array<SitemapEntry> = []
  readonly foreign: Array<SitemapEntry> = []
  foreignCount = 0
  /** Set when reading must stop: after a fatal fault, or at the limit of URLs. */
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

  /** Counts a fault, with the first of its kind as the example. */
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

  /** A fault that ends the reading. */
  fatal(kind: SitemapProblemKind, at: number | Place | null, detail: string | null = null): void {
    this.fault(kind, at, detail)
    this.isClosed = true
  }

  /** Adds a URL as written; it must be absolute, because a sitemap has no base. */
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
