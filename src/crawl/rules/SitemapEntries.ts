import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf, isOpen } from "../report/MeasuredPage.ts"
import { type Fault, isEligible, perPage, perUrl, type Rule } from "./Rule.ts"
import { again, find, onlyEligible } from "./Sitemaps.ts"
import { all, hasSitemap, readSitemap, sameFile } from "./Targets.ts"

const guide = "Google Search Central, Build and submit a sitemap"
const listed = ({ record }: AnalysedPage): boolean => record.inSitemap
const nothing = "no URL of a sitemap was met"

const listedThat =
  (holds: (page: AnalysedPage) => boolean) =>
  (page: AnalysedPage): Fault | null =>
    holds(page) ? { detail: page.reason, value: page.url, place: "sitemap" } : null

/** Every listed URL was requested or has a verdict; a file that is no page may be listed. */
const sawListed = (site: AnalysedSite): string | null => {
  const open = site.pages.filter((page) => listed(page) && isOpen(page.reason)).length
  return open === 0 && site.unlisted === 0 ? null : "not every URL of the sitemap was reached"
}

const precondition = all(readSitemap, sawListed)

/** Pages that the sitemap names by an address that redirects to them or names them as its canonical: other rules cover that. */
const namedOtherwise = perSite(({ pages }): ReadonlySet<string> => {
  const others = pages.filter(listed)
  return new Set(
    others.flatMap(({ canonical, chain }) => [chain.target?.url, canonical.url].filter((url) => url != null))
  )
})

/** Whether the sitemaps that were read may list a page: one below a folder speaks for that folder alone. */
const mayList = ({ sitemap }: AnalysedSite, { url }: AnalysedPage): boolean =>
  new URL(url).pathname.startsWith(sitemap?.folder ?? "/")

/** What is wrong with the addresses that sitemaps list. */
export const sitemapEntries: ReadonlyArray<Rule> = [
  perUrl(
    {
      id: "sitemap_lists_errors",
      name: "Errors in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that answer an error.",
      fix: "Remove them from the sitemap or restore the pages.",
      source: guide,
      restsOn: "confirmed",
      guidance: {
        why: "Engines trust a sitemap less when it lists what is not there.",
        goal: "List no page that answers an error",
        find,
        steps: [
          "Restore or redirect pages that went by mistake.",
          "Take the others out of what the generator reads: drafts, deleted records, old routes.",
          again
        ],
        never: "let missing pages answer 200"
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
      means: "The sitemap lists addresses that redirect.",
      fix: "List the final addresses.",
      source: guide,
      guidance: {
        why: "Engines are sent to addresses that are not pages.",
        goal: "List the addresses at which the pages are served",
        find: `${find} Scheme, host (www) and trailing slash of its addresses mostly differ from the server's.`,
        steps: [
          "Set base address and slash of the generator as the server wants them.",
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
      name: "noindex pages in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that ask not to be indexed.",
      fix: "Remove them from the sitemap, or remove their noindex.",
      source: guide,
      guidance: {
        why: "The sitemap asks engines to index what the page forbids.",
        goal: "List no page that asks not to be indexed",
        find: `${find} And the origin of noindex on the listed pages.`,
        steps: [
          "Decide for each page whether it should be found.",
          "If so, remove its noindex. If not, let the generator leave such pages out.",
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
      name: "Canonicalised pages in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists pages that name another page as canonical.",
      fix: "List the canonical pages only.",
      source: guide,
      guidance: {
        why: "The sitemap names copies, where the pages themselves name their original.",
        goal: "List the canonical pages only",
        find,
        steps: [
          "Check that the canonicals of the listed pages are right.",
          "Let the generator leave out pages whose canonical is another, and list that one.",
          again
        ],
        never: "change canonicals to suit the sitemap"
      }
    },
    listed,
    listedThat(({ reason }) => reason === "canonical_elsewhere" || reason === "canonical_variant"),
    { nothing, precondition }
  ),
  perUrl(
    {
      id: "sitemap_lists_blocked",
      name: "Blocked pages in the sitemap",
      category: "sitemaps",
      severity: "warning",
      means: "The sitemap lists addresses that robots.txt forbids to crawl.",
      fix: "Allow them, or remove them from the sitemap.",
      source: `${guide}; RFC 9309 §2.2`,
      guidance: {
        why: "The sitemap asks engines to fetch what robots.txt forbids.",
        goal: "List only addresses that robots.txt allows",
        find: `${find} And the line of robots.txt that forbids the listed addresses.`,
        steps: [
          "Decide for each address whether it should be crawled.",
          "If so, narrow the rule. If not, let the generator leave it out.",
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
      name: "Page not in the sitemap",
      category: "sitemaps",
      severity: "info",
      means: "Pages that may be indexed are missing from the sitemap.",
      fix: "Add them.",
      source: guide,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Pages outside of the sitemap are found and refreshed later.",
        goal: "List each listed page in the sitemap",
        find,
        steps: [
          "Find out why the generator misses the pages: a content type, a route, a date or a language that it does not read.",
          "Add that source.",
          onlyEligible,
          again
        ],
        never: "add the addresses by hand to a generated file"
      }
    },
    (page, site) =>
      [page, ...sameFile(site)(page)].some((each) => listed(each) || namedOtherwise(site).has(each.url))
        ? null
        : "not listed",
    {
      among: (page, site) => isEligible(page) && all(hasSitemap, readSitemap)(site) === null && mayList(site, page),
      nothing: "the site has no sitemap that was read in full"
    }
  )
]
