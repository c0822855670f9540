import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { healthStateOf } from "../../../src/crawl/report/States.ts"
import { claimedRules } from "./CompareClaims.ts"
import type { Crawled } from "./Crawling.ts"
import { isInternal } from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import { expectedOf } from "./Truth.ts"
import type { Place, World } from "./World.ts"

/** What no run may do, whatever the site and the limits: each line is one breach. */
export const breaches = ({ site }: World, { result, urls }: Crawled, maxPages: number): Array<string> => {
  const { score } = result
  const lost = score.breakdown.lost.reduce((sum, { points }) => sum + points, 0)
  const asked = result.pages.filter(({ evidence }) => (evidence?.attempts.length ?? 0) > 0).length
  const isIn =
    score.aggregate_score === null ||
    (score.range.low <= score.aggregate_score && score.aggregate_score <= score.range.high)
  return [
    ...urls.filter((url) => !isInternal(site, url)).map((url) => `asked another site: ${url}`),
    ...urls
      .filter((url) => new URL(url).pathname !== "/robots.txt" && !isAllowed(site, url))
      .map((url) => `asked a forbidden address: ${url}`),
    ...(asked > maxPages ? [`asked for ${asked} pages of ${maxPages}`] : []),
    ...(score.breakdown.earned + lost === score.breakdown.possible ? [] : ["the score does not add up"]),
    ...(score.breakdown.possible > 0 &&
    score.aggregate_score !== Math.floor((100 * score.breakdown.earned) / score.breakdown.possible)
      ? ["the score is not what its parts say"]
      : []),
    ...(isIn ? [] : [`the score ${score.aggregate_score} is outside ${score.range.low}..${score.range.high}`]),
    ...(score.range.low >= 0 && score.range.high <= 100 ? [] : ["the range leaves 0..100"])
  ]
}

/** Reasons that a run which saw less may give where the whole truth is another: what it needed to know lay beyond. */
const isExcused = (place: Place, reported: Place["reason"]): boolean =>
  reported === "limit_reached" ||
  reported === "rate_limited" ||
  // A suspicion that no second look confirmed in time is no verdict.
  (place.reason === "soft_404" && healthStateOf[reported] !== "failed") ||
  (place.health === "redirect" && healthStateOf[reported] === "redirect") ||
  (place.reasons.length === 0 &&
    reported === "canonical_elsewhere" &&
    place.page?.canonicals.some(({ to }) => to !== place.url) === true)

/** What a run that a limit ended may not say about a site. */
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
      .filter((url) => !expected.has(url) && world.places.get(url)?.reason === reasonOf.get(url))
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
