import { isCanonicalised } from "../analysis/AnalysedPage.ts"
import type { RobotsDirectives } from "../page/RobotsDirectives.ts"
import { canonicalElements, robotsElements } from "./Elements.ts"
import type { Fault } from "./Fault.ts"
import { hasOwnNoindex, meant, noindexOf, origin, robotsMetaGuide } from "./Hiding.ts"
import { perPage, type ReadPage, type Rule } from "./Rule.ts"

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
        find: "Find where the element is written, and which element before it ended the head: text, div, img, iframe or a noscript with such content.",
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
