import { maskWords } from "../page/Credentials.ts"
import type { CanonicalLink } from "../page/UrlIdentity.ts"
import { canonicalElements } from "./Causes.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

/** The source of canonical checks. */
export const guide = "Google Search Central, How to specify a canonical URL"
const rfc = "RFC 6596 §3"

/** Where guidance looks for the origin of canonicals. */
export const find =
  "Find what writes the canonical of these pages: head template, SEO plugin, component, or a Link header of the server."

/** The guidance step for a self-canonical. */
export const own =
  "Build it from the URL at which the page is served: absolute, with https if the site uses it, without tracking parameters."

const hasCanonical = (page: ReadPage): boolean => page.canonical.links.length > 0
/** Options of checks on pages with a canonical. */
export const naming = { among: hasCanonical, nothing: "no page has a canonical" }

/** The form of a canonical matters only on indexable pages: on others, other checks cover it. */
const indexed = { ...naming, among: (page: ReadPage) => isEligible(page) && hasCanonical(page) }

/** The fault of canonicals, with the first one's text; null without any. */
export const canonicalFault = (links: ReadonlyArray<CanonicalLink>, detail?: string): Fault | null => {
  const [first] = links
  if (first === undefined) return null
  return { detail: detail ?? first.raw, value: first.raw, elements: canonicalElements(links) }
}

/** The canonicals of a page that search engines read. */
export const readLinks = ({ canonical }: ReadPage) => canonical.links.filter(({ inHead, valid }) => inHead && valid)

/** The fault of a page's canonicals that meet a condition. */
const linksThat =
  (holds: (link: CanonicalLink) => boolean) =>
  ({ canonical }: ReadPage): Fault | null =>
    canonicalFault(canonical.links.filter(holds))

/** Checks of how pages write their canonical. */
export const canonicals: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_missing",
      name: "Missing canonical",
      category: "canonicals",
      severity: "info",
      means: "An indexable page has no canonical.",
      fix: "Add a link element with rel=canonical that points to the page's preferred URL.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Search engines choose themselves among the URLs of a page (with parameters, slashes or hosts).",
        goal: "Give each listed page a canonical to itself",
        find,
        steps: [
          "Add one link rel=canonical to the shared head template.",
          own,
          "Check a page with a query string: its canonical is the URL without it, if both show the same content."
        ],
        never: "give all pages the same canonical"
      }
    },
    (page) => (hasCanonical(page) ? null : "no rel=canonical in head or Link header"),
    { among: isEligible }
  ),
  perPage(
    {
      id: "canonical_conflicting",
      name: "Conflicting canonicals",
      category: "canonicals",
      severity: "warning",
      means: "The page has several canonicals with different URLs.",
      fix: "Keep one canonical, in the head or in the Link header.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Search engines ignore all canonicals of a page if they contradict each other.",
        goal: "Keep one canonical on each listed page",
        find: `${find} Two of them write a canonical here.`,
        steps: [
          "List every canonical of the page, in head and header, with its source.",
          "Keep the correct one and remove the other source: usually a plugin next to a template.",
          own
        ],
        never: "make both point to the same wrong URL"
      }
    },
    ({ canonical: { conflicting, links, urls } }) =>
      conflicting
        ? canonicalFault(
            links.filter(({ inHead, valid }) => inHead && valid),
            urls.join(" and ")
          )
        : null,
    indexed
  ),
  perPage(
    {
      id: "canonical_invalid",
      name: "Invalid canonical",
      category: "canonicals",
      severity: "warning",
      means: "A canonical is empty, malformed, contains a user name or password, or is no http(s) URL.",
      fix: "Write the full URL of the preferred page.",
      source: rfc,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Search engines ignore an invalid canonical.",
        goal: "Give each listed page a full http(s) URL as its canonical",
        find: `${find} Look for an empty value, an unfilled template expression or a URL without a scheme.`,
        steps: [
          "Fix what computes the value, and leave the tag out if there is none.",
          own,
          "Add a test that renders such a page and parses its canonical."
        ],
        never: "remove the canonical from all pages"
      }
    },
    ({ canonical: { links } }) => {
      const invalid = links.filter(({ valid }) => !valid)
      const [{ raw } = { raw: "" }] = invalid
      return canonicalFault(invalid, `"${raw}"${maskWords(raw)}`)
    },
    indexed
  ),
  perPage(
    {
      id: "canonical_relative",
      name: "Relative canonical",
      category: "canonicals",
      severity: "info",
      means: "A canonical is a relative URL.",
      fix: "Write the absolute URL.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "A wrong base URL or a copied page turns a relative canonical into a different URL.",
        goal: "Write the canonicals of the listed pages as absolute URLs",
        find,
        steps: ["Take scheme and host from the site's configuration, not from the request's Host header.", own],
        never: "add a base element to make it absolute"
      }
    },
    linksThat(({ absolute, valid }) => valid && !absolute),
    indexed
  ),
  perPage(
    {
      id: "canonical_fragment",
      name: "Canonical with a fragment",
      category: "canonicals",
      severity: "info",
      means: "A canonical contains a fragment (#).",
      fix: "Remove everything from the # on.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Search engines drop the fragment, so the canonical points to a different URL than intended.",
        goal: "Write the canonicals of the listed pages without a fragment",
        find: `${find} Single-page applications often use the router's URL.`,
        steps: ["Cut the value at #.", "If the fragment identifies different pages, give these pages their own paths."],
        never: "encode the # to pass this check"
      }
    },
    linksThat(({ fragment }) => fragment !== null),
    indexed
  ),
  perPage(
    {
      id: "canonical_outside_head",
      name: "Canonical outside the head",
      category: "canonicals",
      severity: "warning",
      means: "A canonical is outside the head, often because an invalid element ended the head early.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Search engines ignore a canonical in the body.",
        goal: "Put the canonical of the listed pages into the head",
        find: "Find where the tag is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Check the element tree as the browser builds it, and find the first element of the body.",
          "Move the element that ended the head into the body, or put the canonical before it.",
          "Check title, robots meta tag and hreflang too: they come after the same element."
        ],
        never: "add a second canonical to the head and keep the first"
      }
    },
    linksThat(({ inHead }) => !inHead),
    indexed
  )
]
