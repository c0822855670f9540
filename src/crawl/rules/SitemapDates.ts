import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { hasSitemap, readSitemap } from "./Preconditions.ts"
import { type Rule, siteWide } from "./Rule.ts"
import { again, find } from "./Sitemaps.ts"

const day = 86_400_000
/** Pages that may well have changed at one moment. */
const fewPages = 20

/** The latest date lies further ahead than the zones of the earth are apart. */
const future = ({ now, sitemap }: AnalysedSite): string | null => {
  const latest = sitemap?.dates.latest ?? null
  return latest !== null && latest.millis > now + day ? `${latest.url} is said to change on ${latest.written}` : null
}

/** All pages are said to have changed at one moment. */
const uniform = ({ sitemap }: AnalysedSite): string | null => {
  if (sitemap === null) return null
  const { dated, only } = sitemap.dates
  return only !== null && dated > fewPages && dated === sitemap.urls.length
    ? `all ${dated} addresses have the one date ${only}`
    : null
}

/** What sitemaps say of the time at which pages changed. */
export const sitemapDates: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "sitemap_lastmod_implausible",
      name: "Implausible dates in the sitemap",
      category: "sitemaps",
      severity: "info",
      means:
        "lastmod of a sitemap lies in the future, or is the same for all of more than 20 addresses. Engines that find dates untrue ignore all of them.",
      fix: "Write the day on which the content of each page changed, or leave lastmod out.",
      source: "Google Search Central, Build and submit a sitemap, Additional notes about XML sitemaps",
      guidance: {
        why: "Engines use lastmod only as long as it proves to be true; after that changed pages are fetched later.",
        goal: "Let lastmod say when the content of each page changed",
        find,
        steps: [
          "Look where the generator takes lastmod from: mostly the time of the build or of the request.",
          "Take the date of the content: its last edit, or its last commit.",
          "Leave lastmod out for pages without such a date.",
          again
        ],
        never: "spread invented dates"
      }
    },
    (site) => {
      const ahead = future(site)
      if (ahead !== null) return { detail: ahead, value: site.sitemap?.dates.latest?.written, place: "sitemap" }
      const same = uniform(site)
      return same === null ? null : { detail: same, value: site.sitemap?.dates.only ?? undefined, place: "sitemap" }
    },
    // A date in the future stands, whatever else the sitemaps say.
    (site) => hasSitemap(site) ?? (future(site) === null ? readSitemap(site) : null)
  )
]
