import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { crawlSite } from "./Crawling.ts"
import { chosen, generate } from "./Generate.ts"
import { origin, seeds } from "./Seeds.ts"
import type { Site } from "./Site.ts"
import { worldOf } from "./World.ts"

const isVaried = ({ answers }: Site): boolean => {
  const all = [...answers.values()]
  const has = (fault: string) => all.some((answer) => answer.kind === "fault" && answer.fault === fault)
  return has("timeout") && has("reset") && new Set(all.map(({ kind }) => kind)).size > 3
}

/** The one with the most URLs, so that a further plant, which shifts every lot, leaves a site of many. */
const richest = () => {
  const open = (seed: number) => chosen(seed, origin).filter(({ unverifiable }) => unverifiable === true)
  // Only every fourth seed has plants that no run can verify.
  const sites = seeds(5000, 1100)
    .filter((index) => open(4 * index).length > 1)
    .map((index) => generate(4 * index, { origin }))
  const sizes = sites.filter(isVaried).map((site) => ({ site, size: worldOf(site, true).places.size }))
  return sizes.reduce((one, other) => (other.size > one.size ? other : one)).site
}

const timeless = (result: CrawlResult): string =>
  JSON.stringify({
    ...result,
    summary: { ...result.summary, crawl: null },
    pages: result.pages.map((page) => ({ ...page, response_ms: null }))
  })

/**
 * Crawls a site of many URLs and kinds of answers, among them one that never comes and one whose connection breaks, as often as is said, each time with
 * other latencies: how many results there were, in how many orders the answers came, and how many pages the site has.
 */
export const shuffled = (times: number) =>
  Effect.gen(function* () {
    const site = richest()
    const runs = yield* Effect.forEach(seeds(times), (seed) =>
      Effect.map(crawlSite(site, {}, { seed, latency: (random) => random.int(0, 900) }), ({ answered, result }) => ({
        order: answered.join(),
        pages: result.pages.length,
        text: timeless(result)
      }))
    )
    return {
      orders: new Set(runs.map(({ order }) => order)).size,
      pages: runs[0]?.pages ?? 0,
      results: new Set(runs.map(({ text }) => text)).size
    }
  })
