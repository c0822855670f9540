import { type AnalysedPage, isDead } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { all, hasSitemap, readSitemap, sawEverything } from "./Gates.ts"
import { perSite } from "./PerSite.ts"
import { isEligible, perPage, type Rule, siteWide } from "./Rule.ts"
import { leadsTo, linkedPages, sameFile, some } from "./Targets.ts"

const crawlable = "Google Search Central, SEO link best practices"
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
  // A folder and its index file are one page, which `content_duplicate` tells.
  return isReached(page) || sameFile(site)(page).some(isReached)
}

/** Whether a link to it could give it credit: files, pages that ask not to be indexed and forbidden ones take none. */
const takesCredit = ({ reason }: AnalysedPage): boolean =>
  !/^(?:not_html|noindex_meta|noindex_header|blocked_by_robots)$/.test(reason)

/** Whether the whole site and its whole sitemap were read. */
const knowsOrphans = perSite((site) => all(hasSitemap, readSitemap, sawEverything)(site) === null)

export const links: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "broken_link",
      category: "links",
      severity: "critical",
      means: "The page links to pages of the site that answer 4xx or 5xx, confirmed by a second request.",
      fix: "Correct or remove the links named in the evidence.",
      source: `${crawlable}; RFC 9110 §15.5`
    },
    (page, site) => {
      if (!site.checkDeadLinks) return null
      const endOf = (target: AnalysedPage) =>
        target.chain.target === null ? target : (site.find(target.chain.target.url) ?? target)
      const dead = linkedPages(page, site, (target) => isDead(endOf(target))).map(
        ({ target, text }) => `"${text}" → ${target.url} (${endOf(target).visit?.status ?? ""})`
      )
      return dead.length === 0 ? null : some(dead, 3)
    },
    {
      gate: all(({ checkDeadLinks }) => (checkDeadLinks ? null : "checking links is turned off for the run"), sawEverything)
    }
  ),
  perPage(
    {
      id: "link_invalid",
      category: "links",
      severity: "warning",
      means: "Links cannot be parsed as a URL, so they cannot be followed.",
      fix: "Correct the addresses.",
      source: "URL standard §4.4; HTML standard §4.6.4"
    },
    ({ visit }) => {
      const invalid = visit.facts.links.flatMap(({ raw, target }) =>
        !target.followable && target.reason === "invalid" ? [`"${raw}"`] : []
      )
      return invalid.length === 0 ? null : some(invalid)
    }
  ),
  perPage(
    {
      id: "link_script",
      category: "links",
      severity: "warning",
      means: "Links run a script instead of naming an address, so crawlers cannot follow them.",
      fix: "Put the address into href and keep the script as an addition.",
      source: crawlable
    },
    ({ visit }) => {
      const scripts = visit.facts.links.filter(
        ({ isToggle, kind, target }) =>
          kind === "a" && !isToggle && !target.followable && target.detail === "javascript:"
      )
      return scripts.length === 0
        ? null
        : `${scripts.length} links: ${some(
            scripts.map(({ text }) => `"${text}"`),
            3
          )}`
    }
  ),
  perPage(
    {
      id: "link_text_missing",
      category: "links",
      severity: "warning",
      means: "Links have no text, no label and no image with an alternative text, so nothing says where they lead.",
      fix: "Give each link words, or its image an alt.",
      source: `${crawlable}; WCAG 2.2 success criterion 2.4.4; Accessible Name and Description Computation 1.2`
    },
    ({ visit }) => {
      const mute = visit.facts.links.filter(
        ({ isNamed, kind, target }) => kind === "a" && target.followable && !isNamed
      )
      return mute.length === 0 ? null : some(mute.map(({ raw }) => raw))
    }
  ),
  perPage(
    {
      id: "link_nofollow_internal",
      category: "links",
      severity: "info",
      means:
        "Links to pages of the same site that may be indexed carry nofollow, ugc or sponsored, which withholds credit from them.",
      fix: "Remove the token from internal links; use robots.txt to keep crawlers away.",
      source: "Google Search Central, Qualify your outbound links to Google"
    },
    ({ url, visit }, site) => {
      const own = visit.facts.links.filter(({ nofollow, target }) => {
        const found = nofollow && target.followable && target.url !== url ? site.find(target.url) : undefined
        return found !== undefined && takesCredit(found)
      })
      return own.length === 0 ? null : some(own.map(({ raw }) => raw))
    }
  ),
  perPage(
    {
      id: "dead_end",
      category: "links",
      severity: "info",
      means: "The page links to no other page of the site, so visitors and crawlers stop here.",
      fix: "Link to related pages, or at least to the start page.",
      source: crawlable
    },
    (page, site) => (leadsTo(page, site, () => true) ? null : "no link to another page of the site")
  ),
  perPage(
    {
      id: "page_deep",
      category: "links",
      severity: "info",
      means: `The page is more than ${deep} clicks from the start page.`,
      fix: "Link to it from a page nearer to the start.",
      source: crawlable
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
      source: "Google Search Central, Site hierarchy and links"
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
      source: "Google Search Central, Managing crawl budget for large sites"
    },
    ({ endless }) => (endless.length === 0 ? null : some(endless))
  )
]
