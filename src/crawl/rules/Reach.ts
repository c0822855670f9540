import { type AnalysedPage, type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { sameSite } from "../site/Site.ts"
import { isEligible, perPage, type ReadPage, type Rule, siteWide } from "./Rule.ts"
import { all, hasSitemap, leadsTo, leftNothingOut, readSitemap, sameFile, sawEverything, some } from "./Targets.ts"

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
  // A folder and its index file are one page, which `address_twins` reports.
  return isReached(page) || sameFile(site)(page).some(isReached)
}

/** Nothing of the site was left unseen through which a path may lead. */
const sawPaths = all(sawEverything, leftNothingOut)

/** Whether the whole site and its whole sitemap were read. */
const knowsOrphans = perSite((site) => all(hasSitemap, readSitemap, sawPaths)(site) === null)

const knowsPaths = perSite((site) => sawPaths(site) === null)

/** Reached by a path of links from the start, itself or by an address that is credited to it. */
const hasPath = perSite((site): ((page: AnalysedPage) => boolean) => {
  const reached = site.pages.filter(({ record }) => record.depth !== null)
  const urls = new Set(reached.flatMap(({ canonical, url }) => (canonical.url === null ? [url] : [url, canonical.url])))
  return (page) => [page, ...sameFile(site)(page)].some(({ url }) => urls.has(url))
})

/** Whether a page of a site with more addresses than the run keeps links to one of these. */
const leadsBeyond = ({ visit }: ReadPage, { find, start, unlisted }: AnalysedSite): boolean =>
  unlisted > 0 &&
  visit.facts.links.some(
    ({ target }) => target.followable && find(target.url) === undefined && sameSite(start, new URL(target.url))
  )

/** How pages are reached from one another. */
export const reach: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "dead_end",
      name: "Dead end",
      category: "links",
      severity: "info",
      means: "The page links to no other page of the site, so visitors and crawlers stop here.",
      fix: "Link to related pages, or at least to the start page.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: {
        why: "Visitors and crawlers stop at a page that leads nowhere.",
        goal: "Let each listed page link to other pages of the site",
        find: "Find the template of these pages: mostly one without the shared navigation, such as a landing page, a document or an error page.",
        steps: [
          "Include the shared navigation or a link to the start page.",
          "Link to pages on the same subject where there are some.",
          "Check that the links are in the HTML and not drawn by scripts only."
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
      name: "Page far from the start",
      category: "links",
      severity: "info",
      means: `The page is more than ${deep} clicks from the start page.`,
      fix: "Link to it from a page nearer to the start.",
      source: "Google Search Central, SEO link best practices",
      needsRendering: true,
      guidance: {
        why: "Pages many clicks away are found late by crawlers and seldom by people.",
        goal: "Bring each listed page nearer to the start page",
        find: "Find how people get to these pages: category and list pages, their paging, and the navigation.",
        steps: [
          "Link from a hub near the start to the pages that matter most.",
          "Let long lists link to several of their pages (1, 2, 3 … last), or show more entries on each.",
          "Link between pages on the same subject."
        ],
        never: "link to all pages from the footer"
      }
    },
    ({ record }) => (record.depth !== null && record.depth > deep ? `${record.depth} clicks` : null),
    {
      // A shorter way may lead through what a run does not look at.
      among: (_, site) => !site.isPart && leftNothingOut(site) === null,
      precondition: sawEverything,
      nothing: "no page could be read, or the run covered only part of the site"
    }
  ),
  perPage(
    {
      id: "orphan_page",
      name: "Orphan page",
      category: "links",
      severity: "warning",
      means: "The sitemap lists pages that no page of the site links to.",
      fix: "Link to them, or remove them.",
      source: "Google Search Central, Site hierarchy and links",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "A page without links is found by the sitemap alone, and people do not find it at all.",
        goal: "Let each listed page be linked from a page of the site, or take it out of the sitemap",
        find: "Find where such pages should be listed: navigation, category pages, lists; and what puts them into the sitemap.",
        steps: [
          "Decide whether the page is still wanted.",
          "Wanted: link to it from the page that lists its kind.",
          "Not wanted: remove it from the sitemap, and redirect or delete it."
        ],
        never: "add a hidden page of links"
      }
    },
    (page, site) => (page.record.inSitemap && !isLinked(page, site) ? "in the sitemap, without a link" : null),
    {
      // Of a site seen in part any page may have a link on the part not seen, so even a failure cannot be claimed.
      among: (page, site) => isEligible(page) && page.url !== site.start.href && knowsOrphans(site),
      nothing: "orphans are only known when the whole site and its whole sitemap were read"
    }
  ),
  perPage(
    {
      id: "unreachable_page",
      name: "Page without a path from the start",
      category: "links",
      severity: "warning",
      means:
        "Pages link to it, but no path of links leads there from the start page, also none through links with nofollow.",
      fix: "Link to it, or to the pages that lead to it, from a page that the start page leads to.",
      source: "Google Search Central, SEO link best practices; Site hierarchy and links",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "People who come in by the start page never get there, and engines take what stands apart from the site for unimportant.",
        goal: "Let a path of links lead from the start page to each listed page",
        find: "Find the group that the listed pages form: an old section, a version of the documentation, a language or a campaign, and where the rest of the site should lead into it.",
        steps: [
          "Decide whether the group is still wanted.",
          "Wanted: link to its entry from the navigation or from the page that lists its kind.",
          "Not wanted: redirect its pages to what replaced them, and take them out of the sitemap."
        ],
        never: "link to all of them from the footer"
      }
    },
    (page, site) =>
      page.record.depth === null && isLinked(page, site) && !hasPath(site)(page)
        ? `linked from ${page.record.linkedFrom[0] ?? "another address of it"}, without a path from the start`
        : null,
    {
      // On the part of a site that was not seen may lie the path, so even a failure cannot be claimed.
      among: (page, site) => isEligible(page) && page.url !== site.start.href && knowsPaths(site),
      nothing: "paths are only known when the whole site was read"
    }
  ),
  siteWide(
    {
      id: "endless_addresses",
      name: "Endless addresses",
      category: "links",
      severity: "warning",
      means:
        "Links lead into addresses without end: paths that repeat themselves, session ids, combined filters, or calendars. Crawlers lose their budget there.",
      fix: "Make relative links absolute and answer 404 for paths that do not exist; keep sessions in cookies; disallow combined filters and far dates in robots.txt.",
      source: "Google Search Central, Managing crawl budget for large sites",
      guidance: {
        why: "Crawlers spend their time in addresses without end, and see real pages later.",
        goal: "Let no link of the site lead into addresses without end",
        find: "Find what makes the addresses of the evidence: relative links without a leading slash, filters, calendars, or session ids.",
        steps: [
          "Make relative links absolute, and answer 404 for paths that repeat themselves.",
          "Keep sessions in cookies. Let calendars end where there are no entries.",
          "Do not link to combinations of filters, and disallow their parameters in robots.txt."
        ],
        never: "disallow the pages that the lists lead to"
      }
    },
    ({ endless }) => (endless.length === 0 ? null : some(endless)),
    ({ endless, mayBeEndless: [first] }) =>
      endless.length === 0 && first !== undefined ? `the run ended before it had read one of ${first}` : null
  )
]
