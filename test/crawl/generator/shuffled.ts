import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { crawlSite } from "./Crawling.ts"
import { generate } from "./Generate.ts"
import { origin, seeds } from "./Seeds.ts"
import { worldOf } from "./World.ts"

const isRich = (seed: number): boolean => {
  const site = generate(seed, { origin })
  const answers = [...site.answers.values()]
  const has = (fault: string) => answers.some((answer) => answer.kind === "fault" && answer.fault === fault)
  const isVaried = has("timeout") && has("reset") && new Set(answers.map(({ kind }) => kind)).size > 3
  return isVaried && worldOf(site, true).places.size > 20
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
    const site = generate(seeds(600, 4400).find(isRich) ?? 0, { origin })
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
