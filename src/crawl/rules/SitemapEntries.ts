import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import { all, hasSitemap, readSitemap } from "./Gates.ts"
import { sitemaps as guidance } from "./guidance/Sitemaps.ts"
import { isEligible, perPage, perUrl, type Rule } from "./Rule.ts"
import { sameFile } from "./Targets.ts"

const guide = "Google Search Central, Build and submit a sitemap"
const listed = ({ record }: AnalysedPage): boolean => record.inSitemap
const nothing = "no URL of a sitemap was met"

const listedThat = (holds: (page: AnalysedPage) => boolean) => (page: AnalysedPage) =>
  holds(page) ? page.reason : null

/** Every listed URL was requested or has a verdict. */
const sawListed = (site: AnalysedSite): string | null => {
  const open = site.pages.filter((page) => listed(page) && healthStateOf[page.reason] === "unchecked").length
  return open === 0 && site.unlisted === 0 ? null : "not every URL of the sitemap was reached"
}

const gate = all(readSitemap, sawListed)

/** Pages that the sitemap names by an address that redirects to them or names them as its canonical: other rules cover that. */
const namedOtherwise = perSite(({ pages }): ReadonlySet<string> => {
  const others = pages.filter(listed)
  return new Set(
    others.flatMap(({ canonical, chain }) => [chain.target?.url, canonical.url].filter((url) => url != null))
  )
})

/** What is wrong with the addresses that sitemaps list. */
export const sitemapEntries: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "sitemap_lists_errors",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that answer an error.",
      fix: "Remove them from the sitemap or restore the pages.",
      source: guide,
      restsOn: "confirmed",
      guidance: guidance.sitemap_lists_errors
    },
    listed,
    listedThat(({ reason }) => healthStateOf[reason] === "failed"),
    { nothing, gate }
  ),
  perUrl(
    {
      id: "sitemap_lists_redirects",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists addresses that redirect.",
      fix: "List the final addresses.",
      source: guide,
      guidance: guidance.sitemap_lists_redirects
    },
    listed,
    listedThat(({ reason }) => healthStateOf[reason] === "redirect"),
    { nothing, gate }
  ),
  perUrl(
    {
      id: "sitemap_lists_noindex",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that ask not to be indexed.",
      fix: "Remove them from the sitemap, or remove their noindex.",
      source: guide,
      guidance: guidance.sitemap_lists_noindex
    },
    listed,
    listedThat(({ reason }) => reason === "noindex_meta" || reason === "noindex_header"),
    { nothing, gate }
  ),
  perUrl(
    {
      id: "sitemap_lists_canonicalised",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that name another page as canonical.",
      fix: "List the canonical pages only.",
      source: guide,
      guidance: guidance.sitemap_lists_canonicalised
    },
    listed,
    listedThat(({ reason }) => reason === "canonical_elsewhere"),
    { nothing, gate }
  ),
  perUrl(
    {
      id: "sitemap_lists_blocked",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists addresses that robots.txt forbids to crawl.",
      fix: "Allow them, or remove them from the sitemap.",
      source: `${guide}; RFC 9309 §2.2`,
      guidance: guidance.sitemap_lists_blocked
    },
    listed,
    listedThat(({ reason }) => reason === "blocked_by_robots"),
    { nothing, gate }
  ),
  perPage(
    {
      id: "page_not_in_sitemap",
      name: "Page not in the sitemap",
      category: "sitemaps",
      severity: "info",
      means: "Pages that may be indexed are missing from the sitemap.",
      fix: "Add them.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: guidance.page_not_in_sitemap
    },
    (page, site) =>
      [page, ...sameFile(site)(page)].some((each) => listed(each) || namedOtherwise(site).has(each.url))
        ? null
        : "not listed",
    {
      among: (page, site) => isEligible(page) && all(hasSitemap, readSitemap)(site) === null,
      nothing: "the site has no sitemap that was read in full"
    }
  )
]
