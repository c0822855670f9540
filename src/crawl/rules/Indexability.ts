import { byLine } from "./Fault.ts"
import { hidesStart, meant, origin, robotsMetaGuide } from "./Hiding.ts"
import { perUrl, type Rule, siteWide } from "./Rule.ts"

/** What keeps crawlers from the site or from its start page; of robots.txt what it says to Googlebot counts. */
export const indexability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "robots_unreachable",
      name: "Unreachable robots.txt",
      category: "indexability",
      severity: "critical",
      means: "robots.txt answers 429, 5xx or not at all. Crawlers must then treat the whole site as disallowed.",
      fix: "Serve robots.txt reliably; answer 404 when there is none.",
      source: "RFC 9309 §2.3.1.4",
      guidance: {
        why: "Crawlers must treat a site whose robots.txt fails as forbidden, all of it.",
        goal: "Make /robots.txt answer 200 with the rules, or 404 when there are none",
        find: "Find what serves /robots.txt: a static file, a route, or the edge; and what else answers there (login, firewall, maintenance).",
        steps: [
          "Request /robots.txt without cookies and look at the status.",
          "Serve it as a static file outside of authentication, rate limits and rendering.",
          "Exempt it from maintenance pages that answer 503."
        ],
        never: "add rules that disallow more than before"
      }
    },
    ({ robots }) => (robots?.state === "unreachable" ? `${robots.url} answers ${robots.status ?? "nothing"}` : null),
    ({ robots }) => (robots === null || robots.state === "unknown" ? "the run ended before robots.txt answered" : null)
  ),
  siteWide(
    {
      id: "robots_truncated",
      name: "robots.txt longer than 500 KiB",
      category: "indexability",
      severity: "warning",
      means: "robots.txt is longer than 500 KiB; rules behind that are not read.",
      fix: "Merge rules by patterns until the file is small.",
      source: "RFC 9309 §2.5",
      guidance: {
        why: "Rules behind the first 500 KiB are not read, so pages are crawled or left out by chance.",
        goal: "Bring robots.txt below 500 KiB with the same effect",
        find: "Find what generates robots.txt, and which list it writes line by line.",
        steps: [
          "Group the lines by their beginning and replace each group by one pattern with * and $.",
          "Keep pages out of the index with noindex on the page, where the list served that end.",
          "Compare what the old and the new file allow for a sample of addresses."
        ],
        never: "drop rules only because they stand at the end"
      }
    },
    ({ robots }) => (robots?.robots?.truncated === true ? robots.url : null),
    ({ robots }) => (robots === null || robots.robots === null ? "the site has no robots.txt that could be read" : null)
  ),
  siteWide(
    {
      id: "start_blocked",
      name: "Start page blocked by robots.txt",
      category: "indexability",
      severity: "critical",
      means: "robots.txt forbids Googlebot the start page, so it cannot discover the site from it.",
      fix: "Remove or narrow the rule named in the evidence.",
      source: "RFC 9309 §2.2.2; Google, How Google interprets the robots.txt specification",
      isCharged: false,
      guidance: {
        why: "Googlebot cannot read the start page, nor find the site from it.",
        goal: "Let robots.txt allow Googlebot the start page",
        find: "Find the line in the evidence: in a static robots.txt, a route that generates it, or a setting such as 'discourage search engines'.",
        steps: [
          meant,
          "Remove or narrow the line; a rule of staging must not reach production, so make it depend on the environment.",
          "Read the file again as it is served, and check which group applies: the one that names Googlebot, or else that of *."
        ],
        never: "add an Allow for one crawler only"
      }
    },
    ({ find, start }) => {
      const page = find(start.href)
      const isBlocked = page?.reason === "blocked_by_robots" || page?.also.includes("blocked_by_robots") === true
      return isBlocked ? byLine(page.robotsLine) : null
    },
    ({ robots }) => (robots === null || robots.state === "unknown" ? "the run ended before robots.txt answered" : null)
  ),
  siteWide(
    {
      id: "start_hidden",
      name: "Start page hidden",
      category: "indexability",
      severity: "critical",
      means: "The start page asks not to be indexed, or names another page as its canonical.",
      fix: "Remove the noindex directive or the foreign canonical from the start page.",
      source: robotsMetaGuide,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "The start page leaves the search results, and with it the way most people find the site.",
        goal: "Let the start page be indexed, with itself as its canonical",
        find: `${origin} Or a canonical of the start page that names another address.`,
        steps: [
          meant,
          "Remove noindex from the start page, or make it depend on the environment.",
          "Let its canonical name the address at which it is served."
        ],
        never: "answer the start page differently to crawlers"
      }
    },
    hidesStart,
    ({ find, start }) =>
      find(start.href)?.visit?.facts == null ? "the run ended before the start page was read" : null
  ),
  perUrl(
    {
      id: "blocked_but_linked",
      name: "Linked but blocked by robots.txt",
      category: "indexability",
      severity: "info",
      means:
        "robots.txt forbids Googlebot addresses that the site links to. They can still appear in the index, without content.",
      fix: "Allow them and use noindex to keep them out, or leave the links away.",
      source: "Google Search Central, Introduction to robots.txt; RFC 9309 §2.2",
      restsOn: "others",
      guidance: {
        why: "Engines cannot read a forbidden page, yet may show its bare address because it is linked.",
        goal: "Decide for each listed URL between crawling, noindex, and no link",
        find: "Find the line of robots.txt in the evidence, and what links to the listed addresses.",
        steps: [
          meant,
          "To keep a page out of the index: allow it in robots.txt and send noindex. To save crawling (filters, sorting): leave it forbidden and do not link to it, or by forms only.",
          "To be found: narrow the rule so that it allows the page."
        ],
        never: "forbid and noindex at once: what is not read shows no noindex"
      }
    },
    () => true,
    ({ reason, record, robotsLine }) =>
      reason === "blocked_by_robots" && record.linkedFromCount > 0 ? byLine(robotsLine) : null,
    { nothing: "no URL of the site was met" }
  )
]
