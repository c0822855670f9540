import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import type { CrawlTiming } from "../fetch/Fetcher.ts"
import { type CrawlerName, SiteHeaders, UserAgent } from "../fetch/Headers.ts"
import type { Only } from "../frontier/Frontier.ts"
import { RequestRate } from "../politeness/HostLimiter.ts"
import type { Render } from "../report/Rendering.ts"
import { AddressGlob, type Globs } from "../visit/Visitor.ts"

/** Bounds and politeness of one crawl. */
export interface RunOptions extends CrawlerName, Globs {
  /** Maximum URLs of the site to request, redirects included; the start page is always measured. */
  readonly maxPages: number
  readonly checkDeadLinks: boolean
  /** Requests up to 200 linked pages of other sites, one at a time per host, obeying each robots.txt; default false. */
  readonly checkExternalLinks?: boolean
  /** Limits the requests to this part, besides the start, robots.txt and the sitemaps; other links are only noted. Default: the whole site. */
  readonly only?: Only | undefined
  /** Time limit of the whole crawl; default 90 seconds. */
  readonly deadline?: Duration.DurationInput
  /** Requests in flight to one host; default 6. */
  readonly perHost?: number
  /** Maximum requests per second to one host, above 0 and up to 1000; a slower `Crawl-delay` wins. Default: as fast as the host answers. */
  readonly rate?: number
  /**
   * Header fields of every request to the site, such as `Authorization` for a staging site. They go to the start's host and port, `www.` ignored, and from an
   * https start never over http.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Which pages are rendered, where a `Renderer` is provided; default `auto`. */
  readonly render?: Render
  /** Pages that are rendered at most; default: all pages of the run, up to 50. */
  readonly renderPages?: number
  /** Milliseconds since the epoch to compare `unavailable_after` with; default is the start of the crawl. */
  readonly now?: number
  /** Waits inside the crawl; tests shorten them. */
  readonly timing?: Partial<CrawlTiming>
}

/** Milliseconds between the starts of two requests to one host at the crawl's rate. */
export const gapOf = ({ rate }: Pick<RunOptions, "rate">): number => (rate === undefined ? 0 : 1000 / rate)

const some = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Options with values that people write, which decide requested URLs and sent headers. */
export const WrittenOptions = Schema.Struct({
  exclude: some(Schema.Array(AddressGlob).pipe(Schema.maxItems(100))),
  headers: some(SiteHeaders),
  include: some(Schema.Array(AddressGlob).pipe(Schema.maxItems(100))),
  rate: some(RequestRate),
  userAgent: some(UserAgent)
})
