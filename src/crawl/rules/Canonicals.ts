import type { AnalysedPage } from "../analysis/AnalysedPage.ts"
import type { AnalysedSite } from "../analysis/AnalysedSite.ts"
import { healthStateOf } from "../report/States.ts"
import { sameSite } from "../site/Site.ts"
import { canonicals as guidance } from "./guidance/Canonicals.ts"
import { isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"

const guide = "Google Search Central, How to specify a canonical URL"
const rfc = "RFC 6596 §3"

/** The page that the canonical names when it is another one that the run knows. */
const targetOf = ({ canonical, url }: ReadPage, site: AnalysedSite): AnalysedPage | undefined =>
  canonical.url === null || canonical.url === url ? undefined : site.find(canonical.url)

const hasCanonical = (page: ReadPage): boolean => page.canonical.links.length > 0
const among = { among: hasCanonical, nothing: "no page names a canonical" }

const toTarget =
  (holds: (target: AnalysedPage) => boolean) =>
  (page: ReadPage, site: AnalysedSite): string | null => {
    const target = targetOf(page, site)
    return target !== undefined && holds(target) ? `${target.url} (${target.reason})` : null
  }

export const canonicals: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "canonical_missing",
      category: "canonicals",
      severity: "info",
      means: "A page that may be indexed names no canonical, so engines choose among its addresses themselves.",
      fix: "Add a link element with rel=canonical that names the page's own preferred address.",
      source: guide,
      needsRendering: true,
      restsOn: "own",
      eligibleOnly: true,
      guidance: guidance.canonical_missing
    },
    (page) => (hasCanonical(page) ? null : "no rel=canonical in head or Link header"),
    { among: isEligible }
  ),
  perPage(
    {
      id: "canonical_conflicting",
      category: "canonicals",
      severity: "warning",
      means: "The page names several different canonicals; engines ignore them all.",
      fix: "Keep one canonical, in the head or in the Link header.",
      source: guide,
      restsOn: "own",
      guidance: guidance.canonical_conflicting
    },
    ({ canonical }) => (canonical.conflicting ? canonical.urls.join(" and ") : null),
    among
  ),
  perPage(
    {
      id: "canonical_invalid",
      category: "canonicals",
      severity: "warning",
      means: "A canonical is empty, does not parse, or is no http(s) address.",
      fix: "Write the full address of the preferred page.",
      source: rfc,
      restsOn: "own",
      guidance: guidance.canonical_invalid
    },
    ({ canonical }) => {
      const invalid = canonical.links.find(({ valid }) => !valid)
      return invalid === undefined ? null : `"${invalid.raw}"`
    },
    among
  ),
  perPage(
    {
      id: "canonical_relative",
      category: "canonicals",
      severity: "info",
      means:
        "A canonical is written as a relative address, which a wrong base or a copied page turns into another one.",
      fix: "Write the absolute address.",
      source: guide,
      restsOn: "own",
      guidance: guidance.canonical_relative
    },
    ({ canonical }) => canonical.links.find(({ absolute, valid }) => valid && !absolute)?.raw ?? null,
    among
  ),
  perPage(
    {
      id: "canonical_fragment",
      category: "canonicals",
      severity: "info",
      means: "A canonical carries a fragment, which engines drop.",
      fix: "Remove everything from the # on.",
      source: guide,
      restsOn: "own",
      guidance: guidance.canonical_fragment
    },
    ({ canonical }) => canonical.links.find(({ fragment }) => fragment !== null)?.raw ?? null,
    among
  ),
  perPage(
    {
      id: "canonical_outside_head",
      category: "canonicals",
      severity: "warning",
      means:
        "A canonical stands outside the head, often because an invalid element ended the head early. It is ignored.",
      fix: "Move it into the head, before any element that is not allowed there.",
      source: "Google Search Central, Use valid page metadata",
      restsOn: "own",
      guidance: guidance.canonical_outside_head
    },
    ({ canonical }) => canonical.links.find(({ inHead }) => !inHead)?.raw ?? null,
    among
  ),
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
      guidance: guidance.canonical_to_error
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
      guidance: guidance.canonical_to_redirect
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
      guidance: guidance.canonical_to_hidden
    },
    toTarget(
      ({ reason }) => reason === "noindex_meta" || reason === "noindex_header" || reason === "blocked_by_robots"
    ),
    among
  ),
  perPage(
    {
      id: "canonical_chain",
      category: "canonicals",
      severity: "warning",
      means: "The canonical names a page that names yet another page as its canonical.",
      fix: "Name the last page of the chain.",
      source: guide,
      guidance: guidance.canonical_chain
    },
    toTarget(({ also, reason }) => reason === "canonical_elsewhere" || also.includes("canonical_elsewhere")),
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
      guidance: guidance.canonical_cross_site
    },
    ({ canonical }, { start }) =>
      canonical.url !== null && !sameSite(start, new URL(canonical.url)) ? canonical.url : null,
    among
  )
]
