import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import type { MeasuredPage } from "../../../src/crawl/report/MeasuredPage.ts"
import { compareClaims } from "./CompareClaims.ts"
import { compareSummary } from "./CompareSummary.ts"
import { docAt } from "./ModelReach.ts"
import { statusOf } from "./ModelVerdict.ts"
import { equal, type Point, point } from "./Point.ts"
import { fetchStateFor, indexabilityFor } from "./States.ts"
import { expectedOf, truths } from "./Truth.ts"
import { hopAt, isLedTo, type Place, type World, waysTo } from "./World.ts"

/** Compares a value of one URL: an equal value is found; a different one is missed as expected and false as reported. */
const verdict = (kind: string, url: string, expected: unknown, actual: unknown): ReadonlyArray<Point> => {
  if (expected === actual) return [point(`${kind} ${expected}`, url, "found")]
  const detail = `expected ${expected}, reported ${actual}`
  return [point(`${kind} ${expected}`, url, "missed", detail), point(`${kind} ${actual}`, url, "false", detail)]
}

/** The canonical of a document; of several contradicting ones the first is shown. */
const canonicalFor = ({ site }: World, { url }: Place): string | null =>
  docAt(site, url)?.canonicals.find(({ place, to }) => place !== "body" && to !== null)?.to ?? null

const comparePage = (world: World, place: Place, page: MeasuredPage): ReadonlyArray<Point> => [
  ...verdict("reason", place.url, place.reason, page.health_reason),
  ...verdict("health", place.url, place.health, page.health_state),
  ...verdict("fetch", place.url, fetchStateFor(world, place), page.fetch_state),
  ...verdict("indexability", place.url, indexabilityFor(place), page.indexability_state),
  ...equal("http_status", place.url, statusOf(world.site, place.url), page.http_status),
  ...equal("depth", place.url, place.depth, page.depth),
  ...equal("linked_from_count", place.url, place.linkedFrom.length, page.linked_from_count),
  ...equal("redirect_to", place.url, hopAt(world.site, place.url), page.redirect_to),
  ...equal("canonical_url", place.url, canonicalFor(world, place), page.canonical_url)
]

const comparePages = (world: World, { pages }: CrawlResult): ReadonlyArray<Point> => {
  const reported = new Map(pages.map((page) => [page.url, page]))
  const met = [...world.places.values()].flatMap((place) => {
    const page = reported.get(place.url)
    return page === undefined
      ? [point("url met", place.url, "missed", "not in pages")]
      : [point("url met", place.url, "found"), ...comparePage(world, place, page)]
  })
  const strange = pages
    .filter(({ url }) => !world.places.has(url))
    .map(({ url }) => point("url met", url, "false", "in pages"))
  return [...met, ...strange]
}

const compareRules = (world: World, { findings }: CrawlResult): ReadonlyArray<Point> =>
  [...truths.keys()].flatMap((rule) => {
    const expected = expectedOf(world, rule)
    const finding = findings.find((each) => each.rule === rule)
    const listed = new Set(finding?.pages ?? [])
    // Only the first twenty are listed, and the rest is counted.
    const isCut = (finding?.count ?? 0) > listed.size
    const unlisted = isCut ? Math.max(0, (finding?.count ?? 0) - listed.size) : 0
    const absent = [...expected].filter((url) => !listed.has(url))
    const missed = absent.slice(0, Math.max(0, absent.length - unlisted))
    const state = `reported ${finding?.status} ${finding?.count}`
    return [
      ...[...listed].map((url) =>
        expected.has(url)
          ? point(rule, url, "found")
          : point(rule, url, "false", finding?.evidence.items.find((item) => item.url === url)?.detail ?? "")
      ),
      ...absent.slice(missed.length).map((url) => point(rule, url, "found")),
      ...missed.map((url) => point(rule, url, "missed", state)),
      ...Array.from({ length: Math.max(0, unlisted - absent.length) }, () => point(rule, "?", "false", state))
    ]
  })

const isDead = ({ reason }: Place): boolean => reason === "http_4xx" || reason === "http_5xx"

/** A page that only the sitemap lists is no broken link, unless a page links to it. */
const isLinkedTo = (world: World, { listedOnly, url }: Place): boolean =>
  (!listedOnly && isLedTo(world, url)) || waysTo(world, url).some(({ linkedFrom }) => linkedFrom.length > 0)

const compareDeadLinks = (world: World, { summary }: CrawlResult): ReadonlyArray<Point> => {
  const { items } = summary.dead_links
  const dead = world.checkDeadLinks
    ? [...world.places.values()].filter((place) => isDead(place) && isLinkedTo(world, place))
    : []
  const points = dead.flatMap((place) => {
    const item = items.find(({ url }) => url === place.url)
    if (item === undefined) return [point("dead link", place.url, "missed")]
    const linkers = new Set(waysTo(world, place.url).flatMap(({ linkedFrom }) => linkedFrom))
    const named = item.linked_from.filter((url) => linkers.has(url)).length
    const proofs = item.attempts.filter(({ http_status }) => (http_status ?? 0) >= 400).length
    return [
      point("dead link", place.url, "found"),
      ...equal("dead link linked_from", place.url, Math.min(10, linkers.size), named),
      ...equal("dead link linked_from", place.url, item.linked_from.length, named),
      ...equal("dead link asked twice", place.url, true, proofs >= 2)
    ]
  })
  const wrong = items.filter(({ url }) => !dead.some((place) => place.url === url))
  return [...points, ...wrong.map(({ url }) => point("dead link", url, "false", "no such dead page"))]
}

/** Compares everything that a report says about a site with the truth about it. */
export const compare = (world: World, result: CrawlResult): ReadonlyArray<Point> => [
  ...comparePages(world, result),
  ...compareRules(world, result),
  ...compareDeadLinks(world, result),
  ...compareSummary(world, result),
  ...compareClaims(world, result)
]
