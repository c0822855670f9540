import { type Rule, siteWide } from "./Rule.ts"
import { meant, origin, robotsMetaGuide, sawEverything, standings } from "./Targets.ts"

const find = `${origin} Also a line of robots.txt, or a canonical that names another page.`
const technical = "Google Search Central, Google Search technical requirements"
const inPart = "the run covered only part of the site"

/** What holds down the score of the whole site. The factor is all that these cost. */
export const scoreFactors: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "no_eligible_page",
      name: "No page may be indexed",
      category: "indexability",
      severity: "critical",
      means:
        "No page of the site may be indexed: each is hidden or answers an error. Search engines can show none of it.",
      fix: "Let the pages that people should find be crawled and indexed, the start page first.",
      source: technical,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "A site without a page in the index is not found at all, however good its pages are.",
        goal: "Let the pages of the site that people should find answer 200 and be indexed",
        find: `${find} What concerns all pages stands in one place: a shared layout, the server's configuration, or a setting of the environment.`,
        steps: [
          meant,
          "Find what all pages have in common: noindex in a layout or header, a Disallow for the whole site, a canonical that names one page on all, or a server that answers errors.",
          "Remove it at its origin, and make a rule of staging depend on the environment.",
          "Request the start page and three others as they are served, and look at their status, robots directives and canonical."
        ],
        never: "let pages be indexed that hold private or unfinished content"
      }
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      return up > 0 || hidden + down === 0 ? null : `${hidden} pages are hidden, ${down} answer an error`
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      if (up > 0) return null
      return site.isPart ? inPart : hidden + down === 0 ? "no page of the site has a verdict" : null
    }
  ),
  siteWide(
    {
      id: "start_unavailable",
      name: "Start page not to be found",
      category: "indexability",
      severity: "critical",
      means:
        "The start page is hidden from search engines or answers an error, so the address that most people look for is not found.",
      fix: "Let the start page answer 200, be crawled, and be indexed with itself as its canonical.",
      source: technical,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "Searches for the name of the site lead to its start page, and links from elsewhere mostly do.",
        goal: "Let the start page answer 200 and be indexed",
        find: `${find} Or what serves the path of the start page: a route, an index file, a rewrite rule.`,
        steps: [
          meant,
          "Hidden: remove what hides it, which start_hidden or start_blocked names.",
          "An error: repair what answers at its path, which the server's log names.",
          "Request it as it is served, without cookies, and look at its status, robots directives and canonical."
        ],
        never: "redirect the start page to another site or to a page that is not about the whole"
      }
    },
    (site) => {
      const { start } = standings(site)
      if (start !== "hidden" && start !== "down") return null
      return `the start page is ${start === "down" ? "down" : "hidden"}: ${site.find(site.start.href)?.reason ?? ""}`
    },
    (site) => (standings(site).start === null ? "the start page has no verdict" : null)
  ),
  siteWide(
    {
      id: "mostly_hidden",
      name: "Most pages are hidden",
      category: "indexability",
      severity: "critical",
      means:
        "More than half of the site's pages are hidden from search engines, by robots.txt, noindex or a canonical that names another page.",
      fix: "Let the pages be indexed that people should find, and link less to those that are meant to be hidden.",
      source: robotsMetaGuide,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "What is hidden is not found; crawlers spend most of their time on pages that they may not show.",
        goal: "Let more than half of the site's pages be indexed, those that people should find",
        find: `${find} Group the hidden pages of the result by path and reason: mostly one template or one line hides them.`,
        steps: [
          meant,
          "Where a template, header or line of robots.txt hides pages that should be found, remove or narrow it at its origin.",
          "Where filters, sorting and print versions are hidden, do not link to them as pages: use forms or buttons, or take their parameters out of links.",
          "Where a canonical names another page although the content is another, let it name the page itself."
        ],
        never: "let pages be indexed that are private or copies of others"
      }
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      return 2 * hidden > up + hidden + down ? `${hidden} of the ${up + hidden + down} pages known are hidden` : null
    },
    (site) => {
      const { down, hidden, up } = standings(site)
      if (site.isPart) return inPart
      return 2 * hidden > up + hidden + down ? null : sawEverything(site)
    }
  )
]
