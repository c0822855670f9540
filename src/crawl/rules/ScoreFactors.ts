import { reasonWords } from "../report/Labels.ts"
import { type Rule, siteWide } from "./Rule.ts"
import { meant, origin, robotsMetaGuide, sawEverything, standings } from "./Targets.ts"

const find = `${origin} Also check robots.txt and canonicals that point to other pages.`
const technical = "Google Search Central, Google Search technical requirements"
const inPart = "the crawl covered only a part of the site"

/** Checks that are factors of the whole score, which is their only impact. */
export const scoreFactors: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "no_eligible_page",
      name: "No indexable page",
      category: "indexability",
      severity: "critical",
      means: "No page of the site is indexable: each page is hidden from search or returns an error.",
      fix: "Make the pages that people should find crawlable and indexable, starting with the start page.",
      source: technical,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Search engines cannot show any page of the site.",
        goal: "Make the pages that people should find return 200 and indexable",
        find: `${find} The cause is usually in one place: a shared layout, the server configuration or an environment setting.`,
        steps: [
          meant,
          "Find what all pages share: noindex in a layout or header, a Disallow for the whole site, one canonical on all pages, or server errors.",
          "Remove it at its source. If it is for staging only, make it depend on the environment.",
          "Request the start page and three other pages, and check status, robots directives and canonical."
        ],
        never: "make private or unfinished pages indexable"
      }
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      return up > 0 || hidden + down === 0 ? null : `${hidden} pages are hidden, ${down} return an error`
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      if (up > 0) return null
      return site.isPart ? inPart : hidden + down === 0 ? "no page of the site has a result" : null
    }
  ),
  siteWide(
    {
      id: "start_unavailable",
      name: "Start page missing from search",
      category: "indexability",
      severity: "critical",
      means: "The start page is hidden from search engines or returns an error.",
      fix: "Make the start page return 200, crawlable and indexable, with a canonical to itself.",
      source: technical,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Brand searches and most external links lead to the start page.",
        goal: "Make the start page return 200 and indexable",
        find: `${find} Or what serves the path of the start page: a route, an index file or a rewrite.`,
        steps: [
          meant,
          "Hidden: remove what hides it; start_hidden or start_blocked names the cause.",
          "Error: fix what serves its path, using the server log.",
          "Request it without cookies, and check status, robots directives and canonical."
        ],
        never: "redirect the start page to another site, or to a page about only a part of the site"
      }
    },
    (site) => {
      const { start } = standings(site)
      if (start !== "hidden" && start !== "down") return null
      const page = site.find(site.start.href)
      return `the start page ${start === "down" ? "returns an error" : "is hidden"}${page === undefined ? "" : `: ${reasonWords[page.reason]}`}`
    },
    (site) => (standings(site).start === null ? "the start page has no result" : null)
  ),
  siteWide(
    {
      id: "mostly_hidden",
      name: "Most pages are not indexable",
      category: "indexability",
      severity: "critical",
      means:
        "More than half of the site's pages are hidden from search engines by robots.txt, noindex or a canonical to another page.",
      fix: "Make the pages indexable that people should find, and link less to pages that should stay hidden.",
      source: robotsMetaGuide,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Hidden pages get no search traffic, and crawlers spend most of their time on them.",
        goal: "Make more than half of the site's pages indexable: those that people should find",
        find: `${find} Group the hidden pages by path and reason: usually one template or one line hides them.`,
        steps: [
          meant,
          "If a template, header or robots.txt line hides pages that people should find, remove or narrow it at its source.",
          "If filters, sorting and print versions are hidden, do not link to them: use forms or buttons, or drop their parameters from links.",
          "If a page with its own content is canonicalized to another page, point its canonical to itself."
        ],
        never: "make private pages or duplicates indexable"
      }
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      return 2 * hidden > up + hidden + down ? `${hidden} of ${up + hidden + down} known pages are hidden` : null
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      if (site.isPart) return inPart
      return 2 * hidden > up + hidden + down ? null : sawEverything(site)
    }
  )
]
