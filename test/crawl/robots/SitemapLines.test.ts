import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const origin = "https://site.test"
const text = { "content-type": "text/plain" }
const list = (...paths: ReadonlyArray<string>): Reply => ({
  headers: text,
  body: paths.map((path) => origin + path).join("\n")
})

/** A site with a start page that links to `/a`, and a robots.txt with these Sitemap lines. */
const crawled = (lines: ReadonlyArray<string>, files: Readonly<Record<string, Reply>> = {}) => {
  const asked: Array<string> = []
  const site: Readonly<Record<string, Reply>> = {
    "/": { body: html({ title: "Home", links: ["/a"] }) },
    "/a": { body: html({ title: "A page", links: ["/"] }) },
    "/robots.txt": { headers: text, body: ["User-agent: *", "Disallow:", ...lines].join("\n") },
    ...files
  }
  const outbound = memoryOutbound(
    ({ host, pathname }) =>
      (host === "site.test" ? site[pathname] : undefined) ?? { status: 404, headers: text, body: "none" },
    ({ href }) => asked.push(href)
  )
  return Effect.map(Effect.provide(report(`${origin}/`), outbound), (result) => ({
    asked: asked.filter((url) => url.includes("map")),
    failing: result.findings.flatMap(({ rule, status }) =>
      status === "fail" && /robots|sitemap/.test(rule) ? [rule] : []
    ),
    result
  }))
}

const statusOf = ({ findings }: CrawlResult, rule: string) => findings.find((each) => each.rule === rule)?.status
const detailOf = ({ findings }: CrawlResult, rule: string) =>
  findings.find((each) => each.rule === rule)?.evidence.items[0]?.detail

const written = [
  "Sitemap: /map.xml",
  "Sitemap: map.xml",
  "sitemap: //site.test/map.xml",
  "SITEMAP: site.test/map.xml",
  "Sitemap:  www.site.test/map.xml  # main",
  "Sitemap: https:/map.xml",
  "Sitemap: https:map.xml",
  "Sitemap https://site.test/map.xml",
  "Site-map: maps/map.xml"
]

describe("a Sitemap line without a full URL", () => {
  for (const line of written) {
    it(`is one issue, and its URL is not requested: ${line}`, function* () {
      for (const files of [{}, { "/map.xml": list("/", "/a") }]) {
        const { asked, failing, result } = yield* crawled([line], files)
        expect(asked).toEqual([`${origin}/sitemap.xml`])
        expect(failing).toEqual(["robots_txt_lines"])
        expect(statusOf(result, "sitemap_missing")).toBe("not_assessed")
        expect(result.summary.robots.sitemaps).toBe(0)
      }
    })
  }

  it("is one issue together with others of its kind, whatever /sitemap.xml returns", function* () {
    for (const reply of [{ status: 500 }, { body: "<!doctype html><title>App</title>" }, { status: 404 }]) {
      const { failing, result } = yield* crawled(["Sitemap: /en/map.xml", "Sitemap: /de/map.xml"], {
        "/sitemap.xml": reply
      })
      expect(failing).toEqual(["robots_txt_lines"])
      expect(detailOf(result, "robots_txt_lines")).toBe(
        'line 3 "Sitemap: /en/map.xml": the sitemap needs its full URL, line 4 "Sitemap: /de/map.xml": the sitemap needs its full URL'
      )
    }
  })

  it("does not prevent a crawl of /sitemap.xml, which is checked if the line names it", function* () {
    for (const line of ["Sitemap: /sitemap.xml", "Sitemap: www.site.test/sitemap.xml", "Sitemap:"]) {
      const { failing, result } = yield* crawled([line], { "/sitemap.xml": list("/", "/gone") })
      expect(failing).toEqual(["robots_txt_lines", "sitemap_lists_errors", "page_not_in_sitemap"])
      expect(result.summary.sitemap.state).toBe("complete")
    }
    const faulty = yield* crawled(["Sitemap: /sitemap.xml"], {
      "/sitemap.xml": { body: "<!doctype html><title>App</title>" }
    })
    expect(faulty.failing).toEqual(["robots_txt_lines", "sitemap_invalid"])
  })

  it("leaves unassessed which pages sitemaps list if it names another file", function* () {
    const { failing, result } = yield* crawled(["Sitemap: /map.xml"], { "/sitemap.xml": list("/") })
    expect(failing).toEqual(["robots_txt_lines"])
    expect(statusOf(result, "page_not_in_sitemap")).toBe("not_assessed")
    expect(result.summary.sitemap.state).toBe("partial")
  })

  it("does not change the checks of lines with full URLs", function* () {
    const lines = ["Sitemap: /map.xml", `Sitemap: ${origin}/gone.xml`, `sitemap:${origin}/list.txt`]
    const { asked, failing } = yield* crawled(lines, { "/list.txt": list("/", "/a"), "/map.xml": list("/") })
    expect(asked).toEqual([])
    expect(failing).toEqual(["robots_txt_lines", "sitemap_named_but_absent"])
  })
})

it("a robots.txt behind a redirect is reviewed in the same way", function* () {
  const { asked, failing } = yield* crawled([], {
    "/robots.txt": { status: 301, headers: { location: "/files/robots.txt" } },
    "/files/robots.txt": { headers: text, body: "Sitemap: map.xml" }
  })
  expect(asked).toEqual([`${origin}/sitemap.xml`])
  expect(failing).toEqual(["robots_txt_lines"])
})
