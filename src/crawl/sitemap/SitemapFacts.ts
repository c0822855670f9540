/** One address of a sitemap or of a sitemap index. */
export interface SitemapEntry {
  /** Absolute http(s) URL by its identity: fragment dropped, percent-escapes in upper case. */
  readonly url: string
  /** `lastmod` (or a feed's date) as written, trimmed; null when absent. */
  readonly lastmod: string | null
  /** Language versions that the entry names (`xhtml:link`), by their identity; absent when it names none. */
  readonly alternates?: ReadonlyArray<string>
}

/** What can be wrong with a sitemap. */
export type SitemapProblemKind =
  | "empty"
  | "not_a_sitemap"
  | "malformed_xml"
  | "dtd_refused"
  | "bad_namespace"
  | "bad_encoding"
  | "gzip_broken"
  | "too_large"
  | "too_many_urls"
  | "nested_index"
  | "missing_loc"
  | "invalid_loc"
  | "loc_too_long"
  | "foreign_host"
  | "invalid_lastmod"
  | "invalid_changefreq"
  | "invalid_priority"

/** A fault of a sitemap; `line` is 1-based where it is known. */
export interface SitemapProblem {
  readonly kind: SitemapProblemKind
  readonly line: number | null
  /** How often it was seen; `line` and `detail` are those of the first. */
  readonly count: number
  readonly detail: string | null
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
