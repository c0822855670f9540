import { type AnalysedPage, type AnalysedSite, isCanonicalised } from "../analysis/AnalysedSite.ts"
import { reasonWords } from "../report/Labels.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { sameSite } from "../site/Site.ts"
import { canonicalFault, find, guide, naming, own, readLinks } from "./Canonicals.ts"
import { canonicalMarkup } from "./Causes.ts"
import { type Fault, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { namesOtherPage } from "./Sequences.ts"
import { endOf, noindexOf } from "./Targets.ts"

const isFailed = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "failed"
const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"

/** Another known page that is the canonical. */
const targetOf = ({ canonical, url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  canonical.url === null || canonical.url === url ? undefined : site.find(canonical.url)

type Holds = (target: AnalysedPage, end: AnalysedPage, page: ReadPage, site: AnalysedSite) => boolean

/** The fault of a canonical with a target, or an end of the target's redirects, that meets a condition. */
const toTarget =
  (holds: Holds) =>
  (page: ReadPage, site: AnalysedSite): Fault | null => {
    const target = targetOf(page, site)
    if (target === undefined) return null
    const end = endOf(site, target)
    if (!holds(target, end, page, site)) return null
    const isBehind = end !== target && isFailed(end)
    return canonicalFault(
      readLinks(page),
      `${target.url} (${reasonWords[target.reason]})${isBehind ? ` → ${end.url} (${reasonWords[end.reason]})` : ""}`
    )
  }

/** Whether other checks report the canonical's target: it is an error, or a redirect. */
const isTold = (target: AnalysedPage | undefined): boolean =>
  target !== undefined && (isFailed(target) || isRedirect(target))

/** The fault of a canonical to an unreachable URL. Canonicals to one host that is down or out of reach have one cause: the base URL. */
const unreachable = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const { leadsNowhere, url } = page.canonical
  const target = targetOf(page, site)
  if (!leadsNowhere || url === null || isTold(target)) return null
  const { host, origin } = new URL(url)
  const isHost = target === undefined || target.reason === "robots_unreachable"
  const why =
    target === undefined
      ? `${host} is not public`
      : isHost
        ? `${host} does not respond`
        : `it does not respond: ${reasonWords[target.reason]}`
  const links = readLinks(page)
  return {
    detail: `${url}: ${why}`,
    value: links[0]?.raw,
    elements: links.map((link) => ({
      markup: canonicalMarkup(link),
      ...(isHost && { key: `canonical to ${origin}` }),
      place: "head",
      link: null,
      value: isHost ? origin : url
    }))
  }
}

/** Checks of canonicals to other pages. */
export const canonicalTargets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_to_error",
      name: "Canonical to a broken page",
      category: "canonicals",
      severity: "critical",
      means: "The canonical points to a page that returns an error, or to a URL that redirects to one.",
      fix: "Point the canonical to an existing page.",
      source: guide,
      restsOn: "confirmed",
      guidance: {
        why: "Search engines ignore it and choose themselves among the URLs of the page.",
        goal: "Point the canonical of each listed page to a page that returns 200",
        find: `${find} Look for a renamed path, or a host or slash that the server does not serve.`,
        steps: [
          "Request the canonical URL and find out why it fails.",
          "If no other page has this content, point the canonical to the page itself.",
          "If another page is meant, use its current URL."
        ],
        never: "let the missing URL return 200 with an empty page"
      }
    },
    toTarget((_, end) => isFailed(end)),
    naming
  ),
  perPage(
    {
      id: "canonical_unreachable",
      name: "Unreachable canonical",
      category: "canonicals",
      severity: "warning",
      means:
        "The canonical points to a URL that nobody else can reach, such as localhost or a private network, or to a URL that did not respond.",
      fix: "Use the URL at which the page is served.",
      source: `${guide}; RFC 6761 §6.3; RFC 6890 §2.2`,
      guidance: {
        why: "Search engines ignore a canonical that they cannot fetch, and choose themselves among the URLs of the page.",
        goal: "Point the canonical of each listed page to a public URL",
        find: `${find} Usually the base URL in the site's configuration is that of a development server or an old host.`,
        steps: [
          "Set the base URL to the public one and build for production: development servers write their own URL.",
          own,
          "Correct what uses the same setting: sitemap, og:url, hreflang and feeds."
        ],
        never: "remove the canonical from all pages"
      }
    },
    unreachable,
    naming
  ),
  perPage(
    {
      id: "canonical_to_redirect",
      name: "Canonical to a redirect",
      category: "canonicals",
      severity: "warning",
      means: "The canonical points to a URL that redirects.",
      fix: "Point the canonical to the final URL of the redirect.",
      source: guide,
      guidance: {
        why: "The preferred URL is not a page, so search engines may ignore the canonical.",
        goal: "Point the canonical of each listed page to the final URL",
        find: `${find} Usually scheme, host (www) or trailing slash differ from what the server serves.`,
        steps: [
          "Follow the canonical URL to its end.",
          "Build canonicals with the scheme, host and slash that the server uses.",
          "Correct sitemap and links, which usually use the same setting."
        ],
        never: "remove the redirect"
      }
    },
    toTarget((target, end) => isRedirect(target) && !isFailed(end)),
    naming
  ),
  perPage(
    {
      id: "canonical_to_hidden",
      name: "Canonical to a non-indexable page",
      category: "canonicals",
      severity: "warning",
      means: "The canonical points to a page that has noindex or is blocked by robots.txt.",
      fix: "Make the canonical page indexable, or choose another one.",
      source: guide,
      guidance: {
        why: "The page hands its place to one that is not indexable, so neither appears in search.",
        goal: "Point the canonical of each listed page to a page that is indexable and crawlable",
        find: `${find} Also check the noindex or robots.txt line of the canonical page.`,
        steps: [
          "Decide which of the two pages should appear in search.",
          "Make that page indexable, and let both canonicals point to it.",
          "If neither should appear, remove the canonical and keep noindex."
        ],
        never: "remove noindex from a private page"
      }
    },
    // For a noindex page, the check of contradictions reports the canonical instead.
    toTarget(
      ({ reason }, _, page) =>
        (reason === "noindex_meta" || reason === "noindex_header" || reason === "blocked_by_robots") &&
        noindexOf(page).length === 0
    ),
    naming
  ),
  perPage(
    {
      id: "canonical_chain",
      name: "Canonical chain",
      category: "canonicals",
      severity: "warning",
      means: "The canonical points to a page that is canonicalized to yet another page.",
      fix: "Point the canonical to the last page of the chain.",
      source: guide,
      guidance: {
        why: "Search engines may stop at any page of the chain.",
        goal: "Point the canonical of each listed page to the last page of the chain",
        find,
        steps: [
          "Follow the canonicals from the listed page to one that points to itself.",
          "Use that page as the canonical of all pages in the chain.",
          "If the last page is not the intended one, correct its canonical first."
        ],
        never: "close the chain into a loop"
      }
    },
    // Pages of a sequence should be their own canonical, so another check reports them.
    toTarget((target, _, page, site) => isCanonicalised(target) && namesOtherPage(page, site) === null),
    naming
  ),
  perPage(
    {
      id: "canonical_cross_site",
      name: "Cross-domain canonical",
      category: "canonicals",
      severity: "info",
      means: "The canonical points to a page on another site.",
      fix: "Check that the content should belong to the other site.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "The other site gets the credit, and this page leaves the index.",
        goal: "Keep canonicals to other sites only for content that belongs there",
        find: `${find} Staging hosts, old domains and copied templates are the usual cause.`,
        steps: [
          "Find out whether the other host has the same owner, and whether the content is syndicated from there.",
          "If not, point the canonical to the page itself.",
          own
        ],
        never: "change canonicals of content that is licensed from the other site"
      }
    },
    (page, { start }) => {
      const { leadsNowhere, url } = page.canonical
      return url !== null && !leadsNowhere && !sameSite(start, new URL(url))
        ? canonicalFault(readLinks(page), url)
        : null
    },
    naming
  )
]
