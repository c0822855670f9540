import { type AnalysedPage, type AnalysedSite, isCanonicalised } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/MeasuredPage.ts"
import { sameSite } from "../site/Site.ts"
import { canonicalFault, find, guide, naming, own, readLinks } from "./Canonicals.ts"
import { canonicalMarkup } from "./Causes.ts"
import { type Fault, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { namesOtherPage } from "./Sequences.ts"
import { endOf, noindexOf } from "./Targets.ts"

const isFailed = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "failed"
const isRedirect = ({ reason }: AnalysedPage): boolean => healthStateOf[reason] === "redirect"

/** The page that the canonical names when it is another one that the run knows. */
const targetOf = ({ canonical, url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  canonical.url === null || canonical.url === url ? undefined : site.find(canonical.url)

type Holds = (target: AnalysedPage, end: AnalysedPage, page: ReadPage, site: AnalysedSite) => boolean

/** The fault of a canonical that names a page of which something holds, or of the page where its redirects end. */
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
      `${target.url} (${target.reason})${isBehind ? ` → ${end.url} (${end.reason})` : ""}`
    )
  }

/** The answer of the URL that a canonical names, and which other rules tell: an error, or a redirect. */
const isTold = (target: AnalysedPage | undefined): boolean =>
  target !== undefined && (isFailed(target) || isRedirect(target))

/** A canonical whose address nobody reaches. Those to one host that is down or out of reach have one cause, whatever their paths are: the base address. */
const unreachable = (page: ReadPage, site: AnalysedSite): Fault | null => {
  const { leadsNowhere, url } = page.canonical
  const target = targetOf(page, site)
  if (!leadsNowhere || url === null || isTold(target)) return null
  const { host, origin } = new URL(url)
  const isHost = target === undefined || target.reason === "robots_unreachable"
  const why =
    target === undefined
      ? `nobody else can reach ${host}`
      : isHost
        ? `${host} gives no answer`
        : `it gives no answer: ${target.reason}`
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

/** Pages whose canonical names another page. */
export const canonicalTargets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_to_error",
      name: "Canonical to an error",
      category: "canonicals",
      severity: "critical",
      means: "The canonical names a page that answers an error, or an address that redirects to one.",
      fix: "Name a page that exists.",
      source: guide,
      restsOn: "confirmed",
      guidance: {
        why: "The page asks to be replaced by one that does not exist. Engines ignore that, and choose among the addresses of the page themselves.",
        goal: "Let each listed page name a page that answers 200 as canonical",
        find: `${find} Look for a path that was renamed, or a host or slash that the server does not serve.`,
        steps: [
          "Request the address that is named and see why it fails.",
          "Where the page is the only one with its content, let it name itself.",
          "Where another page is meant, name the address that it has today."
        ],
        never: "let the missing address answer 200 with an empty page"
      }
    },
    toTarget((_, end) => isFailed(end)),
    naming
  ),
  perPage(
    {
      id: "canonical_unreachable",
      name: "Canonical that leads nowhere",
      category: "canonicals",
      severity: "warning",
      means:
        "The canonical names an address that nobody else can reach, such as one of localhost or of a private network, or one from which no answer came. Engines ignore it.",
      fix: "Write the address at which the page is served.",
      source: `${guide}; RFC 6761 §6.3; RFC 6890 §2.2`,
      guidance: {
        why: "Engines ignore a canonical that they cannot fetch, and choose among the addresses of the page themselves.",
        goal: "Let each listed page name an address that everybody can reach",
        find: `${find} Mostly the base address of the site's configuration is that of a development server or of an old host.`,
        steps: [
          "Set the base address to the one at which the site is served, and build for production: development servers write their own address.",
          own,
          "Correct what the same setting writes: sitemap, og:url, hreflang and feeds."
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
      means: "The canonical names an address that redirects.",
      fix: "Name the address where the redirect ends.",
      source: guide,
      guidance: {
        why: "The page names an address as preferred that leads elsewhere.",
        goal: "Let each listed page name the address where the redirect ends",
        find: `${find} Mostly scheme, host (www) or trailing slash differ from what the server serves.`,
        steps: [
          "Follow the address that is named to its end.",
          "Build canonicals with the same scheme, host and slash as the server answers at.",
          "Correct sitemap and links, which mostly come from the same setting."
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
      name: "Canonical to a hidden page",
      category: "canonicals",
      severity: "warning",
      means: "The canonical names a page that is not to be indexed or may not be crawled, so neither page is found.",
      fix: "Make the canonical page indexable, or name another one.",
      source: guide,
      guidance: {
        why: "The page gives its place to one that may not be indexed, so neither is found.",
        goal: "Let each listed page name a page that may be indexed and crawled",
        find: `${find} And the noindex or robots.txt line of the page that is named.`,
        steps: [
          "Decide which of the two pages should be found.",
          "Make that page indexable, and let both name it.",
          "Where neither should be found, remove the canonical and keep noindex."
        ],
        never: "remove noindex from a page that is private"
      }
    },
    // A page that asks not to be indexed gives no place away: that it names another one at all is told as a contradiction.
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
      name: "Chain of canonicals",
      category: "canonicals",
      severity: "warning",
      means: "The canonical names a page that names yet another page as its canonical.",
      fix: "Name the last page of the chain.",
      source: guide,
      guidance: {
        why: "Engines may stop at any page of a chain of canonicals.",
        goal: "Let each listed page name the last page of the chain",
        find,
        steps: [
          "Follow the canonicals from the listed page to one that names itself.",
          "Name that page on all pages of the chain.",
          "Where the last page is not what was meant, correct its canonical first."
        ],
        never: "close the chain into a circle"
      }
    },
    // The pages of a sequence are to name themselves, whatever the last page of the chain is.
    toTarget((target, _, page, site) => isCanonicalised(target) && namesOtherPage(page, site) === null),
    naming
  ),
  perPage(
    {
      id: "canonical_cross_site",
      name: "Canonical to another site",
      category: "canonicals",
      severity: "info",
      means: "The canonical names a page of another site, which then gets the credit.",
      fix: "Check that the content is meant to belong to the other site.",
      source: guide,
      restsOn: "own",
      guidance: {
        why: "The other site gets the credit, and this page leaves the index.",
        goal: "Leave canonicals to other sites only where the content belongs there",
        find: `${find} Staging hosts, old domains and copied templates are the usual origin.`,
        steps: [
          "Find out whether the other host belongs to the same owner, and whether the content is syndicated from there.",
          "Where it is not, let the page name its own address.",
          own
        ],
        never: "change canonicals of content that was licensed from the other site"
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
