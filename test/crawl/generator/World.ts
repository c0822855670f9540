import { type HealthReason, type HealthState, healthStateOf } from "../../../src/crawl/report/MeasuredPage.ts"
import { linksElsewhere } from "./ModelFiles.ts"
import {
  depths,
  docAt,
  hasEntries,
  hopAt,
  isEndless,
  isInternal,
  lacksNamed,
  linksOf,
  listedUrls,
  reach,
  sitemapFiles
} from "./ModelReach.ts"
import { isAllowed } from "./ModelRobots.ts"
import { endOf, reasonsOf } from "./ModelVerdict.ts"
import type { Doc, Site } from "./Site.ts"

/** A URL of the site with what is true of it. */
export interface Place {
  readonly url: string
  readonly reasons: ReadonlyArray<HealthReason>
  readonly reason: HealthReason
  readonly health: HealthState
  /** Its document when it was read and is neither an error page nor on the way elsewhere. */
  readonly page: Doc | null
  readonly depth: number | null
  readonly linkedFrom: ReadonlyArray<string>
  readonly listed: boolean
  /** The sitemap alone names it: no page that leads to it was met before. */
  readonly listedOnly: boolean
}

/** Everything that is true of a site, before any rule. */
export interface World {
  readonly site: Site
  /** Where the start ends after its redirects. */
  readonly start: string
  readonly places: ReadonlyMap<string, Place>
  readonly checkDeadLinks: boolean
  readonly checkExternalLinks: boolean
  /** Nothing was left unknown, so "there is none" may be said. */
  readonly isKnown: boolean
  readonly sitemapRead: boolean
  readonly hasSitemap: boolean
}

export const open: ReadonlySet<HealthReason> = new Set([
  "timed_out",
  "connection_failed",
  "rate_limited",
  "bot_challenge",
  "robots_unreachable",
  "blocked_for_us",
  "too_large"
])

const linkersOf = (site: Site, met: ReadonlySet<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const linkers = new Map<string, Array<string>>()
  for (const from of met) {
    const doc = docAt(site, from)
    for (const to of new Set(doc === null ? [] : linksOf(site, doc))) {
      if (to !== from) linkers.set(to, [...(linkers.get(to) ?? []), from])
    }
  }
  return linkers
}

/** Works out what is true of a site that a run without limits sees. */
export const worldOf = (site: Site, checkDeadLinks: boolean, checkExternalLinks = false): World => {
  const met = reach(site)
  const led = reach(site, false)
  const linkers = linkersOf(site, met)
  const clicks = depths(site)
  const listed = new Set(listedUrls(site))
  const places = new Map<string, Place>()
  for (const url of met) {
    const reasons = reasonsOf(site, url)
    const reason = reasons[0] ?? "ok"
    const health = healthStateOf[reason]
    const page = health === "eligible" || health === "hidden" ? docAt(site, url) : null
    const linkedFrom = linkers.get(url) ?? []
    places.set(url, {
      url,
      reasons,
      reason,
      health,
      page,
      depth: clicks.get(url) ?? null,
      linkedFrom,
      listed: listed.has(url),
      listedOnly: listed.has(url) && !led.has(url)
    })
  }
  const files = sitemapFiles(site)
  return {
    site,
    start: endOf(site, site.start).last,
    places,
    checkDeadLinks,
    checkExternalLinks,
    isKnown: [...places.values()].every((place) => !open.has(place.reason) && isReadWhole(place)),
    sitemapRead:
      !lacksNamed(site) &&
      files.every(
        ({ named, plan, url }) =>
          isAllowed(site, url) &&
          (plan === null || plan.fault === "absent" ? !named : hasEntries(plan) && plan.fault !== "malformed")
      ),
    hasSitemap: [...listed].some((url) => isInternal(site, url))
  }
}

/** Without its scripts nothing of the site is to be seen: the start page was read, and it is a shell. */
export const isUnseen = ({ places, start }: World): boolean => places.get(start)?.page?.shell === true

/** Where a link to a URL ends, redirects followed, when that is on the site. */
export const destination = ({ places, site }: World, url: string): Place | undefined => {
  const { end, last } = endOf(site, url)
  return end === "page" ? places.get(last) : undefined
}

/** The places whose redirects pass a URL, itself included. */
export const waysTo = (world: World, url: string): ReadonlyArray<Place> =>
  [...world.places.values()].filter((place) => {
    for (let at: string | null = place.url, hops = 0; at !== null && hops <= 10; hops++) {
      if (at === url) return true
      at = hopAt(world.site, at)
    }
    return false
  })

/** Whether links, the sitemap or the start lead to a URL; what head elements alone name is a matter of the page that carries them. */
export const isLedTo = (world: World, url: string): boolean =>
  waysTo(world, url).some(
    ({ linkedFrom, listed, url: way }) => listed || linkedFrom.length > 0 || way === world.site.start
  )

/** A document that is longer or deeper than the crawl reads may hold more than it saw. */
export const isReadWhole = ({ page }: Place): boolean => page === null || page.bulk === "none"

/** The pages of other sites that a run without limits asks for. */
export const targetsElsewhere = ({ checkExternalLinks, places, site }: World): ReadonlyArray<string> =>
  checkExternalLinks
    ? [...new Set([...places.values()].flatMap(({ page }) => (page === null ? [] : linksElsewhere(site, page))))]
    : []

export { endOf, hopAt, isEndless, isInternal }
