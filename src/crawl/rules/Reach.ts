import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { sameSite } from "../site/Site.ts"
import { isEligible, perPage, type ReadPage, type Rule, siteWide } from "./Rule.ts"
import { all, hasSitemap, leadsTo, leftNothingOut, readSitemap, sameFile, sawEverything, some } from "./Targets.ts"

/** Maximum clicks from the start page to a page. */
export const deep = 4

/** URLs with a link or the credit of one: a link to a redirect counts for its end, a link to a canonicalized page for its canonical. */
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
  // A folder and its index file are one page, which `address_twins` reports.
  return isReached(page) || sameFile(site)(page).some(isReached)
}

/** The crawl saw all of the site, so no unseen page may be on a path. */
const sawPaths = all(sawEverything, leftNothingOut)

/** Whether the crawl read the whole site and its whole sitemap. */
const knowsOrphans = perSite((site) => all(hasSitemap, readSitemap, sawPaths)(site) === null)

const knowsPaths = perSite((site) => sawPaths(site) === null)

/** Whether a path of links from the start reaches the page, its index file, or a page that it is the canonical of. */
const hasPath = perSite((site): ((page: AnalysedPage) => boolean) => {
  const reached = site.pages.filter(({ record }) => record.depth !== null)
  const urls = new Set(reached.flatMap(({ canonical, url }) => (canonical.url === null ? [url] : [url, canonical.url])))
  return (page) => [page, ...sameFile(site)(page)].some(({ url }) => urls.has(url))
})

/** Whether a page links to a URL of the site beyond the cap of kept URLs. */
const leadsBeyond = ({ visit }: ReadPage, { find, start, unlisted }: AnalysedSite): boolean =>
  unlisted > 0 &&
  visit.facts.links.some(
    ({ target }) => target.followable && find(target.url) === undefined && sameSite(start, new URL(target.url))
  )

/** Checks of paths between pages. */
export const reach: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "dead_end",
      name: "Page without internal outlinks",
      category: "links",
      severity: "info",
      means: "The page links to no other page of the site.",
      fix: "Link to related pages, or at least to the start page.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: {
        why: "Visitors and crawlers have no way to continue, and the page passes on no link equity.",
        goal: "Add links to other pages of the site on each listed page",
        find: "Find the template of these pages: usually one without the shared navigation, such as a landing page, a document or an error page.",
        steps: [
          "Include the shared navigation, or a link to the start page.",
          "Link to pages on the same topic.",
          "Check that the links are in the HTML and not only added by scripts."
        ],
        never: "add hidden links"
      }
    },
    (page, site) =>
      leadsTo(page, site, () => true) || leadsBeyond(page, site) ? null : "no link to another page of the site"
  ),
  perPage(
    {
      id: "page_deep",
      name: `Crawl depth over ${deep}`,
      category: "links",
      severity: "info",
      means: `The page is more than ${deep} clicks from the start page.`,
      fix: "Link to it from a page closer to the start page.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: {
        why: "Crawlers discover deep pages late, and few visitors reach them.",
        goal: "Reduce the crawl depth of each listed page",
        find: "Find how people get to these pages: category and list pages, their pagination and the navigation.",
        steps: [
          "Link to the most important pages from a hub close to the start page.",
          "Let long lists link to several of their pages (1, 2, 3 … last), or show more items on each.",
          "Link between pages on the same topic."
        ],
        never: "link to all pages from the footer"
      }
    },
    ({ record }) => (record.depth !== null && record.depth > deep ? `${record.depth} clicks` : null),
    {
      // A shorter path may lead through an unseen page.
      among: (_, site) => !site.isPart && leftNothingOut(site) === null,
      precondition: sawEverything,
      nothing: "no page could be crawled, or the crawl covered only a part of the site"
    }
  ),
  perPage(
    {
      id: "orphan_page",
      name: "Orphan page",
      category: "links",
      severity: "warning",
      means: "The page is in the sitemap, but no page of the site links to it.",
      fix: "Link to the page, or remove it from the sitemap.",
      source: "Google Search Central, Site hierarchy and links",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search engines consider pages without internal links unimportant, and visitors never find them.",
        goal: "Link to each listed page from another page, or remove it from the sitemap",
        find: "Find where such pages should be listed (navigation, category pages or lists), and what adds them to the sitemap.",
        steps: [
          "Decide whether the page is still needed.",
          "Needed: link to it from the page that lists similar pages.",
          "Not needed: remove it from the sitemap, and redirect or delete it."
        ],
        never: "add a hidden page of links"
      }
    },
    (page, site) => (page.record.inSitemap && !isLinked(page, site) ? "in the sitemap, but not linked" : null),
    {
      // In a partial crawl any page may have a link on an unseen page, so even a failure is uncertain.
      among: (page, site) => isEligible(page) && page.url !== site.start.href && knowsOrphans(site),
      nothing: "detecting orphan pages needs a crawl of the whole site and its sitemap"
    }
  ),
  perPage(
    {
      id: "unreachable_page",
      name: "Page not reachable from the start page",
      category: "links",
      severity: "warning",
      means:
        "Other pages link to this page, but no path of links leads to it from the start page, even with nofollow links.",
      fix: "Link to it, or to the pages that lead to it, from a page that is reachable from the start page.",
      source: "Google Search Central, SEO link best practices; Site hierarchy and links",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Visitors who enter at the start page never get there, and search engines consider such pages unimportant.",
        goal: "Make each listed page reachable by links from the start page",
        find: "Find the group that the listed pages form (an old section, documentation version, language or campaign), and where the rest of the site should link to it.",
        steps: [
          "Decide whether the group is still needed.",
          "Needed: link to its entry page from the navigation, or from the page that lists similar pages.",
          "Not needed: redirect its pages to their replacements, and remove them from the sitemap."
        ],
        never: "link to all of them from the footer"
      }
    },
    (page, site) =>
      page.record.depth === null && isLinked(page, site) && !hasPath(site)(page)
        ? `linked from ${page.record.linkedFrom[0] ?? "another URL of it"}, but not reachable from the start page`
        : null,
    {
      // The path may lead through an unseen page, so even a failure is uncertain.
      among: (page, site) => isEligible(page) && page.url !== site.start.href && knowsPaths(site),
      nothing: "detecting unreachable pages needs a crawl of the whole site"
    }
  ),
  siteWide(
    {
      id: "endless_addresses",
      name: "Endless URLs (crawler trap)",
      category: "links",
      severity: "warning",
      means: "Links lead to an endless number of URLs: repeating paths, session ids, combined filters or calendars.",
      fix: "Make relative links absolute, return 404 for paths that do not exist, keep sessions in cookies, and disallow combined filters in robots.txt.",
      source: "Google Search Central, Managing crawl budget for large sites",
      guidance: {
        why: "Crawlers waste their crawl budget on these URLs and discover real pages later.",
        goal: "Remove links that lead to endless URLs",
        find: "Find what generates the URLs in the evidence: relative links without a leading slash, filters, calendars or session ids.",
        steps: [
          "Make relative links absolute, and return 404 for repeating paths.",
          "Keep sessions in cookies. End calendars where there are no entries.",
          "Do not link to filter combinations, and disallow their parameters in robots.txt."
        ],
        never: "disallow the pages that the lists link to"
      }
    },
    ({ endless }) => (endless.length === 0 ? null : some(endless)),
    ({ endless, mayBeEndless: [first] }) =>
      endless.length === 0 && first !== undefined ? `the crawl ended before it fetched one of ${first}` : null
  )
]
