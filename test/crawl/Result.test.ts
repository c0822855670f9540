import { expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { CrawlResult } from "../../src/crawl/Crawl.ts"
import { type HealthReason, healthStateOf } from "../../src/crawl/report/MeasuredPage.ts"
import { it } from "../harness.ts"
import { often } from "../often.ts"
import { report, shortTiming } from "./site/Crawled.ts"
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

test("for any site the counts of the report add up, every page has its planted state, and robots.txt is obeyed", async () => {
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
    { numRuns: often(40) }
  )
})

const pages = 40

/** A site with many cross links, redirects, broken links, a trap, and more pages than the page limit. */
const answer = (url: URL): Reply => {
  const { pathname } = url
  if (pathname === "/robots.txt") return { headers: {}, body: "User-agent: *\nDisallow: /no\nSitemap: /sitemap.xml" }
  if (pathname === "/sitemap.xml") {
    const locations = ["/p1", "/only-in-sitemap", "/gone"].map(
      (path) => `<url><loc>http://site.test${path}</loc></url>`
    )
    const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations.join("")}</urlset>`
    return { headers: { "content-type": "application/xml" }, body }
  }
  if (pathname.startsWith("/gone")) return { status: 404, headers: {} }
  if (pathname.startsWith("/old")) return { status: 301, headers: { location: pathname.replace("/old", "/p") } }
  const number = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1] ?? "0")
  const links = [3, 7, 11, 5].map((step) => `/p${(number * step + step) % pages}`)
  const more = [`/old${number + 1}`, `/gone${number % 4}`, `/no/${number}`, `/?b=1&a=${number}`]
  return { body: html({ title: `Page ${pathname}${url.search}`, links: [...links, ...more] }) }
}

/** Latencies from a seeded generator: every crawl has another order of responses. */
const shuffled = (seed: number) => {
  let state = seed * 2654435761 + 1
  return (url: URL): Reply => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return { ...answer(url), delay: state % 4 }
  }
}

const timeless = (result: CrawlResult): string =>
  JSON.stringify({
    ...result,
    summary: { ...result.summary, crawl: null },
    pages: result.pages.map((page) => ({ ...page, response_ms: null }))
  })

const run = (seed: number) =>
  Effect.provide(
    report("http://site.test/", { maxPages: 30, now: 0, timing: { ...shortTiming, confirmAfter: 1, backoff: 1 } }),
    memoryOutbound(shuffled(seed))
  )

it("crawls with shuffled latencies give byte-identical results", function* () {
  const results = yield* Effect.forEach(
    Array.from({ length: often(5) }, (_, seed) => seed),
    (seed) => Effect.map(run(seed), timeless),
    { concurrency: 20 }
  )
  expect(new Set(results).size).toBe(1)
  expect(results[0]).toContain('"termination":"max-pages"')
})

const states = (answers: Readonly<Record<string, Reply>>) =>
  Effect.map(
    Effect.provide(
      report("http://site.test/"),
      memoryOutbound((url) => answers[url.pathname] ?? { status: 404, headers: {} })
    ),
    ({ pages }) => Object.fromEntries(pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason]))
  )

it("links in declarative shadow roots are followed, and links in other templates are not", function* () {
  const body = `<my-nav><template shadowrootmode="open"><a href="/open">a</a></template></my-nav>
      <my-foot><template shadowrootmode="closed"><p><a href="/closed">b</a></p></template></my-foot>
      <template><a href="/never">c</a></template>`
  const found = yield* states({
    "/": { body: html({ title: "Home", body }) },
    "/open": { body: html({ title: "Open" }) },
    "/closed": { body: html({ title: "Closed" }) }
  })
  expect(found).toEqual({ "/": "ok", "/open": "ok", "/closed": "ok" })
})

it("pages in rel=next are followed, from the head and from a header", function* () {
  const found = yield* states({
    "/": { body: html({ title: "Page 1", head: '<link rel="next" href="/2">' }) },
    "/2": {
      headers: { "content-type": "text/html; charset=utf-8", link: '</3>; rel="next"' },
      body: html({ title: "Page 2" })
    },
    "/3": { body: html({ title: "Page 3" }) }
  })
  expect(found).toEqual({ "/": "ok", "/2": "ok", "/3": "ok" })
})

it("a 304 to a request without a condition is no redirect, and leaves checks of the whole site assessable", function* () {
  const answers: Readonly<Record<string, Reply>> = {
    "/": { body: html({ title: "Home", links: ["/same", "/many"] }) },
    "/same": { status: 304, headers: {} },
    "/many": { status: 300, headers: { location: "/same" } }
  }
  const result = yield* Effect.provide(
    report("http://site.test/"),
    memoryOutbound((url) => answers[url.pathname] ?? { status: 404, headers: {} })
  )
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["ok", "not_html", "not_html"])
  expect(result.findings.filter(({ category, status }) => category === "redirects" && status === "fail")).toEqual([])
  expect(result.findings.find(({ rule }) => rule === "broken_link")?.status).toBe("pass")
})
