import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { analysedPage } from "../analysis/Analyse.ts"
import { linksElsewhere } from "../analysis/AnalysedSite.ts"
import { softNotFoundCandidates, suspicionOf } from "../analysis/SoftNotFound.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import type { Lost } from "../fetch/Fetcher.ts"
import { productTokenOf } from "../fetch/Headers.ts"
import type { UrlRecord } from "../frontier/Frontier.ts"
import { maskedReference } from "../page/Credentials.ts"
import { httpIdentity, plainBase } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import { CrawlFailed } from "../report/CrawlResult.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { type Checks, type Run, runOut } from "../run/Run.ts"
import { gapOf } from "../run/RunOptions.ts"
import { actionOf, sameSite } from "../site/Site.ts"
import { type Asking, checkAddress, probe } from "../visit/CheckAddress.ts"
import * as RobotsCache from "../visit/RobotsCache.ts"
import { readSitemaps, type SitemapReading } from "../visit/SitemapWalk.ts"
import type { KeptFacts, Visit } from "../visit/Visit.ts"
import { maxHops, visit } from "../visit/Visitor.ts"
import { drain, meetReferences, recordVisit } from "./FetchWindow.ts"

/** Maximum URLs of one kind to request, and maximum to choose from. */
const maxWanted = 200
const maxMet = 20_000
/** Concurrent other hosts, each with one request at a time. */
const hostsAtOnce = 8

/** The URLs on the most pages first, then in the order of meeting, because a fault of the template is on every page. */
const shared = (
  run: Run,
  isWanted: (health: "eligible" | "hidden") => boolean,
  addressesOf: (facts: KeptFacts) => ReadonlyArray<string>
): Checks => {
  const { only } = run.options
  const of = only === undefined ? null : new Set(only.checksOf ?? [])
  const pagesOf = new Map<string, number>()
  for (const record of run.frontier.records()) {
    const facts = record.visit?.facts ?? null
    if (facts === null || of?.has(record.url) === false) continue
    const health = healthStateOf[analysedPage(run, record).reason]
    if ((health !== "eligible" && health !== "hidden") || !isWanted(health)) continue
    for (const address of new Set(addressesOf(facts))) {
      const pages = pagesOf.get(address)
      if (pages !== undefined || pagesOf.size < maxMet) pagesOf.set(address, (pages ?? 0) + 1)
    }
  }
  const order = [...pagesOf].sort(([, one], [, other]) => other - one).map(([address]) => address)
  return { wanted: order.slice(0, maxWanted), left: Math.max(0, order.length - maxWanted), of, answers: new Map() }
}

/** Requests URLs; a URL without time gets no response. */
const askAll = ({ answers }: Checks, asking: Asking, addresses: ReadonlyArray<string>, concurrency: number) =>
  Effect.forEach(
    addresses,
    (address) =>
      checkAddress(asking, new URL(address)).pipe(
        Effect.map((check) => answers.set(address, check)),
        Effect.ignore
      ),
    { concurrency, discard: true }
  )

/** Requests images, styles and scripts of the site on indexable pages. */
const checkParts = (run: Run) =>
  Effect.gen(function* () {
    const { fetcher, found, options, robots, scope, timing } = run
    const isOpen = (url: URL) => scope.excludedBy(url) === null
    const checks = shared(
      run,
      (health) => health === "eligible",
      ({ parts }) => parts.map(({ url }) => url).filter((url) => isOpen(new URL(url)))
    )
    found.parts = checks
    const asking: Asking = {
      fetcher,
      timing,
      robotsOf: robots.of,
      cookiesOf: (url) => CookieJar.header(found.jar, url),
      follows: (target) => sameSite(found.start, target) && isOpen(target),
      isWall: () => false
    }
    for (const url of checks.wanted) {
      const length = run.rendering.loaded(url)
      if (length !== undefined) checks.answers.set(url, { attempts: [], length, status: 200, verdict: "sound" })
    }
    const unknown = checks.wanted.filter((url) => !checks.answers.has(url))
    yield* askAll(checks, asking, unknown, options.perHost ?? 6)
  })

/**
 * Statuses that other sites return to crawlers for pages that people can see: refusals, demands for a login, the 405 and 406 of bot protection, 429, 451 (RFC
 * 7725, which depends on the country), 503 and invalid statuses such as LinkedIn's 999.
 */
const walls = new Set([401, 402, 403, 405, 406, 407, 429, 430, 451, 503])
const isWall = (status: number): boolean => walls.has(status) || status >= 600

/** How to request URLs of one other host. Only its own robots.txt is cached, not the files of hosts behind redirects. */
const askingOf = ({ fetcher, options, timing }: Run, host: string): Asking => {
  const newCache = () => RobotsCache.make(fetcher, timing, productTokenOf(options))
  const own = newCache()
  return {
    fetcher,
    timing,
    robotsOf: (url) => (url.host === host ? own : newCache()).of(url),
    cookiesOf: () => null,
    follows: () => true,
    isWall
  }
}

