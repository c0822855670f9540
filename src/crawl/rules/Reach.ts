import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { all, hasSitemap, readSitemap, sawEverything } from "./Gates.ts"
import { links as guidance } from "./guidance/Links.ts"
import { isEligible, perPage, type Rule, siteWide } from "./Rule.ts"
import { leadsTo, sameFile, some } from "./Targets.ts"

/** Clicks from the start page that a page may be away. */
export const deep = 4

/** A link to a redirect is a link to where it ends, and one to a page that names another as its canonical is one to that. */
const credited = perSite(({ pages }): ReadonlySet<string> => {
  const linked = pages.filter(({ record }) => record.linkedFromCount > 0)
  const reached = new Set(linked.map(({ chain, url }) => chain.target?.url ?? url))
  const named = pages.flatMap(({ canonical, url }) =>
    reached.has(url) && canonical.url !== null ? [canonical.url] : []
  )
  return new Set([...reached, ...named])
})

const isLinked = (page: AnalysedPage, site: AnalysedSite): boolean => {
  const isReached = ({ record, url }: AnalysedPage) => record.linkedFromCount > 0 || credited(site).has(url)
  // A folder and its index file are one page, which `content_duplicate` reports.
  return isReached(page) || sameFile(site)(page).some(isReached)
}

/** Whether the whole site and its whole sitemap were read. */
const knowsOrphans = perSite((site) => all(hasSitemap, readSitemap, sawEverything)(site) === null)

/** How pages are reached from one another. */
export const reach: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "dead_end",
      category: "links",
      severity: "info",
      means: "The page links to no other page of the site, so visitors and crawlers stop here.",
      fix: "Link to related pages, or at least to the start page.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: guidance.dead_end
    },
    (page, site) => (leadsTo(page, site, () => true) ? null : "no link to another page of the site")
  ),
  perPage(
    {
      id: "page_deep",
      name: "Page far from the start",
      category: "links",
      severity: "info",
      means: `The page is more than ${deep} clicks from the start page.`,
      fix: "Link to it from a page nearer to the start.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: guidance.page_deep
    },
    ({ record }) => (record.depth !== null && record.depth > deep ? `${record.depth} clicks` : null),
    {
      // A shorter way may lead through what a run does not look at.
      among: (_, { isPart }) => !isPart,
      gate: sawEverything,
      nothing: "no page could be read, or the run covered only part of the site"
    }
  ),
  perPage(
    {
      id: "orphan_page",
      category: "links",
      severity: "warning",
      means: "The sitemap lists pages that no page of the site links to.",
      fix: "Link to them, or remove them.",
      source: "Google Search Central, Site hierarchy and links",
      needsRendering: true,
      eligibleOnly: true,
      guidance: guidance.orphan_page
    },
    (page, site) => (page.record.inSitemap && !isLinked(page, site) ? "in the sitemap, without a link" : null),
    {
      // Of a site seen in part any page may have a link on the part not seen, so even a failure cannot be claimed.
      among: (page, site) => isEligible(page) && page.url !== site.start.href && knowsOrphans(site),
      nothing: "orphans are only known when the whole site and its whole sitemap were read"
    }
  ),
  siteWide(
    {
      id: "endless_addresses",
      category: "links",
      severity: "warning",
      means:
        "Links lead into addresses without end: paths that repeat themselves, session ids, combined filters, or calendars. Crawlers lose their budget there.",
      fix: "Make relative links absolute and answer 404 for paths that do not exist; keep sessions in cookies; disallow combined filters and far dates in robots.txt.",
      source: "Google Search Central, Managing crawl budget for large sites",
      guidance: guidance.endless_addresses
    },
    ({ endless }) => (endless.length === 0 ? null : some(endless))
  )
]
