import type * as Duration from "effect/Duration"
import type { Rule } from "./rules/Rule.ts"

/** The part of a site that is looked at again; what these URLs redirect to or name as canonical or language version is asked for with them. */
export interface Only {
  readonly urls: ReadonlyArray<string>
  /** Those of them whose links are asked for as well. */
  readonly linksOf: ReadonlyArray<string>
}

/** Bounds and manners of one crawl. */
export interface CrawlOptions {
  /** URLs of the site asked for, redirects included; the start page is always measured. */
  readonly maxPages: number
  readonly checkDeadLinks: boolean
  /** Besides the start, robots.txt and the sitemaps nothing but this is asked for; other links are noted only. The whole site unless told. */
  readonly only?: Only | undefined
  /** Wall clock of the whole run; 90 seconds unless told. */
  readonly deadline?: Duration.DurationInput
  /** Requests in flight to one host; 6 unless told. */
  readonly perHost?: number
  /** Page that explains the crawler, named in its user agent; none unless told. */
  readonly crawlerUrl?: URL | null
  /** The whole `User-Agent` of a crawler with a name of its own; FindableBot's unless told. */
  readonly userAgent?: string
  /** The name by which groups of robots.txt speak to that crawler; `FindableBot` unless told. */
  readonly productToken?: string
  /**
   * Fields that every request of the site carries, such as `Authorization` for a staging site. They go to the host of the start, `www.` ignored, and
   * from an https start never over http.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Rules of the report and the score, in its order; the catalogue unless told. */
  readonly rules?: ReadonlyArray<Rule>
  /** Milliseconds since the epoch by which `unavailable_after` is judged; the clock at the start unless told. */
  readonly now?: number
  /** Waits inside the run; tests shorten them. */
  readonly timing?: Partial<CrawlTiming>
}

/** The waits of a crawl in milliseconds. */
export interface CrawlTiming {
  /** From DNS to the last byte of one page. */
  readonly pageDeadline: number
  /** Longest silence inside an exchange. */
  readonly idleTimeout: number
  /** The same for robots.txt, redirects included one by one. */
  readonly robotsDeadline: number
  /** Before a 5xx or a lost connection is asked again; the contract says at least a second. */
  readonly confirmAfter: number
  /** First pause of a throttled host that names no time: 1, 2, then 4 of these. */
  readonly backoff: number
}

/** Waits of a real run. */
export const defaultTiming: CrawlTiming = {
  pageDeadline: 12_000,
  idleTimeout: 8_000,
  robotsDeadline: 8_000,
  confirmAfter: 1_000,
  backoff: 1_000
}
