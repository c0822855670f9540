import { indexability as guidance } from "./guidance/Indexability.ts"
import { hasOwnNoindex, hidesStart } from "./Hiding.ts"
import { perPage, perUrl, type Rule, siteWide } from "./Rule.ts"

const robotsMeta = "Google Search Central, Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"
const unreached = "the run ended before the start page was read"

export const indexability: ReadonlyArray<Rule> = [
  siteWide(
    {
      id: "robots_unreachable",
      category: "indexability",
      severity: "critical",
      means: "robots.txt answers 429, 5xx or not at all. Crawlers must then treat the whole site as disallowed.",
      fix: "Serve robots.txt reliably; answer 404 when there is none.",
      source: "RFC 9309 §2.3.1.4",
      guidance: guidance.robots_unreachable
    },
    ({ robots }) => (robots?.state === "unreachable" ? `${robots.url} answers ${robots.status ?? "nothing"}` : null),
    ({ robots }) => (robots === null || robots.state === "unknown" ? "the run ended before robots.txt answered" : null)
  ),
  siteWide(
    {
      id: "robots_truncated",
      category: "indexability",
      severity: "warning",
      means: "robots.txt is longer than 500 KiB; rules behind that are not read.",
      fix: "Merge rules by patterns until the file is small.",
      source: "RFC 9309 §2.5",
      guidance: guidance.robots_truncated
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
      means: "robots.txt forbids the start page, so crawlers cannot discover the site from it.",
      fix: "Remove or narrow the rule named in the evidence.",
      source: "RFC 9309 §2.2.2",
      guidance: guidance.start_blocked
    },
    ({ find, start }) => {
      const page = find(start.href)
      if (page?.reason !== "blocked_by_robots") return null
      return page.robotsLine === null ? "disallowed" : `line ${page.robotsLine.line}: ${page.robotsLine.text}`
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
      source: robotsMeta,
      restsOn: "others",
      guidance: guidance.start_hidden
    },
    hidesStart,
    ({ find, start }) => (find(start.href)?.visit?.facts == null ? unreached : null)
  ),
  perUrl(
    {
      id: "blocked_but_linked",
      name: "Linked but blocked by robots.txt",
      category: "indexability",
      severity: "info",
      means:
        "robots.txt forbids addresses that the site links to. They can still appear in the index, without content.",
      fix: "Allow them and use noindex to keep them out, or leave the links away.",
      source: "Google Search Central, Introduction to robots.txt; RFC 9309 §2.2",
      restsOn: "others",
      guidance: guidance.blocked_but_linked
    },
    () => true,
    ({ reason, record, robotsLine }) =>
      reason === "blocked_by_robots" && record.linkedFromCount > 0
        ? robotsLine === null
          ? "disallowed"
          : `line ${robotsLine.line}: ${robotsLine.text}`
        : null,
    { nothing: "no URL of the site was met" }
  ),
  perPage(
    {
      id: "noindex_page",
      name: "Page asks not to be indexed",
      category: "indexability",
      severity: "info",
      means: "Pages ask not to be indexed. That may be meant; each is listed so that a mistake is seen.",
      fix: "Remove the directive from pages that should be found.",
      source: robotsMeta,
      guidance: guidance.noindex_page
    },
    ({ also, reason }) =>
      [reason, ...also].filter((each) => each === "noindex_meta" || each === "noindex_header").join(", ") || null
  ),
  perPage(
    {
      id: "noindex_with_canonical",
      category: "indexability",
      severity: "warning",
      means: "A page says noindex and also names another page as canonical: two contradicting wishes.",
      fix: "Keep the canonical for a duplicate, or the noindex for a page that should vanish, not both.",
      source: "Google Search Central, How to specify a canonical URL",
      restsOn: "others",
      guidance: guidance.noindex_with_canonical
    },
    ({ also, canonical, reason }) =>
      also.includes("canonical_elsewhere") && reason !== "canonical_elsewhere" ? `canonical ${canonical.url}` : null
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
      guidance: guidance.robots_meta_outside_head
    },
    ({ visit }) => visit.facts.robots.find(({ inHead }) => !inHead)?.content ?? null
  ),
  perPage(
    {
      id: "robots_directives_conflict",
      name: "Robots directives conflict",
      category: "indexability",
      severity: "warning",
      means: "The page's robots directives say both index and noindex; the more restrictive one wins.",
      fix: "Keep one directive.",
      source: robotsMeta,
      guidance: guidance.robots_directives_conflict
    },
    hasOwnNoindex
  )
]
