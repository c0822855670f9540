import { isCanonicalised } from "../analysis/AnalysedSite.ts"
import type { RobotsDirectives } from "../page/Meta.ts"
import { reasonWords } from "../report/Labels.ts"
import { canonicalElements, robotsElements } from "./Causes.ts"
import { byLine, type Fault, perPage, perUrl, type ReadPage, type Rule, siteWide } from "./Rule.ts"
import { hasOwnNoindex, hidesStart, meant, noindexOf, origin, partGroups, robotsMetaGuide } from "./Targets.ts"

/** Checks of obstacles to crawling the site or its start page; robots.txt counts as Googlebot reads it. */
export const indexability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "robots_unreachable",
      name: "robots.txt is unreachable",
      category: "indexability",
      severity: "critical",
      means: "robots.txt returns 429 or 5xx, or does not respond.",
      fix: "Serve robots.txt reliably, and return 404 if there is none.",
      source: "RFC 9309 §2.3.1.4",
      guidance: {
        why: "Crawlers must treat the whole site as disallowed while robots.txt fails.",
        goal: "Make /robots.txt return 200 with its directives, or 404 if there are none",
        find: "Find what serves /robots.txt: a static file, a route or the CDN. Check for anything that intercepts it: a login, firewall or maintenance page.",
        steps: [
          "Request /robots.txt without cookies and check the status.",
          "Serve it as a static file, outside authentication, rate limits and rendering.",
          "Exempt it from maintenance pages that return 503."
        ],
        never: "disallow more than before"
      }
    },
    ({ robots }) =>
      robots?.state === "unreachable"
        ? `${robots.url} ${robots.status === null ? "does not respond" : `returns ${robots.status}`}`
        : null,
    ({ robots }) =>
      robots === null || robots.state === "unknown" ? "the crawl ended before robots.txt responded" : null
  ),
  siteWide(
    {
      id: "robots_truncated",
      name: "robots.txt over 500 KiB",
      category: "indexability",
      severity: "warning",
      means: "robots.txt is longer than 500 KiB.",
      fix: "Merge lines into patterns until the file is small.",
      source: "RFC 9309 §2.5",
      guidance: {
        why: "Crawlers ignore everything after the first 500 KiB, so pages are crawled or blocked by chance.",
        goal: "Bring robots.txt below 500 KiB with the same effect",
        find: "Find what generates robots.txt, and which list it writes line by line.",
        steps: [
          "Group the lines by prefix and replace each group by one pattern with * and $.",
          "If the list keeps pages out of the index, use noindex on the pages instead.",
          "Compare what the old and the new file allow for a sample of URLs."
        ],
        never: "drop lines only because they come last"
      }
    },
    ({ robots }) => (robots?.robots?.truncated === true ? robots.url : null),
    ({ robots }) => (robots === null || robots.robots === null ? "the site has no readable robots.txt" : null)
  ),
  siteWide(
    {
      id: "start_blocked",
      name: "Start page blocked by robots.txt",
      category: "indexability",
      severity: "critical",
      means: "robots.txt blocks Googlebot from the start page.",
      fix: "Remove or narrow the line shown in the details.",
      source:
        "RFC 9309 §2.2.1, §2.2.2 and §2.2.4; Google Search Central, How Google interprets the robots.txt specification",
      isCharged: false,
      guidance: {
        why: "Googlebot cannot crawl the start page or discover the site from it.",
        goal: "Let robots.txt allow Googlebot to crawl the start page",
        find: "Find the robots.txt line in the evidence: in a static file, a route that generates it, or a setting such as 'discourage search engines'.",
        steps: [
          meant,
          "Remove or narrow the line. If it is for staging only, make it depend on the environment.",
          partGroups,
          "Fetch robots.txt as it is served, and check which group applies: the one for Googlebot, or else *."
        ],
        never: "add an Allow for one crawler only"
      }
    },
    ({ find, start }) => {
      const page = find(start.href)
      const isBlocked = page?.reason === "blocked_by_robots" || page?.also.includes("blocked_by_robots") === true
      return isBlocked ? byLine(page.robotsLine) : null
    },
    ({ robots }) =>
      robots === null || robots.state === "unknown" ? "the crawl ended before robots.txt responded" : null
  ),
  siteWide(
    {
      id: "start_hidden",
      name: "Start page not indexable",
      category: "indexability",
      severity: "critical",
      means: "The start page has noindex or is canonicalized to another page.",
      fix: "Remove noindex or the canonical to another page from the start page.",
      source: robotsMetaGuide,
      restsOn: "others",
      isCharged: false,
      guidance: {
        why: "The start page drops out of search results, and most people find a site through it.",
        goal: "Make the start page indexable, with a canonical to itself",
        find: `${origin} Or a canonical of the start page that points to another URL.`,
        steps: [
          meant,
          "Remove noindex from the start page, or make it depend on the environment.",
          "Point its canonical to the URL at which it is served."
        ],
        never: "serve crawlers a different start page than visitors"
      }
    },
    hidesStart,
    ({ find, start }) =>
      find(start.href)?.visit?.facts == null ? "the crawl ended before the start page was fetched" : null
  ),
  perUrl(
    {
      id: "blocked_but_linked",
      name: "Linked URL blocked by robots.txt",
      category: "indexability",
      severity: "info",
      means: "Pages link to URLs that robots.txt blocks for Googlebot.",
      fix: "Allow the URLs and use noindex to keep them out of search, or remove the links.",
      source: "Google Search Central, Introduction to robots.txt; RFC 9309 §2.2",
      restsOn: "others",
      guidance: {
        why: "Search engines cannot crawl blocked URLs, but may still index them without content because they are linked.",
        goal: "Choose crawling, noindex or no link for each listed URL",
        find: "Find the robots.txt line in the evidence, and what links to the listed URLs.",
        steps: [
          meant,
          "To keep a page out of the index: allow it in robots.txt and send noindex. To save crawl budget (filters, sorting): keep it blocked and remove the links, or use forms.",
          "To have it found: narrow the robots.txt rule to allow the page.",
          partGroups
        ],
        never: "block a page and set noindex at the same time: crawlers never see the noindex of a blocked page"
      }
    },
    () => true,
    ({ reason, record, robotsLine }) =>
      reason === "blocked_by_robots" && record.linkedFromCount > 0 ? byLine(robotsLine) : null,
    { nothing: "no URL of the site was found" }
  )
]

