import { describe, expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../../src/crawl/Crawl.ts"
import { Renderer } from "../../../src/crawl/render/Rendering.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { suite } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import { browser, delays, impatient, oracles, patient, siteOf } from "./oracle.ts"

const runs = browser !== null && existsSync(oracles)
if (!runs)
  console.warn("Skipped: crawls of pages that scripts change, which take a browser and ../shared/oracles/rendering.")

const origin = "http://site.test"

interface Crawl {
  readonly folder: string
  readonly isApplication?: boolean
  readonly delay?: (url: URL) => number
  /** Paths that are missing. */
  readonly without?: ReadonlyArray<string>
  readonly start?: string
}

/** The report on a folder as a site, without its times, and the paths that were asked for. */
const crawled = ({ delay = () => 0, folder, isApplication = false, start = "/", without = [] }: Crawl) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const site = siteOf(join(oracles, folder), isApplication)
    const outbound = memoryOutbound((url) => {
      asked.push(url.pathname)
      if ((isApplication && url.pathname === "/robots.txt") || without.includes(url.pathname)) return { status: 404 }
      return { ...site(url), delay: delay(url) }
    })
    const renderer = yield* Renderer
    const maxPages = start === "/" ? 60 : 1
    const options = { deadline: "15 minutes", maxPages, renderPages: 60 } as const
    const { findings, pages, score, summary } = yield* report(`${origin}${start}`, options).pipe(
      Effect.provide(outbound),
      Effect.provideService(Renderer, renderer)
    )
    const result = { findings, pages: pages.map((page) => ({ ...page, response_ms: 0 })), score }
    return { asked, result: { ...result, summary: { ...summary, crawl: null } } }
  })

const Expected = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    failed: Schema.optional(Schema.String),
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

const expected = runs ? expectedOf(readFileSync(join(oracles, "differences/expected.json"), "utf8")) : {}

/** Pages with scripts that never end. */
const endless = Object.entries(expected).flatMap(([path, { failed }]) => (failed === undefined ? [] : [path]))

/** Rules that need a browser. */
const ofBrowser = new Set(catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [id] : [])))

const ifPossible = runs ? describe : describe.skip

ifPossible("a crawl that renders", () => {
  const test = suite(patient, { timeout: 900_000 })

  /** The rules about scripts that name a page. */
  const failing = ({ findings }: Pick<CrawlResult, "findings">, path: string) =>
    findings.flatMap(({ pages, rule }) => (ofBrowser.has(rule) && pages.includes(`${origin}${path}`) ? [rule] : []))

  test("finds on each page what its scripts do, and the same each time", function* () {
    const [first, second] = yield* Effect.forEach(delays, (delay) =>
      crawled({ delay, folder: "differences", without: endless })
    )
    const { asked = [], result } = first ?? {}
    const paths = Object.keys(expected).filter((path) => !endless.includes(path))
    const told = paths.map((path) => [path, result === undefined ? [] : failing(result, path)])
    expect(told).toEqual(paths.map((path) => [path, [...(expected[path]?.rules ?? [])]]))
    expect(
      asked.filter((path) => Object.values(expected).some(({ neverRequested = [] }) => neverRequested.includes(path)))
    ).toEqual([])
    expect(second?.result).toEqual(first?.result)
  })

  const hurried = suite(impatient, { timeout: 120_000 })
  for (const path of endless)
    hurried(`finds that the scripts of ${path} never end`, function* () {
      const { result } = yield* crawled({ folder: "differences", start: path })
      expect(failing(result, path)).toEqual([...(expected[path]?.rules ?? [])])
    })

  for (const application of ["react", "svelte"]) {
    test(`sees every page of the application in ${application}, with each file asked for once`, function* () {
      const all = Schema.decodeUnknownSync(Schema.parseJson(Applications))(
        readFileSync(join(oracles, "spa/expected.json"), "utf8")
      )
      const wanted = Object.entries(all[application] ?? {}).filter(([path]) => path.startsWith("/"))
      const { asked, result } = yield* crawled({ folder: `spa/${application}`, isApplication: true })
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
