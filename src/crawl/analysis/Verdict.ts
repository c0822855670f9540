import { isWeb } from "../../foundation/schema/Scalars.ts"
import type { UrlRecord } from "../frontier/Frontier.ts"
import { headerForbidsIndexing, metaForbidsIndexing } from "../page/Meta.ts"
import type { CanonicalLink } from "../page/UrlIdentity.ts"
import type { HealthReason, IndexabilityState } from "../report/MeasuredPage.ts"
import { canonicalsOf, isShutOut, type RedirectTarget, type Visit } from "../visit/Visit.ts"
import { maxHops } from "../visit/Visitor.ts"

/** Where following a URL's redirects leads. */
export interface RedirectChain {
  /** URLs after the first, in order. */
  readonly hops: ReadonlyArray<string>
  readonly end: "settled" | "loop" | "offsite" | "unknown"
  /** The final target. */
  readonly target: UrlRecord | null
}

/** The next hop of a record: its HTTP redirect, or else its immediate refresh. */
export const hopOf = (record: UrlRecord): RedirectTarget | null =>
  record.visit?.redirect ?? record.visit?.refresh ?? null

/** Follows the redirects of the crawl, at most ten; a repeated URL or a longer chain is a loop. */
export const chainOf = (start: UrlRecord, find: (url: string) => UrlRecord | undefined): RedirectChain => {
  const hops: Array<string> = []
  const seen = new Set([start.url])
  let record = start
  for (;;) {
    const hop = hopOf(record)
    if (hop === null) return { hops, end: record.visit === null ? "unknown" : "settled", target: record }
    if (hop.loop) return { hops: hop.to === null ? hops : [...hops, hop.to], end: "loop", target: null }
    if (hop.to === null) return { hops, end: "unknown", target: null }
    hops.push(hop.to)
    if (!hop.internal) return { hops, end: "offsite", target: null }
    if (seen.has(hop.to) || hops.length > maxHops) return { hops, end: "loop", target: null }
    seen.add(hop.to)
    const next = find(hop.to)
    if (next === undefined) return { hops, end: "unknown", target: null }
    record = next
  }
}

/** The canonical URL of a page: only valid references count, and elements only inside the head. */
export interface Canonical {
  readonly links: ReadonlyArray<CanonicalLink>
  /** Distinct URLs declared. */
  readonly urls: ReadonlyArray<string>
  /** The declared URL; null without one, or when several disagree, because search engines ignore them. */
  readonly url: string | null
  readonly conflicting: boolean
  /** The canonical target is out of reach or returns an error, itself or behind redirects. Search engines ignore the canonical. */
  readonly leadsNowhere: boolean
}

export const canonicalOf = (visit: Visit | null): Omit<Canonical, "leadsNowhere"> => {
  const links = visit === null ? [] : canonicalsOf(visit)
  const urls = [...new Set(links.flatMap(({ inHead, url, valid }) => (valid && inHead && url !== null ? [url] : [])))]
  return { links, urls, url: urls.length === 1 ? (urls[0] ?? null) : null, conflicting: urls.length > 1 }
}

const metaNoindex = ({ facts }: Visit, now: number): boolean => metaForbidsIndexing(facts?.robots ?? [], now)

const headerNoindex = ({ headerFacts }: Visit, now: number): boolean =>
  headerForbidsIndexing(headerFacts?.robotsTags ?? [], now)

/** Whether a page is noindex. */
export const isNoindex = (visit: Visit, now: number): boolean => metaNoindex(visit, now) || headerNoindex(visit, now)

/** Whether an indexable page is its own canonical. */
export const namesItself = (url: string, visit: Visit, now: number): boolean =>
  canonicalOf(visit).url === url && !isNoindex(visit, now)

/** Facts beyond the page that its verdict needs. */
interface Surroundings {
  /** Epoch ms to compare `unavailable_after` with. */
  readonly now: number
  readonly find: (url: string) => UrlRecord | undefined
  /** Whether a second request confirmed a soft 404 at the URL. */
  readonly isSoft: (url: string) => boolean
  /** Whether nobody reaches the host of a URL. */
  readonly isUnreachable: (url: URL) => boolean
  /** Why there is no verdict: the URL was not visited, or its response decides nothing; null with a verdict. */
  readonly open: HealthReason | null
}

interface Verdict {
  readonly reasons: readonly [HealthReason, ...ReadonlyArray<HealthReason>]
  readonly chain: RedirectChain
  readonly canonical: Canonical
}

