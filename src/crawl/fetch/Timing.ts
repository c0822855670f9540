/** The waits of a crawl in milliseconds. */
export interface CrawlTiming {
  /** From DNS to the last byte of one page. */
  readonly pageDeadline: number
  /** Longest silence inside an exchange. */
  readonly idleTimeout: number
  /** The same for robots.txt; each of its redirects has this time again. */
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
