import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { it } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

const pages = 40

/** A site whose pages link criss-cross, with redirects, dead pages, a trap, and more pages than the run may fetch. */
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

/** Latencies from a seeded generator: every run has its own order of answers. */
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

const twenty = () =>
  Effect.gen(function* () {
    const results = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, seed) => seed),
      (seed) => Effect.map(run(seed), timeless),
      { concurrency: 20 }
    )
    expect(new Set(results).size).toBe(1)
    expect(results[0]).toContain('"termination":"max-pages"')
  })

it("twenty runs with shuffled latencies give byte-identical results", twenty)
