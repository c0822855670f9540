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

/** A URL of the site with the truth about it. */
export interface Place {
  readonly url: string
  readonly reasons: ReadonlyArray<HealthReason>
  readonly reason: HealthReason
  readonly health: HealthState
  /** Its document, if it was crawled and is neither an error page nor a redirect. */
  readonly page: Doc | null
  readonly depth: number | null
  readonly linkedFrom: ReadonlyArray<string>
  readonly listed: boolean
  /** Only the sitemap names it: no page that leads to it was met before. */
  readonly listedOnly: boolean
}

/** The truth about a site, before any check. */
export interface World {
  readonly site: Site
  /** The end of the start URL's redirects. */
  readonly start: string
  readonly places: ReadonlyMap<string, Place>
  readonly checkDeadLinks: boolean
  readonly checkExternalLinks: boolean
  /** Nothing is unknown, so checks may pass. */
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

/** Computes the truth about a site for an unlimited crawl. */
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

/** Scripts render the whole site: the start page was crawled, and it is a shell. */
export const isUnseen = ({ places, start }: World): boolean => places.get(start)?.page?.shell === true

/** The end of a link to a URL after redirects, if it is on the site. */
export const destination = ({ places, site }: World, url: string): Place | undefined => {
  const { end, last } = endOf(site, url)
  return end === "page" ? places.get(last) : undefined
}

/** The URLs whose redirects pass a URL, including itself. */
export const waysTo = (world: World, url: string): ReadonlyArray<Place> =>
  [...world.places.values()].filter((place) => {
    for (let at: string | null = place.url, hops = 0; at !== null && hops <= 10; hops++) {
      if (at === url) return true
      at = hopAt(world.site, at)
    }
    return false
  })

/** Whether links, the sitemap or the start lead to a URL; a URL named only in head elements is checked on the page with them. */
export const isLedTo = (world: World, url: string): boolean =>
  waysTo(world, url).some(
    ({ linkedFrom, listed, url: way }) => listed || linkedFrom.length > 0 || way === world.site.start
  )

/** A document longer or deeper than the crawl reads may contain more than it saw. */
export const isReadWhole = ({ page }: Place): boolean => page === null || page.bulk === "none"

/** The external pages that an unlimited crawl requests. */
export const targetsElsewhere = ({ checkExternalLinks, places, site }: World): ReadonlyArray<string> =>
  checkExternalLinks
    ? [...new Set([...places.values()].flatMap(({ page }) => (page === null ? [] : linksElsewhere(site, page))))]
    : []

export { endOf, hopAt, isEndless, isInternal }
