import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { healthStateOf } from "../../../src/crawl/report/MeasuredPage.ts"
import { claimedRules } from "./CompareClaims.ts"
import type { Crawled } from "./Crawling.ts"
import { askableElsewhere } from "./ModelFiles.ts"
import { isInternal } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import { endOf } from "./ModelVerdict.ts"
import { expectedOf } from "./Truth.ts"
import { type Place, targetsElsewhere, type World } from "./World.ts"

/** The score equals its parts, and lies within its range. */
const scoreBreaches = ({ score }: CrawlResult): Array<string> => {
  const { aggregate_score: value, breakdown, range } = score
  if (value === null) return range.low === null && breakdown.lost.length === 0 ? [] : ["no score, and yet parts of it"]
  const [low, high] = [range.low ?? Number.NaN, range.high ?? Number.NaN]
  const exact = exactScore(score)
  return [
    ...(value === Math.floor(exact + 1e-6) ? [] : [`the score ${value} is not what its parts say: ${exact}`]),
    ...(low <= value && value <= high ? [] : [`the score ${value} is outside ${low}..${high}`]),
    ...(low >= 0 && high <= 100 ? [] : ["the range leaves 0..100"])
  ]
}

/** The score before rounding down. */
export const exactScore = ({ breakdown }: CrawlResult["score"]): number =>
  breakdown.lost.reduce((rest, { points }) => rest - points, 100)

/** Breaches of laws for every crawl, with any site and limits, one per line. */
export const breaches = (world: World, { result, urls }: Crawled, maxPages: number): Array<string> => {
  const { site } = world
  const mayAsk = askableElsewhere(site, targetsElsewhere(world))
  const asked = result.pages.filter(({ evidence }) => (evidence?.attempts.length ?? 0) > 0).length
  return [
    ...urls.filter((url) => !isInternal(site, url) && !mayAsk.has(url)).map((url) => `asked another site: ${url}`),
    ...urls
      .filter((url) => isInternal(site, url) && new URL(url).pathname !== "/robots.txt" && !isAllowed(site, url))
      .map((url) => `asked a forbidden address: ${url}`),
    // The start page and its redirects are always crawled.
    ...(asked > Math.max(maxPages, 1 + endOf(site, site.start).hops.length)
      ? [`asked for ${asked} pages of ${maxPages}`]
      : []),
    ...scoreBreaches(result)
  ]
}

/** Reasons that a limited crawl may give in place of the true one, because it lacked the information. */
const isExcused = (place: Place, reported: Place["reason"]): boolean =>
  reported === "limit_reached" ||
  reported === "rate_limited" ||
  // A suspicion without confirmation in time is no result.
  (place.reason === "soft_404" && healthStateOf[reported] !== "failed") ||
  // For a URL not requested in time the crawl knows only that robots.txt blocks it for Googlebot.
  (reported === "blocked_by_robots" && place.reasons.includes(reported)) ||
  (place.health === "redirect" && healthStateOf[reported] === "redirect") ||
  // A canonical to an indexable page is known when that page was crawled.
  (place.reason === "canonical_variant" && reported === "canonical_elsewhere") ||
  (place.reasons.length === 0 &&
    /^canonical_/.test(reported) &&
    place.page?.canonicals.some(({ to }) => to !== place.url) === true)

/** Factors of the score, which cover the pages known to a crawl. */
const ofPart: ReadonlySet<string> = new Set(["mostly_hidden", "no_eligible_page"])

/** Statements that a limited crawl may not make about a site. */
export const overclaims = (world: World, { findings, pages, summary }: CrawlResult): ReadonlyArray<string> => {
  const reasonOf = new Map(pages.map(({ health_reason, url }) => [url, health_reason]))
  const wrongPages = pages.flatMap(({ health_reason, url }) => {
    const place = world.places.get(url)
    if (place === undefined) return [`${url} does not exist`]
    return place.reason === health_reason || isExcused(place, health_reason)
      ? []
      : [`${url} is ${place.reason}, reported ${health_reason}`]
  })
  const wrongFindings = findings.flatMap(({ pages: named, rule }) => {
    const expected = expectedOf(world, rule)
    return named
      .filter((url) => !expected.has(url) && !ofPart.has(rule) && world.places.get(url)?.reason === reasonOf.get(url))
      .map((url) => `${rule} is wrong about ${url}`)
  })
  const denials = findings.flatMap(({ rule, status }) =>
    status === "pass" && claimedRules.includes(rule) ? [`${rule} is denied of a part of the site`] : []
  )
  return [
    ...(summary.complete || summary.termination === "complete" ? ["the run calls itself complete"] : []),
    ...wrongPages,
    ...wrongFindings,
    ...denials
  ]
}
