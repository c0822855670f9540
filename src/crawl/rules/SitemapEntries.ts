import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { reasonWords } from "../report/Labels.ts"
import { healthStateOf, isOpen } from "../report/MeasuredPage.ts"
import { type Fault, isEligible, perPage, perUrl, type Rule } from "./Rule.ts"
import { again, find, onlyEligible } from "./Sitemaps.ts"
import { all, hasSitemap, readSitemap, sameFile } from "./Targets.ts"

const guide = "Google Search Central, Build and submit a sitemap"
const listed = ({ record }: AnalysedPage): boolean => record.inSitemap
const nothing = "the sitemap lists no URL"

const listedThat =
  (holds: (page: AnalysedPage) => boolean) =>
  (page: AnalysedPage): Fault | null =>
    holds(page) ? { detail: reasonWords[page.reason], value: page.url, place: "sitemap" } : null

/** Every listed URL was requested or has a verdict; non-HTML files may be listed. */
const sawListed = (site: AnalysedSite): string | null => {
  const open = site.pages.filter((page) => listed(page) && isOpen(page.reason)).length
  return open === 0 && site.unlisted === 0 ? null : "some URLs of the sitemap were not crawled"
}

const precondition = all(readSitemap, sawListed)

/** Pages that the sitemap lists by a URL that redirects to them or has them as canonical: other checks cover them. */
const namedOtherwise = perSite(({ pages }): ReadonlySet<string> => {
  const others = pages.filter(listed)
  return new Set(
    others.flatMap(({ canonical, chain }) => [chain.target?.url, canonical.url].filter((url) => url != null))
  )
})

/** Whether the read sitemaps may list a page: a sitemap in a folder may list only URLs of that folder. */
const mayList = ({ sitemap }: AnalysedSite, { url }: AnalysedPage): boolean =>
  new URL(url).pathname.startsWith(sitemap?.folder ?? "/")

/** Checks of URLs in sitemaps. */
export const sitemapEntries: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "sitemap_lists_errors",
      name: "Broken URLs in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that return an error.",
      fix: "Remove them from the sitemap, or restore the pages.",
      source: guide,
      restsOn: "confirmed",
      guidance: {
        why: "Search engines waste requests on them and trust the sitemap less.",
        goal: "Remove pages that return an error from the sitemap",
        find,
        steps: [
          "Restore or redirect pages that were removed by mistake.",
          "Remove the others from what the generator uses: drafts, deleted records or old routes.",
          again
        ],
        never: "let missing pages return 200"
      }
    },
    listed,
    listedThat(({ reason }) => healthStateOf[reason] === "failed"),
    { nothing, precondition }
  ),
  perUrl(
    {
      id: "sitemap_lists_redirects",
      name: "Redirects in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists URLs that redirect.",
      fix: "List the final URLs.",
      source: guide,
      guidance: {
        why: "A sitemap should list final URLs only. Redirects waste crawl budget.",
        goal: "List the URLs at which the pages are served",
        find: `${find} Usually scheme, host (www) and trailing slash of its URLs differ from the server's.`,
        steps: [
          "Set base URL and trailing slash of the generator as the server uses them.",
          "List the targets of moved pages.",
          again
        ],
        never: "remove the redirects"
      }
    },
    listed,
    listedThat(({ reason }) => healthStateOf[reason] === "redirect"),
    { nothing, precondition }
  ),
  perUrl(
    {
      id: "sitemap_lists_noindex",
      name: "Noindex pages in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that have noindex.",
      fix: "Remove them from the sitemap, or remove their noindex.",
      source: guide,
      guidance: {
        why: "The sitemap asks search engines to index pages that forbid it.",
        goal: "Remove noindex pages from the sitemap",
        find: `${find} Also find the source of noindex on the listed pages.`,
        steps: [
          "Decide for each page whether it should appear in search.",
          "If so, remove its noindex. If not, exclude such pages in the generator.",
          again
        ],
        never: "remove noindex from all of them at once"
      }
    },
    listed,
    listedThat(({ reason }) => reason === "noindex_meta" || reason === "noindex_header"),
    { nothing, precondition }
  ),
  perUrl(
    {
      id: "sitemap_lists_canonicalised",
      name: "Canonicalized pages in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that are canonicalized to another page.",
      fix: "List only canonical pages.",
      source: guide,
      guidance: {
        why: "The sitemap promotes duplicates instead of the pages that you want in search.",
        goal: "List only canonical pages in the sitemap",
        find,
        steps: [
          "Check that the canonicals of the listed pages are correct.",
          "Let the generator skip pages that are canonicalized to another page, and list that page.",
          again
        ],
        never: "change canonicals to match the sitemap"
      }
    },
    listed,
    listedThat(({ reason }) => reason === "canonical_elsewhere" || reason === "canonical_variant"),
    { nothing, precondition }
  ),
  perUrl(
    {
      id: "sitemap_lists_blocked",
      name: "Blocked URLs in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists URLs that robots.txt blocks.",
      fix: "Allow them in robots.txt, or remove them from the sitemap.",
      source: `${guide}; RFC 9309 §2.2`,
      guidance: {
        why: "The sitemap asks search engines to crawl URLs that robots.txt blocks.",
        goal: "List only URLs that robots.txt allows",
        find: `${find} Also find the robots.txt line that blocks the listed URLs.`,
        steps: [
          "Decide for each URL whether it should be crawled.",
          "If so, narrow the robots.txt rule. If not, exclude the URL in the generator.",
          again
        ],
        never: "remove a Disallow that protects private pages"
      }
    },
    listed,
    listedThat(({ reason }) => reason === "blocked_by_robots"),
    { nothing, precondition }
  ),
  perPage(
    {
      id: "page_not_in_sitemap",
      name: "Indexable page not in the sitemap",
      category: "sitemaps",
      severity: "info",
      means: "Indexable pages are missing from the sitemap.",
      fix: "Add the pages to the sitemap.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search engines discover and recrawl pages outside the sitemap later.",
        goal: "Add each listed page to the sitemap",
        find,
        steps: [
          "Find out why the generator misses the pages: a content type, route, date or language that it does not include.",
          "Add that source.",
          onlyEligible,
          again
        ],
        never: "add the URLs by hand to a generated file"
      }
    },
    (page, site) =>
      [page, ...sameFile(site)(page)].some((each) => listed(each) || namedOtherwise(site).has(each.url))
        ? null
        : "not in the sitemap",
    {
      among: (page, site) => isEligible(page) && all(hasSitemap, readSitemap)(site) === null && mayList(site, page),
      nothing: "the site has no sitemap that was read completely"
    }
  )
]