/** Requests pages of other sites that links point to. */
const checkLinksElsewhere = (run: Run) =>
  Effect.gen(function* () {
    const { found } = run
    const checks = shared(
      run,
      () => true,
      ({ links }) => linksElsewhere(found.start, links).map(({ target }) => target.url)
    )
    found.externalLinks = checks
    const byHost = Object.entries(Arr.groupBy(checks.wanted, (address) => new URL(address).host))
    yield* Effect.forEach(byHost, ([host, addresses]) => askAll(checks, askingOf(run, host), addresses, 1), {
      concurrency: hostsAtOnce,
      discard: true
    })
  })

/** Requests the images, styles, scripts and external links of the pages. */
const checkAddresses = (run: Run): Effect.Effect<void> =>
  run.options.checkExternalLinks === true ? Effect.zipRight(checkParts(run), checkLinksElsewhere(run)) : checkParts(run)

/** Notes the second visit of a suspect: a page confirms or clears itself, any other response replaces the first. */
const settle = (run: Run, url: string, again: Visit) => {
  if (again.facts !== null) {
    run.found.soft.set(url, suspicionOf(run, again))
    return
  }
  const record = run.frontier.find(url)
  if (record?.visit == null) return
  record.visit = { ...again, attempts: [...record.visit.attempts, ...again.attempts] }
  if (again.cutBy !== null) runOut(run, again.cutBy)
}

/** Fetches each suspected soft 404 once more; only a page with the signs in both responses is one. */
const confirmSoft = (run: Run): Effect.Effect<void, OutOfTime> =>
  Effect.suspend(() =>
    Effect.forEach(
      softNotFoundCandidates(run).keys(),
      (url) =>
        Effect.map(
          visit(
            run,
            run.found.start,
            new URL(url),
            run.found.jar,
            run.rendering.again(run.frontier.find(url)?.visit ?? null, run.found.jar)
          ),
          (again) => settle(run, url, again.visit)
        ),
      { concurrency: run.options.perHost ?? 6, discard: true }
    )
  )

/** Why there is no start page: its response never came, or its whole origin is down. */
const lossOf = (run: Run, url: URL, { lost, reason }: Visit): Lost | null =>
  lost ?? (reason === "robots_unreachable" ? (run.robots.known(url)?.down ?? null) : null)

const unreachable = (url: URL, { message }: Lost): CrawlFailed =>
  new CrawlFailed({ code: "start_unreachable", message: `${maskedReference(url.href)} cannot be reached: ${message}` })

/** Statuses of a server that refuses this visitor (RFC 9110 §15.5.2, §15.5.4, §15.5.8). */
const refusals = new Set([401, 403, 407])

/** Why the start page refuses this crawler, null when it does not. Pages behind a refusal are not the site, and say nothing about it. */
const refusalOf = (run: Run, url: URL, { reason, robotsLine, status }: Visit): string | null => {
  if (reason === "blocked_for_us" && robotsLine !== null) {
    const { group, joined, line, text } = robotsLine
    const token = run.robots.known(url)?.productToken ?? "this crawler"
    return `robots.txt blocks ${token} and allows Googlebot: line ${line}, "${text}", in the group of ${group}${joined === undefined ? "" : `. ${joined}`}`
  }
  if (reason === "bot_challenge") return `it shows a bot challenge (${status ?? "no status"})`
  return reason === null && status !== null && refusals.has(status) ? `it returns ${status}` : null
}

/** Visits a URL of the start. A second request confirms a challenge, like other refusals, before it ends the crawl. */
const look = (run: Run, url: URL) =>
  Effect.gen(function* () {
    const see = (jar: CookieJar.CookieJar) =>
      Effect.flatMap(run.rendering.turn(jar, true), (turn) => visit(run, run.found.start, url, jar, turn))
    const first = yield* see(run.found.jar)
    if (first.visit.reason !== "bot_challenge") return first
    const second = yield* Effect.delay(see(first.jar), run.timing.confirmAfter)
    return { ...second, visit: { ...second.visit, attempts: [...first.visit.attempts, ...second.visit.attempts] } }
  })

/**
 * Visits the start page through its redirects. The crawl follows redirects within the site (http→https, `www.`, a front page elsewhere on the host) and
 * starts at their end. Cookies set on the way are the crawl's cookies.
 */
