import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { CrawlResult } from "../../src/crawl/Crawl.ts"
import { type HealthReason, healthStateOf } from "../../src/crawl/report/MeasuredPage.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

type Nature = "page" | "noindex" | "canonical" | "gone" | "error" | "moved" | "away" | "slow" | "private" | "file"

interface Node {
  readonly nature: Nature
  readonly links: ReadonlyArray<number>
}

const natures: ReadonlyArray<Nature> = [
  "page",
  "page",
  "page",
  "noindex",
  "canonical",
  "gone",
  "error",
  "moved",
  "away",
  "slow",
  "private",
  "file"
]

const node = (size: number): fc.Arbitrary<Node> =>
  fc.record({ nature: fc.constantFrom(...natures), links: fc.array(fc.nat(size - 1), { maxLength: 6 }) })

const graph = fc
  .integer({ min: 1, max: 25 })
  .chain((size) => fc.array(node(size), { minLength: size, maxLength: size }))

const pathOf = (nodes: ReadonlyArray<Node>, index: number): string =>
  index === 0 ? "/" : `/${nodes[index]?.nature === "private" ? "private" : "node"}/${index}`

const replyOf = (nodes: ReadonlyArray<Node>, index: number): Reply => {
  const node = nodes[index]
  const nature = index === 0 ? "page" : node?.nature
  const links = (node?.links ?? []).map((to) => pathOf(nodes, to))
  const title = `Node ${index}`
  switch (nature) {
    case "noindex":
      return { body: html({ title, links, head: "<meta name=robots content=noindex>" }) }
    case "canonical":
      return { body: html({ title, links, head: "<link rel=canonical href=/>" }) }
    case "gone":
      return { status: 404 }
    case "error":
      return { status: 500 }
    case "moved":
      return { status: 301, headers: { location: links[0] ?? "/" } }
    case "away":
      return { status: 302, headers: { location: "https://other.test/" } }
    case "slow":
      return { fault: "timeout" }
    case "file":
      return { headers: { "content-type": "application/pdf" }, body: "%PDF" }
    default:
      return { body: html({ title, links }) }
  }
}

const possible: Readonly<Record<Nature, ReadonlyArray<HealthReason>>> = {
  page: ["ok"],
  noindex: ["noindex_meta"],
  canonical: ["canonical_elsewhere"],
  gone: ["http_4xx"],
  error: ["http_5xx"],
  moved: ["redirect_permanent", "redirect_loop"],
  away: ["redirect_offsite"],
  slow: ["timed_out"],
  private: ["blocked_by_robots"],
  file: ["not_html"]
}

const decode = Schema.decodeUnknownSync(CrawlResult)
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

test("on any site the report adds up, every verdict is the planted one, and no rule of the site is broken", async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.integer({ min: 1, max: 30 }), async (nodes, maxPages) => {
      const asked: Array<string> = []
      const outbound = memoryOutbound(
        (url) => {
          if (url.pathname === "/robots.txt") return { body: "User-agent: *\nDisallow: /private" }
          if (url.pathname === "/") return replyOf(nodes, 0)
          const index = Number(/\/(\d+)$/.exec(url.pathname)?.[1] ?? "-1")
          return index >= 0 ? replyOf(nodes, index) : { status: 404 }
        },
        (url) => asked.push(url.pathname)
      )
      const timing = { confirmAfter: 0, backoff: 0, pageDeadline: 1000, idleTimeout: 1000, robotsDeadline: 1000 }
      const result = decode(
        JSON.parse(
          JSON.stringify(
            await Effect.runPromise(Effect.provide(report("http://site.test/", { maxPages, timing }), outbound))
          )
        )
      )
      const { dead_links, inventory, pages: counts } = result.summary

      expect(counts.fetched + counts.failed + counts.skipped).toBe(counts.discovered)
      expect(result.pages.length).toBe(counts.discovered)
      expect(counts.fetched + counts.failed).toBeLessThanOrEqual(maxPages)
      expect(inventory.eligible + inventory.excluded).toBe(result.pages.length)
      expect(sum(inventory.reasons.map(({ count }) => count))).toBe(inventory.excluded)
      expect(asked.filter((path) => path.startsWith("/private"))).toEqual([])
      expect(new Set(result.pages.map(({ url }) => url)).size).toBe(result.pages.length)
      for (const page of result.pages) {
        expect(page.health_state).toBe(healthStateOf[page.health_reason])
        const index = Number(/\/(\d+)$/.exec(page.url)?.[1] ?? "0")
        const nature = index === 0 ? "page" : (nodes[index]?.nature ?? "page")
        const allowed = possible[nature]
        if (page.health_reason !== "limit_reached") expect(allowed).toContain(page.health_reason)
      }
      const dead = result.pages.filter(
        ({ health_reason }) => health_reason === "http_4xx" || health_reason === "http_5xx"
      )
      expect(dead_links.items.map(({ url }) => url)).toEqual(dead.map(({ url }) => url))
      expect(dead_links.state).toBe(result.summary.complete ? "complete" : "partial")
      expect(result.summary.complete).toBe(!result.pages.some(({ health_reason }) => health_reason === "limit_reached"))
    }),
    { numRuns: 150 }
  )
})
