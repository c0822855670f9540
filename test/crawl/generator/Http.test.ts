import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { report, shortTiming } from "../site/Crawled.ts"
import { loopback } from "../site/Loopback.ts"
import { compare } from "./Compare.ts"
import { crawlSite, options } from "./Crawling.ts"
import { serveSite } from "./HttpSite.ts"
import { worldOf } from "./World.ts"

/** Pages that answer at all do so within this, also on a busy machine. */
const timing = { ...shortTiming, idleTimeout: 2000, pageDeadline: 2000, robotsDeadline: 2000 }

/** How long a real server takes is not the site's plan. */
const rules = catalogue.filter(({ id }) => id !== "response_slow")

/** What the network alone decides is left out: times, and the kind of break. */
const settled = ({ pages, summary, ...result }: CrawlResult) => ({
  ...result,
  summary: { ...summary, crawl: null },
  pages: pages.map((page) => ({
    ...page,
    response_ms: null,
    evidence: page.health_reason === "connection_failed" ? null : page.evidence
  }))
})

describe("over real HTTP", () => {
  for (const seed of [0, 4, 8, 12, 20, 52]) {
    it(`site ${seed} gives the report that it gives in memory, and both are true`, function* () {
      const site = yield* serveSite(seed)
      const real = yield* Effect.provide(report(site.start, { ...options, rules, timing }), loopback)
      const { result } = yield* crawlSite(site, { rules }, { seed })
      const wrong = compare(worldOf(site, true), real).filter(({ outcome }) => outcome !== "found")
      expect(wrong).toEqual([])
      expect(settled(real)).toEqual(settled(result))
    })
  }
})
