import { plural } from "../../foundation/text/Words.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { isOpen } from "../report/States.ts"
import { inPart } from "../visit/Visit.ts"
import { reasonWords } from "./Wording.ts"

/** URLs or files that a run could not read, with their number where they are counted. */
interface Unread {
  readonly count: number
  readonly words: string
  readonly example: string | null
}

/** What a report says of a run's gaps before it judges anything. */
interface NotRead {
  readonly head: string
  readonly parts: ReadonlyArray<Unread>
}

/** Files that are no HTML and addresses that act are no pages, so nothing of them was to be read. What the options leave out may be. */
const urls = ({ summary }: CrawlResult): ReadonlyArray<Unread> =>
  summary.inventory.reasons.flatMap(({ count, example_url, reason }) =>
    isOpen(reason) || reason === "blocked_by_robots" || reason === "excluded"
      ? [{ count, words: reasonWords[reason], example: example_url }]
      : []
  )

const unlisted = ({ summary }: CrawlResult): ReadonlyArray<Unread> => {
  const count = summary.limits.unlisted_urls
  return count === 0 ? [] : [{ count, words: "met beyond what a report can list", example: null }]
}

const partly = ({ pages }: CrawlResult): ReadonlyArray<Unread> => {
  const read = pages.filter(({ evidence }) => evidence?.note === inPart)
  return read.length === 0 ? [] : [{ count: read.length, words: "read in part only", example: read[0]?.url ?? null }]
}

const fileWords = {
  unreachable: "sitemap file that did not answer",
  blocked_by_robots: "sitemap file that robots.txt forbids",
  unreadable: "sitemap file that cannot be read",
  skipped: "sitemap file beyond the limits"
} as const

const sitemaps = ({ summary }: CrawlResult): ReadonlyArray<Unread> =>
  summary.sitemap.files.flatMap(({ state, url }) =>
    state === "read" || state === "absent" ? [] : [{ count: 1, words: fileWords[state], example: url }]
  )

/** What stood in the way of a run as a whole. */
const obstacles = ({ complete, robots, sitemap }: CrawlResult["summary"]): ReadonlyArray<string> => [
  ...(sitemap.state === "not_read" ? ["the run ended before the sitemap was read"] : []),
  ...(complete || robots.crawl_delay_seconds === null || robots.crawl_delay_allows === null
    ? []
    : [
        `robots.txt asks for ${robots.crawl_delay_seconds} s between requests, which leaves room for ${plural(robots.crawl_delay_allows, "request")}`
      ])
]

/** What the run met and could not read: because of limits, robots.txt, or silence. */
export const notRead = (result: CrawlResult): NotRead => {
  const outside = [...urls(result), ...unlisted(result)]
  const count = outside.reduce((sum, each) => sum + each.count, 0)
  const head = [
    ...(count === 0
      ? []
      : [`${count} of ${plural(result.summary.pages.discovered, "URL")}, of which nothing below can speak`]),
    ...obstacles(result.summary)
  ]
  const parts = [...outside, ...partly(result), ...sitemaps(result)]
  return { head: head.length > 0 ? head.join("; ") : parts.length > 0 ? "parts of what was met" : "nothing", parts }
}
