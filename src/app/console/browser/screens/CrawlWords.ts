import type { Run } from "../api/Contract.ts"
import { count, plural } from "../parts/Formats.ts"

/** Seconds from the start of a crawl to its end; null if it never started or has not ended. */
export const secondsOf = ({ finished_at, started_at }: Run): number | null =>
  started_at === null || finished_at === null ? null : (Date.parse(finished_at) - Date.parse(started_at)) / 1000

/** How far a failed crawl came, in words. */
export const reachedOf = ({ counters, request: { max_pages } }: Pick<Run, "counters" | "request">): string => {
  if (counters === null) return `no page, of up to ${plural(max_pages, "page")}`
  const { pages_discovered, pages_failed, pages_fetched } = counters
  const left = Math.max(0, Math.min(pages_discovered, max_pages) - pages_fetched - pages_failed)
  return [
    `${count(pages_fetched)} of up to ${plural(max_pages, "page")} crawled`,
    `${count(pages_discovered)} discovered`,
    ...(pages_failed === 0 ? [] : [`${count(pages_failed)} unreachable`]),
    ...(left === 0 ? [] : [`${count(left)} still to crawl`])
  ].join(" · ")
}
