import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions } from "../../../src/crawl/Crawl.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import { cases } from "./Cases.ts"
import { origin, page, redirect, sitemap, soundSite } from "./SoundSite.ts"

const crawled = (site: ReturnType<typeof soundSite>, own: Partial<CrawlOptions> = {}) =>
  Effect.provide(report(`${origin}/`, own), memoryOutbound(site))

it("a sound site fails nothing and scores a hundred", function* () {
  const { findings, score, summary } = yield* crawled(soundSite({}))
  expect(findings.filter(({ status }) => status === "fail")).toEqual([])
  expect(score).toMatchObject({ aggregate_score: 100, range: { low: 100, high: 100 }, coverage: 1 })
  expect(summary).toMatchObject({ complete: true, inventory: { eligible: 4, excluded: 0 } })
})

describe("each rule names exactly the pages with its defect", () => {
  for (const { changes, options, pages, rule, unlinked } of cases) {
    it(rule, function* () {
      const { findings } = yield* crawled(soundSite(changes, unlinked), options)
      const found = findings.find((finding) => finding.rule === rule)
      const expected = pages.map((path) => (path.startsWith("/") ? `${origin}${path}` : path))
      expect(found?.pages).toEqual(expected)
      expect(found).toMatchObject({ status: "fail", count: pages.length })
    })
  }
})

test("every rule of the catalogue has a planted defect, and every id is its own", () => {
  const ids = catalogue.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(40)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !cases.some(({ rule }) => rule === id))).toEqual([])
})

test("every rule says in whole sentences what it means, how to fix it and where it comes from", () => {
  for (const { fix, id, means, source } of catalogue) {
    expect(id).toMatch(/^[a-z][a-z0-9_]+$/)
    expect(means).toMatch(/^\p{L}.{20,}\.$/su)
    expect(fix).toMatch(/^\p{L}.{7,}\.$/su)
    expect(source.length).toBeGreaterThan(7)
  }
})

it("every rule is reported, in the order of the catalogue, whatever was found", function* () {
  const { findings } = yield* crawled(soundSite({}))
  expect(findings.map(({ rule }) => rule)).toEqual(catalogue.map(({ id }) => id))
})

it("what only the whole site can tell is not claimed of a part of it", function* () {
  const { findings } = yield* Effect.provide(report(`${origin}/`, { maxPages: 2 }), memoryOutbound(soundSite({})))
  const open = ["orphan_page", "title_duplicate", "content_duplicate", "broken_link", "page_client_error"]
  for (const rule of open) {
    const finding = findings.find((each) => each.rule === rule)
    expect(finding).toMatchObject({ rule, status: "not_assessed" })
    expect(finding?.evidence.reason).toMatch(/limit|whole/)
  }
})

it("a page that did not answer keeps 'no dead links' from being claimed", function* () {
  const { findings, summary } = yield* crawled(soundSite({ "/slow": { fault: "timeout" } }))
  expect(summary.dead_links).toMatchObject({ found: 0, unverified: 1, checked: 4 })
  const broken = findings.find(({ rule }) => rule === "broken_link")
  expect(broken).toMatchObject({ status: "not_assessed" })
  expect(broken?.evidence.reason).toContain("could not be verified")
})

it("with check_dead_links false nothing is said about dead links", function* () {
  const site = memoryOutbound(soundSite({ "/gone": { status: 404 } }))
  const { findings, summary } = yield* Effect.provide(report(`${origin}/`, { checkDeadLinks: false }), site)
  expect(summary.dead_links).toEqual({ state: "disabled", checked: 0, found: 0, unverified: 0, items: [] })
  expect(findings.find(({ rule }) => rule === "broken_link")?.status).toBe("not_assessed")
})

it("a page linked only through a redirect is no orphan", function* () {
  const changes = {
    "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/new"]),
    "/old": redirect("/new"),
    "/new": page("/new")
  }
  const { findings } = yield* crawled(soundSite(changes, ["/new"]))
  expect(findings.find(({ rule }) => rule === "orphan_page")).toMatchObject({ status: "pass" })
})