const begin = (
  run: Run,
  onPage: (record: UrlRecord) => Effect.Effect<void>
): Effect.Effect<void, CrawlFailed | OutOfTime> => {
  const seen = new Set<string>()
  const step = (url: URL, hops: number): Effect.Effect<void, CrawlFailed | OutOfTime> =>
    Effect.gen(function* () {
      const meeting = { via: "start", depth: 0, from: null, text: null, hops } as const
      const record = run.frontier.meet(url.href, meeting)
      const key = `${url.href}\n${CookieJar.header(run.found.jar, url) ?? ""}`
      // A repeated URL may answer differently with new cookies; with equal cookies the redirects loop.
      if (record === null || seen.has(key)) return
      seen.add(key)
      const visited = yield* look(run, url)
      const loss = lossOf(run, url, visited.visit)
      if (loss !== null) return yield* unreachable(url, loss)
      const refusal = refusalOf(run, url, visited.visit)
      if (refusal !== null) {
        const message = `${url.href} blocks this crawler: ${refusal}`
        return yield* new CrawlFailed({ code: "start_refused", message })
      }
      const hop = visited.visit.redirect ?? visited.visit.refresh
      if (hop !== null && hop.to !== null && !hop.loop && !hop.internal) {
        const message = `${url.href} redirects to another site: ${hop.to}`
        return yield* new CrawlFailed({ code: "start_redirects_offsite", message })
      }
      run.found.jar = visited.jar
      const target = hop === null || hop.to === null || hop.loop || hops >= maxHops ? null : new URL(hop.to)
      const next = target === null || actionOf(target) !== null ? null : target
      if (next === null) run.found.start = url
      // Meets the target as a start before reading the redirect, so it takes no turn in the queue.
      else run.frontier.meet(next.href, { ...meeting, hops: hops + 1 })
      recordVisit(run, record, visited.visit)
      yield* onPage(record)
      if (next !== null) yield* step(next, hops + 1)
    })
  return step(run.found.start, 0)
}

/** Callbacks of a running crawl. */
interface Listener {
  readonly onPage: (record: UrlRecord) => Effect.Effect<void>
  readonly onCrawling: Effect.Effect<void>
}

/** Whether the host's pace allows more requests than the pages need: otherwise the pages come first. */
const hasRoom = ({ deadlineMillis, found, options, robots }: Run): boolean => {
  const delay = robots.known(found.start)?.crawlDelay ?? 0
  return Math.max(delay * 1000, gapOf(options)) * (options.maxPages + 10) < deadlineMillis
}

/** Work with a result for later, started once, and immediately if `atOnce`. Without time the result is null. */
const later = <A, E>(work: Effect.Effect<A, E>, atOnce: boolean) =>
  Effect.gen(function* () {
    const result = yield* Effect.cached(Effect.orElseSucceed(work, () => null))
    if (atOnce) yield* Effect.forkScoped(result)
    return { result }
  })

/** Meets the sitemap's URLs, up to 50,000, all on the site's own host. Their language versions may be elsewhere. */
function* meetSitemap(run: Run, { alternates, urls }: SitemapReading): Steps<void> {
  yield* each(urls, (url) => {
    run.frontier.meet(url, { via: "sitemap", depth: null, from: null, text: null, hops: 0 })
    return url.length
  })
  yield* each(alternates, ([from, versions]) => {
    const base = plainBase(from)
    meetReferences(
      run,
      from,
      versions.map(({ href }) => httpIdentity(href, base))
    )
    return versions.reduce((sum, { href }) => sum + href.length, 1)
  })
}

/** Meets the URLs of a partial crawl before any page names them. */
const meetPart = ({ frontier, options }: Run) => {
  for (const url of options.only?.urls ?? []) {
    frontier.meet(url, { via: "reference", depth: null, from: null, text: null, hops: 0 })
  }
}

/** Sends the requests for pages, from the start page to the last confirmation. */
const crawlPages = (run: Run, { onCrawling, onPage }: Listener): Effect.Effect<void, CrawlFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* begin(run, onPage)
    meetPart(run)
    yield* onCrawling
    const { start } = run.found
    const sitemaps = yield* later(readSitemaps(run, start), hasRoom(run))
    const probing = yield* later(probe(run, start, run.found.jar), hasRoom(run))
    const takeSitemap = Effect.flatMap(sitemaps.result, (reading) => {
      if (run.found.sitemap !== null || reading === null) return Effect.void
      run.found.sitemap = reading
      return unhurried(meetSitemap(run, reading))
    })
    yield* drain(run, { onPage, linksRanDry: takeSitemap })
    yield* takeSitemap
    run.found.probe = yield* probing.result
    yield* confirmSoft(run)
  }).pipe(Effect.catchTag("OutOfTime", ({ reason }) => Effect.sync(() => runOut(run, reason))))

/** Sends all requests of a crawl, pages before their resources and external links, and stores the results in `run`. */
export const crawlSite = (run: Run, listener: Listener): Effect.Effect<void, CrawlFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* crawlPages(run, listener)
    if (run.found.outOfTime) return
    run.found.hasSeenPages = true
    yield* checkAddresses(run)
  })
