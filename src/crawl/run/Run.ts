import * as Clock from "effect/Clock"
import type * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CookieJar from "../fetch/CookieJar.ts"
import * as Fetcher from "../fetch/Fetcher.ts"
import { productTokenOf, userAgentOf } from "../fetch/Headers.ts"
import { Frontier, partOf, type UrlRecord } from "../frontier/Frontier.ts"
import type { PagePart } from "../page/Resources.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Counters } from "../report/CrawlResult.ts"
import { resolve } from "../site/Site.ts"
import type { AddressCheck, SoftProbe } from "../visit/CheckAddress.ts"
import * as ReadAnswer from "../visit/ReadAnswer.ts"
import * as RenderPage from "../visit/RenderPage.ts"
import * as RobotsCache from "../visit/RobotsCache.ts"
import type { SitemapReading } from "../visit/SitemapWalk.ts"
import type { KeptLink, Visit } from "../visit/Visit.ts"
import { scopeOf, type Visitor } from "../visit/Visitor.ts"
import { gapOf, type RunOptions } from "./RunOptions.ts"

/** URLs besides the pages that the crawl requests after the pages. */
export interface Checks {
  /** The URLs to request, in order. */
  readonly wanted: ReadonlyArray<string>
  /** Number of further URLs. */
  readonly left: number
  /** The pages that contain the URLs; null for all. */
  readonly of: ReadonlySet<string> | null
  /** Responses so far; a URL without time has none. */
  readonly answers: Map<string, AddressCheck>
}

/** Whether the checks cover the page's URLs. */
export const concerns = (checks: Checks | null, url: string): boolean => checks?.of?.has(url) ?? true

/** Number of URLs without a turn or time. */
export const unasked = ({ answers, left, wanted }: Checks): number => left + wanted.length - answers.size

/** Number of URLs with a verdict. */
export const having = ({ answers, wanted }: Checks, verdict: AddressCheck["verdict"]): number =>
  wanted.filter((url) => answers.get(url)?.verdict === verdict).length

/** Maximum URLs with remembered values; values of further URLs are kept as they come. */
const maxAddresses = 200_000

/** Values of a crawl's pages, each kept once, because pages share their navigation, styles and scripts. */
class Shared<T> {
  readonly #known = new Map<string, Array<T>>()
  readonly #addressOf: (value: T) => string
  readonly #isSame: (a: T, b: T) => boolean
  /** Maximum different values per URL. */
  readonly #maxVariants: number

  constructor(addressOf: (value: T) => string, isSame: (a: T, b: T) => boolean, maxVariants: number) {
    this.#addressOf = addressOf
    this.#isSame = isSame
    this.#maxVariants = maxVariants
  }

