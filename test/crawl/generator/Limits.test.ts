import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { CrawlOptions } from "../../../src/crawl/Crawl.ts"
import { it } from "../../harness.ts"
import { maxUrls } from "./Builder.ts"
import { crawlSite } from "./Crawling.ts"
import { generate } from "./Generate.ts"
import { breaches, overclaims } from "./Laws.ts"
import { Random } from "./Random.ts"
import { origin, seeds } from "./Seeds.ts"
import { worldOf } from "./World.ts"

const randomOf = (seed: number) => new Random(`limit ${seed}`)

/** Runs of some seeds under limits of their own; every wrong word of theirs, and how many were cut. */
const limited = (list: ReadonlyArray<number>, own: (random: Random) => Partial<CrawlOptions>, latency: number) =>
  Effect.gen(function* () {
    const wrong: Array<string> = []
    let cut = 0
    for (const seed of list) {
      const site = generate(seed, { origin })
      const world = worldOf(site, true)
      const limits = own(randomOf(seed))
      const network = { seed, latency: (random: Random) => random.int(0, latency) }
      const crawled = yield* Effect.either(crawlSite(site, limits, network))
      // Without an answer from the start page there is no report to be wrong.
      if (Either.isLeft(crawled)) continue
      const lines = breaches(world, crawled.right, limits.maxPages ?? maxUrls)
      if (!crawled.right.result.summary.complete) {
        cut += 1
        lines.push(...overclaims(world, crawled.right.result))
      }
      for (const line of lines) wrong.push(`seed ${seed}, ${JSON.stringify(limits)}: ${line}`)
    }
    return { cut, wrong: wrong.slice(0, 20) }
  })

describe("a run that a limit ends says nothing of what it did not see, and nothing wrong about the rest", () => {
  it("pages", function* () {
    const { cut, wrong } = yield* limited(seeds(16, 1000), (random) => ({ maxPages: random.int(1, 20) }), 5)
    expect(wrong).toEqual([])
    expect(cut).toBeGreaterThan(10)
  })

  it("wall clock", function* () {
    const { cut, wrong } = yield* limited(seeds(16, 2000), (random) => ({ deadline: random.int(500, 8000) }), 2000)
    expect(wrong).toEqual([])
    expect(cut).toBeGreaterThan(10)
  })
})
