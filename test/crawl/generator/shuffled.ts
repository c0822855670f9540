import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { crawlSite } from "./Crawling.ts"
import { generate } from "./Generate.ts"
import { origin, seeds } from "./Seeds.ts"
import type { Site } from "./Site.ts"
import { worldOf } from "./World.ts"

const isVaried = ({ answers }: Site): boolean => new Set([...answers.values()].map(({ kind }) => kind)).size > 3

/** The site with the most URLs; one of its pages never responds, and one connection breaks. */
const richest = (): Site => {
  const sites = seeds(200, 4400).map((seed) => generate(seed, { origin }))
  const sizes = sites.filter(isVaried).map((site) => ({ site, size: worldOf(site, true).places.size }))
  const { site } = sizes.reduce((one, other) => (other.size > one.size ? other : one))
  const pages = [...site.answers].flatMap(([url, { kind }]) => (kind === "page" && url !== site.start ? [url] : []))
  for (const [index, fault] of (["timeout", "reset"] as const).entries())
    for (const url of pages.slice(index, index + 1)) site.answers.set(url, { kind: "fault", fault })
  return site
}

const timeless = (result: CrawlResult): string =>
  JSON.stringify({
    ...result,
    summary: { ...result.summary, crawl: null },
    pages: result.pages.map((page) => ({ ...page, response_ms: null }))
  })

/**
 * Crawls a site with many URLs and kinds of responses (one never comes, one breaks off) the given number of times, each time with other
 * latencies. Returns the number of distinct results, the number of orders in which responses came, and the number of pages.
 */
export const shuffled = (times: number) =>
  Effect.gen(function* () {
    const site = richest()
    const runs = yield* Effect.forEach(seeds(times), (seed) =>
      Effect.map(
        crawlSite(site, { checkExternalLinks: true }, { seed, latency: (random) => random.int(0, 900) }),
        ({ answered, result }) => ({
          order: answered.join(),
          pages: result.pages.length,
          text: timeless(result)
        })
      )
    )
    return {
      orders: new Set(runs.map(({ order }) => order)).size,
      pages: runs[0]?.pages ?? 0,
      results: new Set(runs.map(({ text }) => text)).size
    }
  })
