import { type AnalysedPage, isCanonicalised } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import { sameSite } from "../site/Site.ts"
import { among, canonicalFault, find, guide, own } from "./Canonicals.ts"
import type { Fault } from "./Fault.ts"
import { perPage, type ReadPage, type Rule } from "./Rule.ts"

/** The page that the canonical names when it is another one that the run knows. */
const targetOf = ({ canonical, url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  canonical.url === null || canonical.url === url ? undefined : site.find(canonical.url)

/** The canonicals of a page that engines read. */
const readLinks = ({ canonical }: ReadPage) => canonical.links.filter(({ inHead, valid }) => inHead && valid)

const toTarget =
  (holds: (target: AnalysedPage) => boolean) =>
  (page: ReadPage, site: AnalysedSite): Fault | null => {
    const target = targetOf(page, site)
    return target !== undefined && holds(target)
      ? canonicalFault(readLinks(page), `${target.url} (${target.reason})`)
      : null
  }

/** Pages whose canonical names another page. */
export const canonicalTargets: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_to_error",
      name: "Canonical to an error",
      category: "canonicals",
      severity: "critical",
      means: "The canonical names a page that answers an error.",
      fix: "Name a page that exists.",
      source: guide,
      restsOn: "confirmed",
      guidance: {
        why: "The page asks to be replaced by one that does not exist, so both may leave the index.",
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
    toTarget(({ reason }) => healthStateOf[reason] === "failed"),
    among
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
    toTarget(({ reason }) => healthStateOf[reason] === "redirect"),
    among
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
    toTarget(
      ({ reason }) => reason === "noindex_meta" || reason === "noindex_header" || reason === "blocked_by_robots"
    ),
    among
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
    toTarget(isCanonicalised),
    among
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
    (page, { start }) =>
      page.canonical.url !== null && !sameSite(start, new URL(page.canonical.url))
        ? canonicalFault(readLinks(page), page.canonical.url)
        : null,
    among
  )
]