const isNoindex = ({ noindex, unavailableAfter }: RobotsDirectives): boolean => noindex || unavailableAfter !== null

/** A fault of robots directives, with the affected ones as the page or its header writes them. */
const directiveFault = (
  { visit }: ReadPage,
  detail: string,
  concerns: (directives: RobotsDirectives) => boolean
): Fault => {
  const metas = visit.facts.robots.filter(({ directives, inHead }) => inHead && concerns(directives))
  const lines =
    visit.headerFacts?.robotsTags.flatMap(({ agent, directives, line }) =>
      /^(?:googlebot)?$/i.test(agent ?? "") && concerns(directives) ? [line] : []
    ) ?? []
  return {
    detail,
    value: [...metas.map(({ content }) => content), ...new Set(lines)].join(" | "),
    elements: robotsElements(metas)
  }
}

/** Checks of content for visitors without scripts only, which search engines never see because they run scripts. */
export const noscript: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "noscript_only",
      name: "Directive or link only in noscript",
      category: "indexability",
      severity: "info",
      means:
        "A robots meta tag, canonical, refresh, title, hreflang or internal link exists only inside a noscript element. Google and browsers ignore it.",
      fix: "Move what search engines should see out of noscript, and remove the rest.",
      source: "HTML standard §4.12.2, The noscript element; Google Search Central, JavaScript SEO basics",
      isCharged: false,
      guidance: {
        why: "Search engines that render JavaScript ignore noscript, others obey it. They see two different pages.",
        goal: "Make the listed pages say the same with and without scripts",
        find: "Find the noscript element in the layout, in a lazy-loading or tracking plugin, or in a tag manager snippet.",
        steps: [
          meant,
          "Move directives and links that search engines should see out of the noscript element.",
          "If a refresh or noindex is only for visitors without scripts, remove it and show them the content or a notice."
        ],
        never: "put one directive inside noscript and a different one outside"
      }
    },
    ({ visit }) => {
      const { elements } = visit.facts.noscript
      return elements.length === 0
        ? null
        : {
            detail: elements.map(({ says }) => says).join("; "),
            elements: elements.map(({ markup, place, says }) => ({ markup, place, link: null, value: says }))
          }
    }
  ),
  perPage(
    {
      id: "noscript_ends_head",
      name: "Head ended early by noscript",
      category: "indexability",
      severity: "info",
      means:
        "A noscript element in the head contains an element that is not allowed there, such as an image. Crawlers without JavaScript end the head at this point.",
      fix: "Move the noscript element into the body, or to the end of the head.",
      source: "HTML standard §13.2.6.4.5; Google Search Central, Use valid page metadata",
      isCharged: false,
      guidance: {
        why: "Crawlers without JavaScript may ignore every tag after it, such as the canonical or robots meta tag.",
        goal: "Keep only link, meta and style elements in the noscript elements of the head",
        find: "Find what writes the noscript element: usually a tracking pixel that was pasted into the head.",
        steps: [
          "Move the noscript element to the start of the body.",
          "If that is not possible, make it the last element of the head.",
          "Compare the element tree in a browser with scripts disabled."
        ],
        never: "remove the canonical or the robots meta tag after it"
      }
    },
    ({ visit }) => {
      const { headEnd } = visit.facts.noscript
      return headEnd === null
        ? null
        : {
            detail: `may be ignored: ${headEnd.behind.join(", ")}`,
            elements: [{ markup: headEnd.markup, place: "head", link: null }]
          }
    }
  )
]

