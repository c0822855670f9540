import type { Steps } from "../../foundation/schema/Steps.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import { hopOf } from "./RedirectChain.ts"

/** Cost of looking at a record and at a link of it, in characters. */
const worthOfRecord = 16
const worthOfLink = 2

/**
 * Fewest clicks from the start to each URL; redirects cost none. The run's own count is that of the first meeting, and
 * a shorter way may be met later, behind a redirect or on a page that the sitemap named.
 */
export function* clicksFrom(
  records: ReadonlyArray<UrlRecord>,
  find: (url: string) => UrlRecord | undefined
): Steps<ReadonlyMap<string, number>> {
  const clicks = new Map<string, number>()
  let round = records.filter(({ via }) => via === "start")
  for (let depth = 0; round.length > 0; depth++) {
    const linked: Array<UrlRecord> = []
    const take = (url: string, into: Array<UrlRecord>) => {
      const record = clicks.has(url) ? undefined : find(url)
      if (record !== undefined) into.push(record)
    }
    for (const record of round) {
      if (clicks.has(record.url)) continue
      clicks.set(record.url, depth)
      const to = hopOf(record)?.to ?? null
      if (to !== null) take(to, round)
      const links = record.visit?.facts?.links ?? []
      for (const { target } of links) if (target.followable) take(target.url, linked)
      yield worthOfRecord + links.length * worthOfLink
    }
    round = linked
  }
  return clicks
}
