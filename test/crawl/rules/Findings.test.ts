import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const paths = Array.from({ length: 60 }, (_, index) => `/p${index}`)
const bare = (title: string, links: ReadonlyArray<string>) =>
  html({ title, links }).replace(/<meta name="description"[^>]*>/, "")

const site = memoryOutbound(({ pathname }) =>
  pathname === "/" || paths.includes(pathname)
    ? { body: bare(pathname, pathname === "/" ? paths : ["/"]) }
    : { status: 404 }
)

it("a finding names every URL that fails, and says when there may be more", function* () {
  const { findings, pages } = yield* Effect.provide(report("http://site.test/"), site)
  const read = pages.filter(({ health_state }) => health_state === "eligible").map(({ url }) => url)
  const missing = findings.find(({ rule }) => rule === "description_missing")
  expect(read.length).toBe(50)
  expect(missing).toMatchObject({ status: "fail", count: 50, pages: read, evidence: { assessed: 50, reason: null } })
  expect(missing?.evidence.items.map(({ url }) => url)).toEqual(read)
  expect(missing?.evidence.items.every(({ detail }) => detail === "no meta description")).toBe(true)
})

it("what failed of a part of the site is told together with why more may", function* () {
  const twins = memoryOutbound(({ pathname }) =>
    pathname === "/" || paths.includes(pathname) ? { body: html({ links: paths }) } : { status: 404 }
  )
  const { findings } = yield* Effect.provide(report("http://site.test/"), twins)
  const duplicate = findings.find(({ rule }) => rule === "title_duplicate")
  expect(duplicate).toMatchObject({ status: "fail", count: 50 })
  expect(duplicate?.evidence.reason).toContain("page limit")
})

it("the result of fifty pages that fail everywhere stays below a megabyte", function* () {
  const long = "x".repeat(2000)
  const awful = memoryOutbound(({ pathname }) =>
    pathname === "/robots.txt" || pathname === "/sitemap.xml"
      ? { status: 404 }
      : {
          body: `<p><title>${long}</title><title>${long}</title><meta name=robots content="noindex ${long}"><img><a href="http://[${long}">a</a><a href="javascript:${long}"></a>${paths
            .map((path) => `<a rel=nofollow href="${path}/${"y".repeat(100)}"></a>`)
            .join("")}`
        }
  )
  const result = yield* Effect.provide(report("http://site.test/"), awful)
  expect(result.pages.length).toBeGreaterThanOrEqual(50)
  expect(JSON.stringify(result).length).toBeLessThan(1_000_000)
})