/** Checks of noindex pages and their directives. */
export const robotsMeta: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "noindex_page",
      name: "Noindex page",
      category: "indexability",
      severity: "info",
      means: "These pages have noindex. This may be intended; check the list for mistakes.",
      fix: "Remove noindex from pages that should appear in search.",
      source: robotsMetaGuide,
      guidance: {
        why: "Noindex pages do not appear in search results.",
        goal: "Leave noindex only on pages that should stay out of search",
        find: origin,
        steps: [
          meant,
          "Remove noindex from pages that should appear in search. If it is in a layout, make it a setting of each page.",
          "If it comes from a header, check the server, CDN and middleware in turn."
        ],
        never: "hide the directive from crawlers only"
      }
    },
    (page) => {
      const reasons = noindexOf(page)
      return reasons.length === 0
        ? null
        : directiveFault(page, reasons.map((reason) => reasonWords[reason]).join(", "), isNoindex)
    }
  ),
  perPage(
    {
      id: "noindex_with_canonical",
      name: "Noindex with canonical to another page",
      category: "indexability",
      severity: "warning",
      means: "The page has noindex and is canonicalized to another page at the same time.",
      fix: "Keep the canonical on a duplicate, or noindex on a page that should leave the index. Do not use both.",
      source: "Google Search Central, How to specify a canonical URL",
      restsOn: "others",
      guidance: {
        why: "The two signals contradict each other, so search engines pick one.",
        goal: "Keep either noindex or the canonical to another page on each listed page",
        find: `${origin} Also find what writes the canonical of these pages.`,
        steps: [
          "Decide whether the page is a duplicate of the canonical page, or a page of its own that should stay out of search.",
          "Duplicate: remove noindex. Own page: point the canonical to the page itself, or remove it.",
          "If one component writes both, make sure that it never does."
        ],
        never: "remove both if the page is private"
      }
    },
    (page) =>
      isCanonicalised(page) && noindexOf(page).length > 0
        ? {
            detail: `canonical ${page.canonical.url}`,
            value: page.canonical.links.find(({ valid }) => valid)?.raw,
            elements: canonicalElements(page.canonical.links)
          }
        : null
  ),
  perPage(
    {
      id: "robots_meta_outside_head",
      name: "Robots meta tag outside the head",
      category: "indexability",
      severity: "warning",
      means: "The robots meta tag is outside the head, often because an invalid element ended the head early.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata; HTML standard §13.2.6.4.4",
      guidance: {
        why: "Search engines ignore a robots meta tag in the body, so noindex or nofollow has no effect.",
        goal: "Put the robots meta tag of the listed pages into the head",
        find: "Find where the tag is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Parse the served page as a browser does (element tree of the developer tools) and find the first element of the body.",
          "Move the element that ended the head into the body, or put the robots meta tag before it.",
          "Check title, canonical and hreflang too: they come after the same element."
        ],
        never: "write the same tag twice"
      }
    },
    ({ visit }) => {
      const outside = visit.facts.robots.filter(({ inHead }) => !inHead)
      const [first] = outside
      return first === undefined
        ? null
        : { detail: first.content, value: first.content, elements: robotsElements(outside) }
    }
  ),
  perPage(
    {
      id: "robots_directives_conflict",
      name: "Conflicting robots directives",
      category: "indexability",
      severity: "warning",
      means: "The page's robots directives contain both index and noindex.",
      fix: "Keep one directive.",
      source: robotsMetaGuide,
      guidance: {
        why: "The most restrictive directive wins, which is usually not what you want.",
        goal: "Keep one consistent robots directive on each listed page",
        find: "Find all sources: meta tags of layout and page, plugins, and X-Robots-Tag headers.",
        steps: [
          "List every robots directive of the page with its source.",
          "Decide whether the page should be indexed.",
          "Keep one source and remove the others."
        ],
        never: "add a third directive to outvote the others"
      }
    },
    (page) => {
      const tokens = hasOwnNoindex(page)
      return tokens === null ? null : directiveFault(page, tokens, () => true)
    }
  )
]
