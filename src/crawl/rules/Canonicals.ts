import { maskWords } from "../page/Credentials.ts"
import type { CanonicalLink } from "../page/UrlIdentity.ts"
import { canonicalElements } from "./Causes.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

/** The source of rules on canonicals. */
export const guide = "Google Search Central, How to specify a canonical URL"
const rfc = "RFC 6596 §3"

/** Where the guidance of canonicals looks for their origin. */
export const find =
  "Find where the canonical of these pages is made: head template, SEO plugin or component, or a Link header of the server."

/** The step of the guidance by which a page names itself. */
export const own =
  "Make it from the address at which the page is served: absolute, https where the site is, without tracking parameters."

const hasCanonical = (page: ReadPage): boolean => page.canonical.links.length > 0
/** The pages that name a canonical. */
export const naming = { among: hasCanonical, nothing: "no page names a canonical" }

/** How a canonical is written matters on pages that may be indexed: on others it has been read already, or is of no account. */
const indexed = { ...naming, among: (page: ReadPage) => isEligible(page) && hasCanonical(page) }

/** The fault of canonicals, in the words of the first; null when there are none. */
export const canonicalFault = (links: ReadonlyArray<CanonicalLink>, detail?: string): Fault | null => {
  const [first] = links
  if (first === undefined) return null
  return { detail: detail ?? first.raw, value: first.raw, elements: canonicalElements(links) }
}

/** The canonicals of a page that engines read. */
export const readLinks = ({ canonical }: ReadPage) => canonical.links.filter(({ inHead, valid }) => inHead && valid)

/** The fault of those canonicals of a page of which something holds. */
const linksThat =
  (holds: (link: CanonicalLink) => boolean) =>
  ({ canonical }: ReadPage): Fault | null =>
    canonicalFault(canonical.links.filter(holds))

/** How pages write their canonical. */
export const canonicals: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_missing",
      name: "Missing canonical",
      category: "canonicals",
      severity: "info",
      means: "A page that may be indexed names no canonical, so engines choose among its addresses themselves.",
      fix: "Add a link element with rel=canonical that names the page's own preferred address.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Without a canonical engines choose among the addresses of a page themselves (with parameters, slashes, hosts).",
        goal: "Let each listed page name its own address as canonical",
        find,
        steps: [
          "Add one link rel=canonical to the shared head template.",
          own,
          "Check a page with a query string: its canonical is the address without it, if both show the same."
        ],
        never: "give all pages one canonical"
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
      means: "The page names several different canonicals; engines ignore them all.",
      fix: "Keep one canonical, in the head or in the Link header.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Engines ignore canonicals that contradict each other, all of them.",
        goal: "Let each listed page name one canonical",
        find: `${find} Two of them write one here.`,
        steps: [
          "List every canonical of the page, head and header, with its origin.",
          "Keep the one that is right and remove the other origin, mostly a plugin beside a template.",
          own
        ],
        never: "make both name the same wrong address"
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
      means: "A canonical is empty, does not parse, has a user name or a password, or is no http(s) address.",
      fix: "Write the full address of the preferred page.",
      source: rfc,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "A canonical that cannot be read is ignored.",
        goal: "Let each listed page name a full http(s) address as canonical",
        find: `${find} Look for a value that is empty, a template expression that was not filled in, or an address without a scheme.`,
        steps: [
          "Repair what computes the value, and leave the element away when there is none.",
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
      means:
        "A canonical is written as a relative address, which a wrong base or a copied page turns into another one.",
      fix: "Write the absolute address.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "A relative canonical changes its meaning with the base, the host and every copy of the page.",
        goal: "Write the canonicals of the listed pages as absolute addresses",
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
      means: "A canonical carries a fragment, which engines drop.",
      fix: "Remove everything from the # on.",
      source: guide,
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "Engines drop what stands behind #, so the canonical names another address than was meant.",
        goal: "Write the canonicals of the listed pages without a fragment",
        find: `${find} Single-page applications often take the router's address.`,
        steps: ["Cut the value at #.", "Where the fragment tells pages apart, give these pages paths of their own."],
        never: "encode the # so that it passes"
      }
    },
    linksThat(({ fragment }) => fragment !== null),
    indexed
  ),
  perPage(
    {
      id: "canonical_outside_head",
      name: "Canonical outside of the head",
      category: "canonicals",
      severity: "warning",
      means:
        "A canonical stands outside the head, often because an invalid element ended the head early. It is ignored.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      restsOn: "own",
      eligibleOnly: true,
      guidance: {
        why: "A canonical in the body is ignored.",
        goal: "Put the canonical of the listed pages into the head",
        find: "Find where the element is written, and which element before it ended the head: text, div, img or iframe.",
        steps: [
          "Look at the element tree as the browser builds it and find the first element of the body.",
          "Move what ended the head into the body, or write the canonical before it.",
          "Check title, robots meta and hreflang too: they stand behind the same element."
        ],
        never: "write a second canonical into the head and leave the first"
      }
    },
    linksThat(({ inHead }) => !inHead),
    indexed
  )
]
