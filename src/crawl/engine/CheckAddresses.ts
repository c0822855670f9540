import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { analysedPage } from "../analysis/AnalysePage.ts"
import { linksElsewhere } from "../analysis/LinksElsewhere.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import { productTokenOf } from "../fetch/UserAgent.ts"
import { healthStateOf } from "../report/States.ts"
import type { Checks } from "../run/Checks.ts"
import type { Run } from "../run/Run.ts"
import { sameSite } from "../site/Site.ts"
import { type Asking, checkAddress } from "../visit/CheckAddress.ts"
import type { KeptFacts } from "../visit/KeptFacts.ts"
import * as RobotsCache from "../visit/RobotsCache.ts"

/** Addresses of one kind that a run asks for, and among how many they are chosen. */
const maxWanted = 200
const maxMet = 20_000
/** Other hosts that are asked at once, each for one address at a time. */
const hostsAtOnce = 8

/** Cost of a verdict, and of an address that a page names, in characters. */
const worthOfPage = 128
const worthOfAddress = 4

/** The addresses that pages name: those of more pages first, then in the order of meeting. A fault of the template is on every page. */
function* shared(
  run: Run,
  isWanted: (health: "eligible" | "hidden") => boolean,
  addressesOf: (facts: KeptFacts) => ReadonlyArray<string>
): Steps<Checks> {
  const { only } = run.options
  const of = only === undefined ? null : new Set(only.checksOf ?? [])
  const pagesOf = new Map<string, number>()
  yield* each(run.frontier.records(), (record) => {
    const facts = record.visit?.facts ?? null
    if (facts === null || of?.has(record.url) === false) return 1
    const health = healthStateOf[analysedPage(run, record).reason]
    if ((health !== "eligible" && health !== "hidden") || !isWanted(health)) return worthOfPage
    const addresses = new Set(addressesOf(facts))
    for (const address of addresses) {
      const pages = pagesOf.get(address)
      if (pages !== undefined || pagesOf.size < maxMet) pagesOf.set(address, (pages ?? 0) + 1)
    }
    return worthOfPage + addresses.size * worthOfAddress
  })
  const order = [...pagesOf].sort(([, one], [, other]) => other - one).map(([address]) => address)
  return { wanted: order.slice(0, maxWanted), left: Math.max(0, order.length - maxWanted), of, answers: new Map() }
}

/** Asks for addresses; one for which there is no time is left without an answer. */
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

/** Images, styles and scripts of the site that pages which may be indexed are drawn with. */
const checkParts = (run: Run) =>
  Effect.gen(function* () {
    const { fetcher, found, options, robots, scope, timing } = run
    const isOpen = (url: URL) => scope.excludedBy(url) === null
    const checks = yield* unhurried(
      shared(
        run,
        (health) => health === "eligible",
        ({ parts }) => parts.map(({ url }) => url).filter((url) => isOpen(new URL(url)))
      )
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
    yield* askAll(checks, asking, checks.wanted, options.perHost ?? 6)
  })

/**
 * Statuses by which other sites turn crawlers away from pages that people see: refusals, demands for a login, the guards' 405 and 406, 429, 451 (RFC 7725,
 * which depends on the country), 503 and what is no status at all, such as LinkedIn's 999.
 */
const walls = new Set([401, 402, 403, 405, 406, 407, 429, 430, 451, 503])
const isWall = (status: number): boolean => walls.has(status) || status >= 600

/** How the addresses of one other host are asked for. Its robots.txt is kept for them, those of hosts behind redirects are not. */
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

/** Pages of other sites that links lead to. */
const checkLinksElsewhere = (run: Run) =>
  Effect.gen(function* () {
    const { found } = run
    const checks = yield* unhurried(
      shared(
        run,
        () => true,
        ({ links }) => linksElsewhere(found.start, links).map(({ target }) => target.url)
      )
    )
    found.externalLinks = checks
    const byHost = Object.entries(Arr.groupBy(checks.wanted, (address) => new URL(address).host))
    yield* Effect.forEach(byHost, ([host, addresses]) => askAll(checks, askingOf(run, host), addresses, 1), {
      concurrency: hostsAtOnce,
      discard: true
    })
  })

/** Asks for what pages load and link to besides the pages of the site. */
export const checkAddresses = (run: Run): Effect.Effect<void> =>
  run.options.checkExternalLinks === true ? Effect.zipRight(checkParts(run), checkLinksElsewhere(run)) : checkParts(run)
