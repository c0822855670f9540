import type * as Duration from "effect/Duration"
import type { CrawlTiming } from "../fetch/Timing.ts"
import type { CrawlerName } from "../fetch/UserAgent.ts"
import type { Only } from "../frontier/Part.ts"

/** Bounds and manners of one run. */
export interface RunOptions extends CrawlerName {
  /** URLs of the site that are requested, redirects included; the start page is always measured. */
  readonly maxPages: number
  readonly checkDeadLinks: boolean
  /** Asks for up to 200 pages of other sites that links lead to, one at a time a host, robots.txt of each honoured; default false. */
  readonly checkExternalLinks?: boolean
  /** Limits the requests to this part, besides the start, robots.txt and the sitemaps; other links are only noted. Default: the whole site. */
  readonly only?: Only | undefined
  /** Wall clock of the whole run; default 90 seconds. */
  readonly deadline?: Duration.DurationInput
  /** Requests in flight to one host; default 6. */
  readonly perHost?: number
  /** The name by which groups of robots.txt address the crawler; default `FindableBot`. */
  readonly productToken?: string
  /**
   * Fields that every request of the site carries, such as `Authorization` for a staging site. They go to the host of the start, `www.` ignored, and
   * from an https start never over http.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds since the epoch by which `unavailable_after` is judged; default is the start of the run. */
  readonly now?: number
  /** Waits inside the run; tests shorten them. */
  readonly timing?: Partial<CrawlTiming>
}
