import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { CrawlTiming } from "../fetch/Fetcher.ts"
import { type CrawlerName, SiteHeaders, UserAgent } from "../fetch/Headers.ts"
import type { Only } from "../frontier/Frontier.ts"
import { RequestRate } from "../politeness/HostLimiter.ts"
import type { Render } from "../report/Rendering.ts"
import { AddressGlob, type Globs } from "../visit/Visitor.ts"

/** Bounds and manners of one run. */
export interface RunOptions extends CrawlerName, Globs {
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
  /** Requests a second to one host at most, above 0 and up to 1000; a `Crawl-delay` that asks for fewer holds. Default: as fast as the host answers. */
  readonly rate?: number
  /**
   * Fields that every request of the site carries, such as `Authorization` for a staging site. They go to the host of the start and its port, `www.` ignored, and
   * from an https start never over http.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Which pages are rendered, where a `Renderer` is provided; default `auto`. */
  readonly render?: Render
  /** Pages that are rendered at most; default: all pages of the run, up to 50. */
  readonly renderPages?: number
  /** Milliseconds since the epoch by which `unavailable_after` is judged; default is the start of the run. */
  readonly now?: number
  /** Waits inside the run; tests shorten them. */
  readonly timing?: Partial<CrawlTiming>
}

/** Milliseconds between the starts of two requests to one host that the rate of a run asks for. */
export const gapOf = ({ rate }: Pick<RunOptions, "rate">): number => (rate === undefined ? 0 : 1000 / rate)

const some = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** The options whose values people write: what they name is requested, and what they hold is sent. */
export const WrittenOptions = Schema.Struct({
  exclude: some(Schema.Array(AddressGlob).pipe(Schema.maxItems(100))),
  headers: some(SiteHeaders),
  include: some(Schema.Array(AddressGlob).pipe(Schema.maxItems(100))),
  rate: some(RequestRate),
  userAgent: some(UserAgent)
})
