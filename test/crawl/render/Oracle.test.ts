import { describe, expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Browsers from "../../../src/crawl/render/Browsers.ts"
import { limits, Renderer } from "../../../src/crawl/render/Rendering.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { suite } from "../../harness.ts"
import { patientTiming, report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import { browser, delays, oracles, siteOf } from "./oracle.ts"

const runs = browser !== null && existsSync(oracles)
if (!runs)
  console.warn("Skipped: crawls of pages that scripts change, which take a browser and ../shared/oracles/rendering.")

const origin = "http://site.test"

/** Busy machines take longer for a page than a crawl allows. */
const patient = Browsers.layer({ limits: { ...limits, page: "30 seconds", request: "30 seconds" } }).pipe(
  Layer.provide(BunContext.layer)
)

/** The report on a folder as a site, without its times, and the paths that were asked for. */
const crawled = (folder: string, isApplication: boolean, delay: (url: URL) => number) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const site = siteOf(join(oracles, folder), isApplication)
    const outbound = memoryOutbound((url) => {
      asked.push(url.pathname)
      if (isApplication && url.pathname === "/robots.txt") return { status: 404 }
      return { ...site(url), delay: delay(url) }
    })
    const renderer = yield* Renderer
    const options = { deadline: "15 minutes", maxPages: 60, renderPages: 60, timing: patientTiming } as const
    const { findings, pages, score, summary } = yield* report(`${origin}/`, options).pipe(
      Effect.provide(outbound),
      Effect.provideService(Renderer, renderer)
    )
    const result = { findings, pages: pages.map((page) => ({ ...page, response_ms: 0 })), score }
    return { asked, result: { ...result, summary: { ...summary, crawl: null } } }
  })

const Expected = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    h1: Schema.optional(Schema.String),
    neverRequested: Schema.optional(Schema.Array(Schema.String)),
    rules: Schema.optional(Schema.Array(Schema.String)),
    title: Schema.optional(Schema.String)
  })
})

const expectedOf = Schema.decodeUnknownSync(Schema.parseJson(Expected))

const Applications = Schema.Record({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

const ifPossible = runs ? describe : describe.skip

ifPossible("a crawl that renders", () => {
  const test = suite(patient, { timeout: 900_000 })

  test("finds on each page what its scripts do, and the same each time", function* () {
    const pages = expectedOf(readFileSync(join(oracles, "differences/expected.json"), "utf8"))
    const [first, second] = yield* Effect.forEach(delays, (delay) => crawled("differences", false, delay))
    const { asked = [], result } = first ?? {}
    const ofBrowser = new Set(catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [id] : [])))
    const failing = (path: string) =>
      result?.findings.flatMap(({ pages, rule }) =>
        ofBrowser.has(rule) && pages.includes(`${origin}${path}`) ? [rule] : []
      )
    const paths = Object.keys(pages)
    const told = Object.fromEntries(paths.map((path) => [path, [...(failing(path) ?? [])]]))
    expect(told).toEqual(Object.fromEntries(paths.map((path) => [path, [...(pages[path]?.rules ?? [])]])))
    expect(
      asked.filter((path) => Object.values(pages).some(({ neverRequested = [] }) => neverRequested.includes(path)))
    ).toEqual([])
    expect(second?.result).toEqual(first?.result)
  })

  for (const application of ["react", "svelte"]) {
    test(`sees every page of the application in ${application}, with each file asked for once`, function* () {
      const all = Schema.decodeUnknownSync(Schema.parseJson(Applications))(
        readFileSync(join(oracles, "spa/expected.json"), "utf8")
      )
      const wanted = Object.entries(all[application] ?? {}).filter(([path]) => path.startsWith("/"))
      const { asked, result } = yield* crawled(`spa/${application}`, true, () => 0)
      const found = new Map(result.pages.map((page) => [page.url, page]))
      for (const [path, values] of wanted) {
        const page = found.get(`${origin}${path}`)
        // No link leads there.
        if (page === undefined) continue
        const { h1, title } = Object(values)
        if (h1 !== undefined) expect([path, page.h1]).toEqual([path, h1])
        if (title !== undefined) expect([path, page.title]).toEqual([path, title])
        expect([path, page.rendering?.state]).toEqual([path, "rendered"])
      }
      expect(result.pages).toHaveLength(application === "react" ? 18 : 13)
      const assets = asked.filter((path) => path.startsWith("/assets/"))
      expect(assets).toEqual([...new Set(assets)])
    })
  }
})