  /** The values of a page, with equal earlier values reused. */
  share(values: ReadonlyArray<T>): ReadonlyArray<T> {
    return values.map((value) => this.#first(value))
  }

  #first(value: T): T {
    const address = this.#addressOf(value)
    const known = this.#known.get(address)
    if (known === undefined) {
      if (this.#known.size < maxAddresses) this.#known.set(address, [value])
      return value
    }
    const same = known.find((other) => this.#isSame(value, other))
    if (same !== undefined) return same
    if (known.length < this.#maxVariants) known.push(value)
    return value
  }
}

/** Maximum different links to one URL: most pages link to another with the text of their navigation. */
const maxVariants = 16

const addressOf = ({ raw, target }: KeptLink): string => (target.followable ? target.url : raw)

const isSame = (a: KeptLink, b: KeptLink): boolean =>
  a.raw === b.raw &&
  a.text === b.text &&
  a.kind === b.kind &&
  a.isNamed === b.isNamed &&
  a.isToggle === b.isToggle &&
  a.nofollow === b.nofollow &&
  a.place === b.place &&
  a.markup === b.markup &&
  a.tag === b.tag &&
  (a.target.followable
    ? b.target.followable && a.target.url === b.target.url && a.target.fragment === b.target.fragment
    : !b.target.followable && a.target.reason === b.target.reason && a.target.detail === b.target.detail)

/** The links of a crawl, each kept once. */
export class SharedLinks extends Shared<KeptLink> {
  constructor() {
    super(addressOf, isSame, maxVariants)
  }
}

/** One running crawl: its resources and its results so far. A deadline may stop it between any two steps. */
export interface Run extends Visitor {
  readonly options: RunOptions
  readonly timing: Fetcher.CrawlTiming
  readonly now: number
  readonly deadlineMillis: number
  /** Epoch ms. */
  readonly deadlineAt: number
  readonly frontier: Frontier
  readonly rendering: RenderPage.Rendering
  readonly links: SharedLinks
  readonly parts: Shared<PagePart>
  readonly found: Found
}

/** A URL whose visit is under way. */
export interface PendingVisit {
  readonly record: UrlRecord
  readonly visited: Deferred.Deferred<Visit, OutOfTime>
}

/** The mutable part: only the engine's in-order steps write it. */
interface Found {
  /** The given URL, then the page at the end of its redirects. */
  start: URL
  jar: CookieJar.CookieJar
  /** URLs requested, which `maxPages` bounds. */
  asked: number
  answered: number
  failed: number
  sitemap: SitemapReading | null
  probe: SoftProbe | null
  /** Requested images, styles and scripts of its pages, and links to other sites; null before their turn. */
  parts: Checks | null
  externalLinks: Checks | null
  /** Suspected soft 404s that were fetched again, with their signs if both responses had them, else null. */
  readonly soft: Map<string, string | null>
  /** Responses to cookies that a redirect on the way to the URL set. */
  readonly withCookies: Map<string, Visit>
  /** Steps left for comparing URLs without a turn with robots.txt. */
  steps: number
  /** Cache of the comparisons with robots.txt. */
  readonly judged: Map<string, Visit>
  /** Visits begun and not yet read, in their starting order. */
  readonly underway: Array<PendingVisit>
  /** The host asked for a pause that ends after the deadline. */
  paused: boolean
  /** The engine stopped because no further request can start in time. */
  outOfTime: boolean
  /** Every page had its turn: a deadline cuts off no page any more. */
  hasSeenPages: boolean
}

/** Notes that no further request can start in time. */
export const runOut = ({ found }: Run, reason: OutOfTime["reason"]): void => {
  found.outOfTime = true
  found.paused ||= reason === "paused"
}

export const countersOf = ({ found, frontier }: Run): Counters => ({
  pages_discovered: frontier.discovered(),
  pages_fetched: found.answered,
  pages_failed: found.failed
})

const isSamePart = (a: PagePart, b: PagePart): boolean =>
  a.kind === b.kind && a.place === b.place && a.link === b.link && a.raw === b.raw && a.tag === b.tag

/** Maximum comparisons (characters times rules) for unvisited URLs: about 50 ms, enough for all URLs of a usual site. */
const judgingSteps = 100_000_000

/** Pages that are rendered where the options name no number. */
const renderedPages = 50

/** A crawl before its first request; its clock starts now. The scope ends what the crawl starts. */
export const newRun = Effect.fnUntraced(function* (seed: URL, options: RunOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const deadlineMillis = Duration.toMillis(options.deadline ?? "90 seconds")
  const deadlineAt = startedAt + deadlineMillis
  const timing = { ...Fetcher.defaultTiming, ...options.timing }
  const scope = scopeOf(options)
  const userAgent = userAgentOf(options)
  const fetcher = yield* Fetcher.make({
    perHost: options.perHost ?? 6,
    deadlineAt,
    gap: gapOf(options),
    timing,
    userAgent,
    site: { headers: options.headers ?? {}, start: seed }
  })
  const now = options.now ?? startedAt
  const robots = RobotsCache.make(fetcher, timing, productTokenOf(options))
  const { maxPages, render = "auto", renderPages = Math.min(maxPages, renderedPages) } = options
  const bounds = { deadlineAt, deadlineMillis, pages: renderPages }
  const settings = { ...bounds, fetcher, now, render, robots, scope, timing, userAgent }
  const run: Run = {
    options,
    timing,
    fetcher,
    robots,
    rendering: yield* RenderPage.make(settings),
    bodies: yield* ReadAnswer.make,
    scope,
    now,
    deadlineMillis,
    deadlineAt,
    links: new SharedLinks(),
    // Pages spell most URLs alike.
    parts: new Shared<PagePart>(({ url }) => url, isSamePart, 4),
    frontier: new Frontier(options.maxPages, partOf(options.only), scope.leftOut),
    found: {
      start: resolve(seed.href, seed) ?? seed,
      jar: CookieJar.empty,
      asked: 0,
      answered: 0,
      failed: 0,
      sitemap: null,
      probe: null,
      parts: null,
      externalLinks: null,
      soft: new Map(),
      withCookies: new Map(),
      steps: judgingSteps,
      judged: new Map(),
      underway: [],
      paused: false,
      outOfTime: false,
      hasSeenPages: false
    }
  }
  return run
})
