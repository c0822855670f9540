import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, sitemap, soundSite } from "./SoundSite.ts"

const crawled = (changes: Readonly<Record<string, Reply>>, start = "/", unlinked: ReadonlyArray<string> = []) => {
  const asked: Array<string> = []
  const outbound = memoryOutbound(soundSite(changes, unlinked), ({ href }) => asked.push(href))
  return Effect.map(Effect.provide(report(origin + start), outbound), (result) => ({
    asked: asked.filter((url) => url.includes("map")),
    failing: result.findings.flatMap(({ rule, status }) => (status === "fail" && rule.includes("map") ? [rule] : [])),
    result
  }))
}

const finding = ({ findings }: CrawlResult, rule: string) => findings.find((each) => each.rule === rule)
const lines = (...values: ReadonlyArray<string>): Reply => ({
  headers: { "content-type": "text/plain" },
  body: ["User-agent: *", "Disallow:", ...values.map((value) => `Sitemap: ${value}`)].join("\n")
})
const all = ["/", "/a", "/b", "/c"]

describe("a sitemap from a development server is one issue", () => {
  for (const host of ["http://localhost:4000", "http://127.0.0.1:4000", "http://0.0.0.0:4000", "http://192.168.0.2"]) {
    it(`if all its URLs are on ${host}`, function* () {
      const { failing, result } = yield* crawled({ "/sitemap.xml": sitemap(all.map((path) => host + path)) })
      expect(failing).toEqual(["sitemap_foreign_urls"])
      expect(finding(result, "sitemap_foreign_urls")?.evidence.items[0]).toMatchObject({
        value: `${host}/`,
        place: "sitemap"
      })
      expect(finding(result, "sitemap_foreign_urls")?.evidence.items[0]?.detail).toContain("(not public)")
    })
  }

  it("if robots.txt names it there, and /sitemap.xml is read", function* () {
    const named = "http://localhost:4000/sitemap.xml"
    const { asked, failing, result } = yield* crawled({ "/robots.txt": lines(named) })
    expect(failing).toEqual(["sitemap_foreign_urls"])
    expect(asked).toEqual([`${origin}/sitemap.xml`])
    expect(result.summary.sitemap.state).toBe("complete")
    expect(finding(result, "sitemap_foreign_urls")?.evidence.items[0]).toMatchObject({ value: named, place: "robots" })
  })

  it("if robots.txt names it there, and its URLs are there too", function* () {
    const { failing } = yield* crawled({
      "/robots.txt": lines("http://localhost:4000/sitemap.xml"),
      "/sitemap.xml": sitemap(all.map((path) => `http://localhost:4000${path}`))
    })
    expect(failing).toEqual(["sitemap_foreign_urls"])
  })

  it("if robots.txt names it there, and there is no /sitemap.xml", function* () {
    const { failing, result } = yield* crawled({
      "/robots.txt": lines("http://localhost:4000/sitemap.xml"),
      "/sitemap.xml": notFound
    })
    expect(failing).toEqual(["sitemap_foreign_urls"])
    expect(finding(result, "sitemap_missing")?.status).toBe("not_assessed")
  })

  it("if a sitemap index names its files there", function* () {
    const index = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://localhost:4000/pages.xml</loc></sitemap></sitemapindex>`
    const { asked, failing } = yield* crawled({
      "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: index }
    })
    expect(failing).toEqual(["sitemap_foreign_urls"])
    expect(asked).toEqual([`${origin}/sitemap.xml`])
  })

  it("a sitemap with URLs of another site only is one issue too", function* () {
    const { failing } = yield* crawled({ "/sitemap.xml": sitemap(all.map((path) => `https://other.test${path}`)) })
    expect(failing).toEqual(["sitemap_foreign_urls"])
  })

  it("a sitemap that robots.txt names on another public host is no issue", function* () {
    const { failing } = yield* crawled({ "/robots.txt": lines(`${origin}/sitemap.xml`, "https://cdn.test/map.xml") })
    expect(failing).toEqual([])
  })
})

