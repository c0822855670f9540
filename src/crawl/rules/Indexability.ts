import { isCanonicalised } from "../analysis/AnalysedSite.ts"
import type { RobotsDirectives } from "../page/Meta.ts"
import { canonicalElements, robotsElements } from "./Causes.ts"
import { byLine, type Fault, perPage, perUrl, type ReadPage, type Rule, siteWide } from "./Rule.ts"
import { hasOwnNoindex, hidesStart, meant, noindexOf, origin, partGroups, robotsMetaGuide } from "./Targets.ts"

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
      source:
        "RFC 9309 §2.2.1, §2.2.2 and §2.2.4; Google Search Central, How Google interprets the robots.txt specification, grouping of lines and rules",
      isCharged: false,
      guidance: {
        why: "Googlebot cannot read the start page, nor find the site from it.",
        goal: "Let robots.txt allow Googlebot the start page",
        find: "Find the line in the evidence: in a static robots.txt, a route that generates it, or a setting such as 'discourage search engines'.",
        steps: [
          meant,
          "Remove or narrow the line; a rule of staging must not reach production, so make it depend on the environment.",
          partGroups,
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
          "To be found: narrow the rule so that it allows the page.",
          partGroups
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

const isNoindex = ({ noindex, unavailableAfter }: RobotsDirectives): boolean => noindex || unavailableAfter !== null

/** A fault of robots directives, with those of them that it is about as the page or its header writes them. */
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

/** What a visitor without scripts gets, and engines, which run scripts, do not. */
export const noscript: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "noscript_only",
      name: "Directive or link in noscript only",
      category: "indexability",
      severity: "info",
      means:
        "A robots meta, canonical, refresh, title, hreflang or internal link stands in a noscript element only. Google and browsers run scripts, so they do not see it.",
      fix: "Write outside of noscript what engines should see, and remove the rest.",
      source: "HTML standard §4.12.2, The noscript element; Google Search Central, JavaScript SEO basics",
      isCharged: false,
      guidance: {
        why: "Engines that run scripts ignore what a noscript element holds; others obey it.",
        goal: "Let the listed pages say the same to engines with and without scripts",
        find: "Find the noscript element in the layout, in a plugin that adds lazy loading or tracking, or in a tag manager's snippet.",
        steps: [
          meant,
          "Move a directive or a link that engines should see out of the noscript element.",
          "Remove a refresh or noindex that was meant for visitors without scripts, and show them the content or a notice."
        ],
        never: "write one directive inside of noscript and another one outside"
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
      name: "Head ended by noscript",
      category: "indexability",
      severity: "info",
      means:
        "A noscript element in the head holds an element that may not stand there, such as an image. Engines that do not run scripts end the head at it, and may ignore what stands behind it.",
      fix: "Move the noscript element into the body, or behind everything else in the head.",
      source: "HTML standard §13.2.6.4.5; Google Search Central, Use valid page metadata",
      isCharged: false,
      guidance: {
        why: "What stands behind the element may be ignored by engines that do not run scripts.",
        goal: "Leave link, meta and style elements alone in the noscript elements of the head",
        find: "Find what writes the noscript element, mostly a tracking pixel that was pasted into the head.",
        steps: [
          "Move the noscript element to the beginning of the body.",
          "Where that is not possible, write it as the last element of the head.",
          "Compare the element tree in a browser with scripts disabled."
        ],
        never: "remove the canonical or the robots meta behind it"
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

/** Pages that ask not to be indexed, and how they ask. */
export const robotsMeta: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "noindex_page",
      name: "Page asks not to be indexed",
      category: "indexability",
      severity: "info",
      means: "Pages ask not to be indexed. That may be meant; each is listed so that a mistake is seen.",
      fix: "Remove the directive from pages that should be found.",
      source: robotsMetaGuide,
      guidance: {
        why: "These pages do not appear in search results.",
        goal: "Leave noindex only on pages that are not to be found",
        find: origin,
        steps: [
          meant,
          "Remove the directive from pages that should be found; in a layout, make it a property of the page and not of all pages.",
          "Where it comes from a header, look at server, CDN and middleware in turn."
        ],
        never: "hide the directive from crawlers only"
      }
    },
    (page) => {
      const reasons = noindexOf(page)
      return reasons.length === 0 ? null : directiveFault(page, reasons.join(", "), isNoindex)
    }
  ),
  perPage(
    {
      id: "noindex_with_canonical",
      name: "noindex beside a canonical",
      category: "indexability",
      severity: "warning",
      means: "A page says noindex and also names another page as canonical: two contradicting wishes.",
      fix: "Keep the canonical for a duplicate, or the noindex for a page that should vanish, not both.",
      source: "Google Search Central, How to specify a canonical URL",
      restsOn: "others",
      guidance: {
        why: "One directive says that the page should vanish, the other that it stands for another: engines pick one.",
        goal: "Keep either noindex or the foreign canonical on each listed page",
        find: `${origin} And what writes the canonical of these pages.`,
        steps: [
          "Decide whether the page is a copy of the canonical page or a page of its own that is not to be found.",
          "A copy: remove noindex. A page of its own: let the canonical name the page itself, or leave it away.",
          "Where both come from one component, let it never write both."
        ],
        never: "remove both where the page is private"
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
      name: "Robots meta outside of the head",
      category: "indexability",
      severity: "warning",
      means:
        "A robots meta element stands outside the head, often because an invalid element ended the head early. It is ignored.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata; HTML standard §13.2.6.4.4",
      guidance: {
        why: "A robots meta in the body is ignored, so the page is treated as if it were not there.",
        goal: "Put the robots meta of the listed pages into the head",
        find: "Find where the element is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Parse the served page as a browser does (the element tree of developer tools) and find the first element of the body.",
          "Move the element that ended the head into the body, or write the robots meta before it.",
          "Check title, canonical and hreflang too: they stand behind the same element."
        ],
        never: "write the same meta twice"
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
      name: "Robots directives conflict",
      category: "indexability",
      severity: "warning",
      means: "The page's robots directives say both index and noindex; the more restrictive one wins.",
      fix: "Keep one directive.",
      source: robotsMetaGuide,
      guidance: {
        why: "The most restrictive directive wins, which is mostly not what was meant.",
        goal: "Keep one meaning in the robots directives of each listed page",
        find: "Find all origins: metas of layout and page, plugins, and X-Robots-Tag headers.",
        steps: [
          "List every directive of the page with where it comes from.",
          "Decide whether the page is to be indexed.",
          "Let one place decide, and remove the others."
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
