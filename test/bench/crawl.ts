import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CrawlResult, crawl } from "../../src/crawl/Crawl.ts"
import { memoryOutbound } from "../crawl/site/MemoryOutbound.ts"

// `bun test/bench/crawl.ts [pages …]`: CPU of crawls of generated sites that answer from memory, and of the analysis after the last request.

const words = (seed: number, count: number): string => {
  let state = seed * 2654435761 + 1
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 12).toString(36)}`
  }).join(" ")
}

/** About 20 KB of HTML: text, a navigation of thirty links, and links to ten more pages. */
const page = (index: number, pages: number): string => {
  const targets = Array.from({ length: 40 }, (_, at) => (at < 30 ? at % pages : (index * 10 + at) % pages))
  const links = targets.map((to) => `<li class="item"><a href="/p${to}">Page number ${to}</a></li>`).join("\n")
  const text = Array.from({ length: 20 }, (_, part) => `<div class="row"><p>${words(index * 20 + part, 90)}</p></div>`)
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Page ${index}</title><meta name="description" content="About ${index}"><link rel="canonical" href="http://site.test/p${index}"></head><body><nav><ul>${links}</ul></nav><main><h1>Page ${index}</h1>${text.join("\n")}</main></body></html>`
}

const seconds = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1e6

const measure = (pages: number) =>
  Effect.gen(function* () {
    const bodies = Array.from({ length: pages }, (_, index) => new TextEncoder().encode(page(index, pages)))
    const started = process.cpuUsage()
    let asked = started
    const outbound = memoryOutbound(({ pathname }) => {
      asked = process.cpuUsage()
      const index = pathname === "/" ? 0 : Number(/^\/p(\d+)$/.exec(pathname)?.[1] ?? "-1")
      const body = bodies[index]
      return body === undefined ? { status: 404 } : { body }
    })
    let report: CrawlResult | undefined
    yield* crawl(new URL("http://site.test/"), {
      maxPages: pages + 1,
      checkDeadLinks: true,
      deadline: "10 minutes"
    }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag === "Finished") report = event.report
        })
      ),
      Effect.provide(outbound)
    )
    const ended = process.cpuUsage()
    const [whole, after] = [seconds(ended) - seconds(started), seconds(ended) - seconds(asked)]
    const row = [
      pages,
      whole.toFixed(2),
      ((1000 * whole) / pages).toFixed(1),
      after.toFixed(2),
      (process.memoryUsage.rss() / 2 ** 20).toFixed(0),
      report?.summary.pages.fetched ?? 0
    ]
    console.log(row.join("\t"))
  })

const sizes = process.argv.slice(2).map(Number)
console.log(["pages", "CPU s", "ms a page", "after the last request s", "RSS MiB", "fetched"].join("\t"))
for (const pages of sizes.length === 0 ? [50, 500, 1000] : sizes) await Effect.runPromise(measure(pages))
