import type { UrlRecord } from "../frontier/UrlRecord.ts"
import { maxHops } from "../visit/CookieRedirect.ts"
import type { RedirectTarget } from "../visit/Visit.ts"

/** Where following a URL's redirects leads. */
export interface RedirectChain {
  /** URLs after the first, in order. */
  readonly hops: ReadonlyArray<string>
  readonly end: "settled" | "loop" | "offsite" | "unknown"
  /** The record that the chain settles on. */
  readonly target: UrlRecord | null
}

/** The next hop of a record: its HTTP redirect, or else its immediate refresh. */
export const hopOf = (record: UrlRecord): RedirectTarget | null =>
  record.visit?.redirect ?? record.visit?.refresh ?? null

/** Follows the redirects that the run saw, at most ten; coming back to a URL or not settling in time is a loop. */
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