const redirectReason = (record: UrlRecord, chain: RedirectChain): HealthReason | null => {
  const hop = hopOf(record)
  if (hop === null) return null
  if (chain.end === "loop") return "redirect_loop"
  if (hop.to !== null && !hop.internal) return "redirect_offsite"
  return hop.permanent ? "redirect_permanent" : "redirect_temporary"
}

/** Whether a URL without a redirect shows no page: it returns an error, or nothing. */
const showsNothing = ({ url, visit }: UrlRecord, isSoft: Surroundings["isSoft"]): boolean => {
  if (visit === null) return false
  const { reason, status } = visit
  if (reason !== null) return reason === "timed_out" || reason === "connection_failed"
  return (status ?? 0) >= 400 || isSoft(url)
}

/** Where a page's canonical leads: a canonical that redirects back means this page; a canonical with an unknown end stays open. */
const leadOf = (
  record: UrlRecord,
  { url }: Pick<Canonical, "url">,
  { find, isSoft, isUnreachable }: Surroundings
): "itself" | "elsewhere" | "nowhere" => {
  if (url === null || url === record.url) return "itself"
  const isLost = (address: string) => {
    const parsed = URL.parse(address)
    return parsed === null || !isWeb(parsed) || isUnreachable(parsed)
  }
  const named = find(url)
  if (isLost(url)) return "nowhere"
  if (named === undefined) return "elsewhere"
  const { end, hops, target } = chainOf(named, find)
  if (target !== null && hops.length > 0 && target.url === record.url) return "itself"
  const last = hops.at(-1) ?? url
  if (end === "loop" || isLost(last)) return "nowhere"
  if (target !== null) return showsNothing(target, isSoft) ? "nowhere" : "elsewhere"
  const stopped = find(last)
  return stopped !== undefined && hopOf(stopped)?.to === null ? "nowhere" : "elsewhere"
}

/** Whether a script changes the canonical that the server sends, or takes it out: which of the two an engine takes is open (Google, JavaScript SEO basics). */
export const changesCanonical = ({ scripted }: Visit): boolean =>
  scripted?.report.differences.some(({ raw, what }) => what === "canonical" && raw !== null) ?? false

/**
 * The fixed order: unchecked, failed, redirect, hidden, eligible; within hidden: robots.txt (which hides the other reasons from Googlebot), meta, header,
 * canonical.
 */
export const verdictOf = (record: UrlRecord, surroundings: Surroundings): Verdict => {
  const { find, isSoft, now, open } = surroundings
  const { visit } = record
  const chain = chainOf(record, find)
  const named = canonicalOf(visit)
  const lead = visit?.facts == null || changesCanonical(visit) ? "itself" : leadOf(record, named, surroundings)
  const canonical: Canonical = { ...named, leadsNowhere: lead === "nowhere" }
  const reasons: Array<HealthReason> = []
  const add = (holds: boolean, reason: HealthReason) => {
    if (holds) reasons.push(reason)
  }
  if (visit === null) return { reasons: [open ?? "limit_reached"], chain, canonical }
  const status = visit.status ?? 0
  if (open !== null) reasons.push(open)
  else {
    add(status >= 400 && status < 500, "http_4xx")
    add(status >= 500, "http_5xx")
    add(isSoft(record.url), "soft_404")
    const redirect = redirectReason(record, chain)
    if (redirect !== null) reasons.push(redirect)
  }
  add(isShutOut(visit), "blocked_by_robots")
  if (status < 300) {
    add(metaNoindex(visit, now), "noindex_meta")
    add(headerNoindex(visit, now), "noindex_header")
    add(lead === "elsewhere", "canonical_elsewhere")
  }
  const [first = "ok", ...others] = reasons
  return { reasons: [first, ...others], chain, canonical }
}

/** Whether search engines may index the URL, by its current response. */
export const indexabilityOf = (reason: HealthReason): IndexabilityState => {
  switch (reason) {
    case "ok":
      return "indexable"
    case "noindex_meta":
    case "noindex_header":
      return "noindex"
    case "canonical_elsewhere":
    case "canonical_variant":
      return "canonicalised"
    case "blocked_by_robots":
      return "blocked_by_robots"
    case "redirect_permanent":
    case "redirect_temporary":
    case "redirect_loop":
    case "redirect_offsite":
    case "http_4xx":
    case "http_5xx":
    case "soft_404":
      return "not_indexable"
    default:
      return "unknown"
  }
}
