import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { effect } from "../../harness.ts"
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

/** A site of many URLs and kinds of answers, among them one that never comes and one whose connection breaks. */
const rich = seeds(600, 4400).find(isRich) ?? 0

const timeless = (result: CrawlResult): string =>
  JSON.stringify({
    ...result,
    summary: { ...result.summary, crawl: null },
    pages: result.pages.map((page) => ({ ...page, response_ms: null }))
  })

effect(
  "a hundred runs over a generated site with shuffled latencies are byte-identical",
  () =>
    Effect.gen(function* () {
      const site = generate(rich, { origin })
      const runs = yield* Effect.forEach(seeds(100), (seed) =>
        crawlSite(site, {}, { seed, latency: (random) => random.int(0, 900) })
      )
      const [first] = runs
      const orders = new Set(runs.map(({ answered }) => answered.join()))
      expect(new Set(runs.map(({ result }) => timeless(result))).size).toBe(1)
      // The network did differ: no two runs heard the answers in the same order.
      expect(orders.size).toBe(100)
      expect(first?.result.pages.length).toBeGreaterThan(20)
    }),
  { timeout: 60_000 }
)
