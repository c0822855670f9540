import type { HealthReason } from "../../../src/crawl/report/MeasuredPage.ts"
import { acts, hopAt, isEndless, isInternal, isOutOfReach, settled } from "./ModelReach.ts"
import { isAllowed, isOpenToGoogle } from "./ModelRobots.ts"
import type { Doc, Site } from "./Site.ts"

/** Meta names that count: robots, and googlebot. */
const heeded = new Set<string | null>([null, "robots", "googlebot"])

/** Effective robots directives of a page, in the head or the headers. */
export const directivesOf = (doc: Doc) =>
  doc.robots.filter(({ agent, place }) => place !== "body" && heeded.has(agent?.toLowerCase() ?? null))

/** The canonical of a document without contradictions. */
export const canonicalOf = (doc: Doc): string | null => {
  const named = new Set(doc.canonicals.flatMap(({ place, to }) => (place === "body" || to === null ? [] : [to])))
  const [only = null] = named
  return named.size === 1 ? only : null
}

/** The end of all redirects from a URL. */
export const endOf = (
  site: Site,
  url: string
): {
  readonly hops: ReadonlyArray<string>
  readonly end: "page" | "loop" | "offsite" | "nowhere"
  readonly last: string
} => {
  const hops: Array<string> = []
  for (let last = url; ; ) {
    const answer = isAllowed(site, last) && !isEndless(last) && !acts(last) ? settled(site, last) : null
    const next = hopAt(site, last)
    if (next === null) return { hops, last, end: answer?.kind === "redirect" ? "nowhere" : "page" }
    hops.push(next)
    if (!isInternal(site, next)) return { hops, last: next, end: "offsite" }
    if (next === url || hops.indexOf(next) < hops.length - 1 || hops.length > 10)
      return { hops, last: next, end: "loop" }
    last = next
  }
}

const redirectReason = (site: Site, url: string, isPermanent: boolean): HealthReason => {
  const next = hopAt(site, url)
  if (next !== null && !isInternal(site, next)) return "redirect_offsite"
  if (endOf(site, url).end === "loop") return "redirect_loop"
  return isPermanent ? "redirect_permanent" : "redirect_temporary"
}

/** A URL without its query, index file and trailing slash. */
export const folder = (url: string): string => url.replace(/\?.*/, "").replace(/\/(?:index\.html?)?$/, "")

/** The canonical is an indexable page with another query, index file or slash. */
const isVariant = (site: Site, url: string, canonical: string): boolean =>
  isInternal(site, canonical) && folder(canonical) === folder(url) && reasonsOf(site, canonical).length === 0

/** Search engines find no page at the canonical: its host is unreachable, or it ends at an error or nowhere. */
const leadsNowhere = (site: Site, canonical: string): boolean => {
  if (!isInternal(site, canonical)) return isOutOfReach(site, canonical)
  const { end, last } = endOf(site, canonical)
  if (end === "offsite") return isOutOfReach(site, last)
  if (end !== "page") return true
  if (!isAsked(site, last)) return false
  const answer = settled(site, last)
  if (answer.kind === "error") return answer.status !== 429
  return answer.kind === "fault" || (answer.kind === "page" && answer.doc.isErrorPage)
}

/** A script changes the canonical that the server sends: which one counts is open. */
const changesCanonical = ({ scripted }: Site, url: string): boolean => {
  const plan = scripted.get(url)
  const named = ({ canonicals }: Doc) => canonicals.map(({ to }) => to).join()
  return plan !== undefined && plan.sent.canonicals.length > 0 && named(plan.sent) !== named(plan.shown)
}

const pageReasons = (site: Site, url: string, doc: Doc): ReadonlyArray<HealthReason> => {
  const canonical = canonicalOf(doc)
  const returns = canonical !== null && hopAt(site, canonical) !== null && endOf(site, canonical).last === url
  const hides = directivesOf(doc).filter((directive) => directive.hides)
  return [
    ...(doc.isErrorPage ? (["soft_404"] as const) : []),
    ...(hopAt(site, url) === null ? [] : [redirectReason(site, url, true)]),
    ...(isOpenToGoogle(site, url) ? [] : (["blocked_by_robots"] as const)),
    ...(hides.some(({ place }) => place === "head") ? (["noindex_meta"] as const) : []),
    ...(hides.some(({ place }) => place === "header") ? (["noindex_header"] as const) : []),
    ...(canonical === null ||
    canonical === url ||
    returns ||
    changesCanonical(site, url) ||
    leadsNowhere(site, canonical)
      ? []
      : ([isVariant(site, url, canonical) ? "canonical_variant" : "canonical_elsewhere"] as const))
  ]
}

/** All reasons that apply to a URL in order of precedence; an empty list means that the page is fine. */
export const reasonsOf = (site: Site, url: string): ReadonlyArray<HealthReason> => {
  if (acts(url)) return ["action_link"]
  if (site.robots.kind === "unreachable") return ["robots_unreachable"]
  const shut = isOpenToGoogle(site, url) ? [] : (["blocked_by_robots"] as const)
  if (!isAllowed(site, url)) return shut.length > 0 ? shut : ["blocked_for_us"]
  if (isEndless(url)) return shut.length > 0 ? shut : ["limit_reached"]
  const answer = settled(site, url)
  switch (answer.kind) {
    case "error":
      return [answer.status === 429 ? "rate_limited" : answer.status >= 500 ? "http_5xx" : "http_4xx", ...shut]
    case "challenge":
      return ["bot_challenge", ...shut]
    case "fault":
      return [answer.fault === "timeout" ? "timed_out" : "connection_failed", ...shut]
    case "file":
      return ["not_html", ...shut]
    case "huge":
      return ["too_large", ...shut]
    case "redirect":
      return [redirectReason(site, url, answer.status === 301 || answer.status === 308), ...shut]
    case "page":
      return pageReasons(site, url, answer.doc)
  }
}

/** Whether an unlimited crawl requests a URL. */
export const isAsked = (site: Site, url: string): boolean => isAllowed(site, url) && !isEndless(url) && !acts(url)

/** The status of the final response; null without a response or a request. */
export const statusOf = (site: Site, url: string): number | null => {
  if (!isAsked(site, url)) return null
  const answer = settled(site, url)
  if (answer.kind === "error" || answer.kind === "redirect") return answer.status
  if (answer.kind === "challenge") return answer.how === "header" ? 403 : 503
  return answer.kind === "fault" ? null : 200
}
