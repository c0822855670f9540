import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { ruleOf } from "../../../src/crawl/rules/Catalogue.ts"
import { isAsked } from "./ModelVerdict.ts"
import { equal, type Point } from "./Point.ts"
import { expectedOf } from "./Truth.ts"
import { isUnseen, open, type Place, type World } from "./World.ts"

const isRead = ({ page }: Place): boolean => page !== null
const isEligible = ({ page, reason }: Place): boolean => page !== null && reason === "ok"
const isRedirect = ({ health }: Place): boolean => health === "redirect"
const hasAnswered = ({ reason, url }: Place, { site }: World): boolean =>
  isAsked(site, url) && reason !== "timed_out" && reason !== "connection_failed"

/** Checks that pass only for the whole site, and the things they need. */
const claims: Readonly<Record<string, (place: Place, world: World) => boolean>> = {
  page_client_error: hasAnswered,
  page_server_error: hasAnswered,
  soft_404: hasAnswered,
  redirect_loop: isRedirect,
  redirect_to_error: isRedirect,
  redirect_chain: isRedirect,
  link_to_redirect: isRead,
  broken_link: (place, { checkDeadLinks }) => checkDeadLinks && isRead(place),
  page_deep: isRead,
  link_fragment_missing: isRead,
  hreflang_missing: isEligible,
  unreachable_page: (place, { start }) => isEligible(place) && place.url !== start,
  title_duplicate: isEligible,
  description_duplicate: isEligible,
  content_duplicate: isEligible,
  content_near_duplicate: isEligible,
  address_twins: isEligible,
  orphan_page: (place, { hasSitemap, sitemapRead, start }) =>
    isEligible(place) && place.url !== start && hasSitemap && sitemapRead
}

export const claimedRules: ReadonlyArray<string> = Object.keys(claims)

/** Checks that pass only with responses from all URLs in sitemaps. */
const listings = ["errors", "redirects", "noindex", "canonicalised", "blocked"].map((each) => `sitemap_lists_${each}`)

const compareListings = (world: World, { findings }: CrawlResult): ReadonlyArray<Point> => {
  const listed = [...world.places.values()].filter((place) => place.listed)
  const isSeen = listed.every(({ reason }) => !open.has(reason) && reason !== "limit_reached")
  const claim = listed.length > 0 && world.sitemapRead && isSeen ? "pass" : "not_assessed"
  return listings.flatMap((rule) =>
    equal(
      `claim of ${rule}`,
      world.start,
      expectedOf(world, rule).size > 0 ? "fail" : claim,
      findings.find((finding) => finding.rule === rule)?.status
    )
  )
}

/** Whether a crawl passes a check exactly when it may. */
export const compareClaims = (world: World, result: CrawlResult): ReadonlyArray<Point> => [
  ...compareListings(world, result),
  ...compareWhole(world, result)
]

const compareWhole = (world: World, { findings }: CrawlResult): ReadonlyArray<Point> =>
  Object.entries(claims).flatMap(([rule, concerns]) => {
    const status = findings.find((finding) => finding.rule === rule)?.status
    const isThere = [...world.places.values()].some((place) => concerns(place, world))
    const expected =
      expectedOf(world, rule).size > 0
        ? "fail"
        : isThere && world.isKnown && !(isUnseen(world) && ruleOf(rule)?.needsRendering === true)
          ? "pass"
          : "not_assessed"
    return equal(`claim of ${rule}`, world.start, expected, status)
  })