describe("a file in a sitemap", () => {
  const listings = ["errors", "redirects", "noindex", "canonicalised", "blocked"].map((each) => `sitemap_lists_${each}`)
  for (const [name, type] of [
    ["/feed.xml", "application/rss+xml"],
    ["/paper.pdf", "application/pdf"],
    ["/notes.txt", "text/plain"]
  ] as const) {
    it(`is no issue, and the other URLs are checked: ${name}`, function* () {
      const { failing, result } = yield* crawled({
        "/sitemap.xml": sitemap([...all, name]),
        [name]: { headers: { "content-type": type }, body: "x" }
      })
      expect(failing).toEqual([])
      for (const rule of listings) expect(finding(result, rule)).toMatchObject({ status: "pass" })
    })
  }

  it("leaves the checks of other URLs unassessed if it does not respond", function* () {
    const { result } = yield* crawled({ "/sitemap.xml": sitemap([...all, "/x.pdf"]), "/x.pdf": { fault: "timeout" } })
    for (const rule of listings) expect(finding(result, rule)?.status).toBe("not_assessed")
  })
})

describe("the sitemap in the folder of the start page", () => {
  const docs = { "/docs/": page("/docs/", { links: ["/", "/docs/x"] }), "/docs/x": page("/docs/x") }
  const own = sitemap(["/docs/", "/docs/x"])
  const nameless = { "/robots.txt": lines() }

  it("covers only the folder if it is the only sitemap", function* () {
    const changes = { ...docs, ...nameless, "/sitemap.xml": notFound, "/docs/sitemap.xml": own }
    const { asked, failing, result } = yield* crawled(changes, "/docs/", ["/docs/sitemap.xml"])
    expect(asked).toEqual([`${origin}/sitemap.xml`, `${origin}/docs/sitemap.xml`])
    expect(failing).toEqual([])
    expect(result.summary.sitemap).toMatchObject({ urls: 2 })
  })

  it("is one issue if its URLs are on a development server", function* () {
    const changes = { ...docs, ...nameless, "/docs/sitemap.xml": sitemap(["http://localhost:4000/docs/"]) }
    const { failing } = yield* crawled({ ...changes, "/sitemap.xml": notFound }, "/docs/", ["/docs/sitemap.xml"])
    expect(failing).toEqual(["sitemap_foreign_urls"])
  })

  it("is checked for missing pages of the folder", function* () {
    const changes = { ...docs, ...nameless, "/sitemap.xml": notFound, "/docs/sitemap.xml": sitemap(["/docs/"]) }
    const { result } = yield* crawled(changes, "/docs/", ["/docs/sitemap.xml"])
    expect(finding(result, "page_not_in_sitemap")?.pages).toEqual([`${origin}/docs/x`])
  })

  it("is requested in every folder of the path, also for an index file", function* () {
    const changes = { ...nameless, "/docs/en/index.html": page("/docs/en/index.html") }
    const { asked } = yield* crawled(changes, "/docs/en/index.html")
    expect(asked).toEqual(["/sitemap.xml", "/docs/sitemap.xml", "/docs/en/sitemap.xml"].map((path) => origin + path))
  })

  for (const [name, reply] of [
    ["404", notFound],
    ["an error", { status: 500 }],
    ["a page", page("/docs/sitemap.xml")],
    ["nothing", { fault: "timeout" }]
  ] as const) {
    it(`is no issue if ${name} is in its place`, function* () {
      const changes = {
        ...docs,
        ...nameless,
        "/docs/sitemap.xml": reply,
        "/sitemap.xml": sitemap([...all, "/docs/", "/docs/x"])
      }
      const { failing, result } = yield* crawled(changes, "/docs/", ["/docs/sitemap.xml"])
      expect(failing).toEqual([])
      expect(result.summary.sitemap).toMatchObject({ state: "complete", urls: 6 })
    })
  }

  it("is requested only if robots.txt names no sitemap", function* () {
    const { asked } = yield* crawled(docs, "/docs/")
    expect(asked).toEqual([`${origin}/sitemap.xml`])
  })

  it("is the issue sitemap_missing if there is no sitemap at all", function* () {
    const { failing } = yield* crawled({ ...docs, ...nameless, "/sitemap.xml": notFound }, "/docs/")
    expect(failing).toEqual(["sitemap_missing"])
  })
})
