import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import type { SitemapFile } from "../report/Summary.ts"
import { all, hasSitemap, readSitemap } from "./Gates.ts"
import { isEligible, perPage, perUrl, type Rule, siteWide } from "./Rule.ts"
import { some } from "./Targets.ts"

const protocol = "sitemaps.org protocol"
const guide = "Google Search Central, Build and submit a sitemap"
const listed = ({ record }: AnalysedPage): boolean => record.inSitemap
const nothing = "no URL of a sitemap was met"
const unread = ({ sitemap }: AnalysedSite) => (sitemap === null ? "the run ended before the sitemap was read" : null)

/** robots.txt or an index names a sitemap; otherwise the run only looked at the usual place, where there need be none. */
const isNamed = ({ robots, sitemap }: AnalysedSite): boolean =>
  (robots?.robots?.sitemaps.length ?? 0) > 0 || (sitemap?.files.length ?? 0) > 1

/** Neither read nor refused: nothing is known of it. */
const isSilent = ({ problems, state }: SitemapFile): boolean => state === "unreachable" && problems.length === 0

const listedThat = (holds: (page: AnalysedPage) => boolean) => (page: AnalysedPage) =>
  holds(page) ? page.reason : null

/** Every listed URL was asked for or has a verdict. */
const sawListed = (site: AnalysedSite): string | null => {
  const open = site.pages.filter((page) => listed(page) && healthStateOf[page.reason] === "unchecked").length
  return open === 0 && site.unlisted === 0 ? null : "not every URL of the sitemap was reached"
}

const gate = all(readSitemap, sawListed)

export const sitemaps: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "sitemap_missing",
      category: "sitemaps",
      severity: "info",
      means: "The site has no sitemap, so pages without links may never be found.",
      fix: "Publish /sitemap.xml, or name its address in robots.txt.",
      source: `${protocol}, Informing search engine crawlers`
    },
    ({ sitemap }) => (sitemap?.files.every(({ state }) => state === "absent") === true ? "no sitemap was found" : null),
    unread
  ),
  siteWide(
    {
      id: "sitemap_invalid",
      category: "sitemaps",
      severity: "warning",
      means: "A sitemap cannot be read in full, or does not follow the protocol.",
      fix: "Correct the problems named in the evidence and validate the file against the schema.",
      source: `${protocol}, XML tag definitions`
    },
    (site) => {
      const faulty = (site.sitemap?.files ?? []).flatMap(({ problems, state, url }) => {
        if (state === "blocked_by_robots") return [`${url}: ${state}`]
        const kinds = problems.filter(({ kind }) => kind !== "foreign_host").map(({ kind }) => kind)
        return kinds.length === 0 ? [] : [`${url}: ${kinds.join(", ")}`]
      })
      return faulty.length === 0 ? null : some(faulty, 3)
    },
    (site) =>
      unread(site) ??
      (site.sitemap?.files.every(({ state }) => state === "absent") ? "the site has no sitemap" : null) ??
      (site.sitemap?.files.every(isSilent) ? "no sitemap answered" : null) ??
      (!isNamed(site) && site.sitemap?.files.every(({ state }) => state === "blocked_by_robots")
        ? "no sitemap is named, and robots.txt forbids the usual place"
        : null)
  ),
  siteWide(
    {
      id: "sitemap_named_but_absent",
      category: "sitemaps",
      severity: "warning",
      means: "robots.txt or a sitemap index names a sitemap that does not exist.",
      fix: "Publish the file or remove its line.",
      source: `${protocol}, Specifying the sitemap location in robots.txt`
    },
    (site) => {
      const absent = (site.sitemap?.files ?? []).filter(({ state }) => state === "absent").map(({ url }) => url)
      return isNamed(site) && absent.length > 0 ? some(absent) : null
    },
    unread
  ),
  siteWide(
    {
      id: "sitemap_foreign_urls",
      category: "sitemaps",
      severity: "warning",
      means: "A sitemap lists addresses of other hosts, which engines ignore.",
      fix: "List only addresses of the sitemap's own host.",
      source: `${protocol}, Sitemap file location`
    },
    ({ sitemap }) => (sitemap !== null && sitemap.foreignCount > 0 ? some(sitemap.foreign) : null),
    hasSitemap
  ),
  perUrl(
    {
      id: "sitemap_lists_errors",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that answer an error.",
      fix: "Remove them from the sitemap or restore the pages.",
      source: guide
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
      source: guide
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
      source: guide
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
      source: guide
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
      source: `${guide}; RFC 9309 §2.2`
    },
    listed,
    listedThat(({ reason }) => reason === "blocked_by_robots"),
    { nothing, gate }
  ),
  perPage(
    {
      id: "page_not_in_sitemap",
      category: "sitemaps",
      severity: "info",
      means: "Pages that may be indexed are missing from the sitemap.",
      fix: "Add them.",
      source: guide
    },
    ({ record }) => (record.inSitemap ? null : "not listed"),
    {
      among: (page, site) => isEligible(page) && all(hasSitemap, readSitemap)(site) === null,
      nothing: "the site has no sitemap that was read in full"
    }
  )
]
