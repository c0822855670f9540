import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import type { CrawlResult } from "../../src/crawl/Crawl.ts"
import { CrawlDiff } from "../../src/crawl/diff/CrawlDiff.ts"
import { diffOf } from "../../src/crawl/diff/Diff.ts"
import { verify } from "../../src/crawl/diff/Verify.ts"
import { renderJunit, renderSarif } from "../../src/crawl/formats/Formats.ts"
import { renderHtml } from "../../src/crawl/formats/Html.ts"
import { renderChange, renderReport } from "../../src/crawl/formats/Terminal.ts"
import { renderVerification } from "../../src/crawl/formats/Wording.ts"
import { CrawlResult as ResultSchema } from "../../src/crawl/report/CrawlResult.ts"
import * as Labels from "../../src/crawl/report/Labels.ts"
import { catalogue, ruleIds } from "../../src/crawl/rules/Catalogue.ts"
import { suite } from "../harness.ts"
import { strayWords } from "../words.ts"
import { crawlSite, now } from "./generator/Crawling.ts"
import { generate } from "./generator/Generate.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { cases } from "./rules/Cases.ts"
import { origin, soundSite } from "./rules/SoundSite.ts"
import { report } from "./site/Crawled.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

/** The stray words of texts, each with its place. */
const stray = (texts: Iterable<readonly [place: string, text: string]>): ReadonlyArray<string> => [
  ...new Set([...texts].flatMap(([place, text]) => strayWords(text).map((word) => `${place}: ${word}: ${text}`)))
]

/** Codes of the API in a text for people: snake_case outside of code, quotes, URLs, values of the site and the ids of checks. */
const codesIn = (text: string): ReadonlyArray<string> =>
  text
    .replace(/<code>[\s\S]*?<\/code>|<[^>]*>|`[^`]*`|"[^"\n]*"|&quot;.*?&quot;|“[^”\n]*”|\bhttps?:\S+|value: .*/g, " ")
    .match(/\b[a-z]+(?:_[a-z\d]+)+\b/g)
    ?.filter((word) => !ruleIds.has(word)) ?? []

/** The descriptions and titles of a JSON schema, with their paths. */
const described = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value)) return value.flatMap((each, index) => described(each, `${path}[${index}]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, own]) =>
    typeof own === "string" ? (key === "description" ? [[path, own] as const] : []) : described(own, `${path}.${key}`)
  )
}

/** Results of crawls that fail every check of the catalogue, each on a separate site, and of generated sites with many issues. */
class Crawls extends Effect.Service<Crawls>()("test/crawl/Words", {
  effect: Effect.gen(function* () {
    const results: Array<readonly [name: string, result: CrawlResult]> = []
    for (const { changes, options, rule, unlinked } of cases) {
      const site = memoryOutbound(soundSite(changes, unlinked))
      const crawled = Effect.withClock(report(`${origin}/`, options), virtualClock(now))
      results.push([rule, yield* Effect.provide(crawled, site)])
    }
    for (const seed of [1, 2, 3]) {
      const { result } = yield* crawlSite(generate(seed, { origin }), {
        checkDeadLinks: true,
        checkExternalLinks: true
      })
      results.push([`seed ${seed}`, result])
    }
    return { results }
  })
}) {}

describe("the texts of a crawl use the words of the glossary:", () => {
  const it = suite(Crawls.Default, { timeout: 120_000 })

  test("the catalogue of checks, with its guidance", () => {
    const texts = catalogue.flatMap(({ fix, guidance, id, means, name = "" }) => {
      const { find = "", goal = "", never = "", steps = [], why = "" } = guidance ?? {}
      const all = Object.entries({ find, fix, goal, means, name, never, why })
      return [...all, ...steps.map((step, index) => [`step ${index + 1}`, step] as const)].map(
        ([field, text]) => [`${id} ${field}`, text] as const
      )
    })
    expect(stray(texts)).toEqual([])
  })

  test("the schemas of results and comparisons", () => {
    const schemas = { CrawlDiff: JSONSchema.make(CrawlDiff), CrawlResult: JSONSchema.make(ResultSchema) }
    expect(described(schemas).length).toBeGreaterThan(150)
    expect(stray(described(schemas))).toEqual([])
  })

  it("the details and reasons of all checks, and the notes of pages", function* () {
    const { results } = yield* Crawls
    const failing = new Set<string>()
    const texts = results.flatMap(([name, { findings, pages }]) => [
      ...findings.flatMap(({ evidence, rule, status }) => {
        if (status === "fail") failing.add(rule)
        const details = evidence.items.map(({ detail }) => [`${name}: detail of ${rule}`, detail] as const)
        return [...details, [`${name}: reason of ${rule}`, evidence.reason ?? ""] as const]
      }),
      ...pages.map(({ evidence, url }) => [`${name}: ${url}`, evidence?.note ?? ""] as const)
    ])
    const sent = catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [] : [id]))
    expect([...failing].toSorted()).toEqual(sent.toSorted())
    expect(stray(texts)).toEqual([])
  })

  it("reports in every format, with and without a baseline", function* () {
    const { results } = yield* Crawls
    const [[, first] = []] = results
    const texts: Array<readonly [string, string]> = Object.values(Labels).flatMap((labels) =>
      Object.entries<string>(labels)
    )
    expect(texts.filter(([, label]) => /[a-z]_[a-z]/.test(label))).toEqual([])
    // Reports differ only in details, which the previous test covers: every tenth site is enough, and the generated ones.
    for (const [name, result] of results.filter(([name], index) => index % 10 === 0 || name.startsWith("seed"))) {
      const diff = first === undefined ? null : diffOf(first, result)
      const all = {
        change: diff === null ? "" : renderChange(diff, false),
        HTML: (yield* renderHtml(result, diff)).replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, ""),
        JUnit: renderJunit(result).replace(/(?:class)?name="findable[^"]*"/g, ""),
        terminal: renderReport(result, { color: false, diff }),
        verification: renderVerification(verify(result, first ?? result, null), false)
      }
      for (const format of ["change", "HTML", "terminal", "verification"] as const)
        expect([name, format, codesIn(all[format])]).toEqual([name, format, []])
      for (const [format, text] of Object.entries(all))
        texts.push(...text.split(/\n|<[^>]*>/).map((line) => [`${name}: ${format}`, line] as const))
      const { runs } = JSON.parse(renderSarif(result, diff))
      texts.push(...described(runs), [`${name}: SARIF`, JSON.stringify(runs[0].invocations[0].properties.notRead)])
      for (const { message } of runs[0].results) texts.push([`${name}: SARIF`, message.text])
    }
    expect(stray(texts)).toEqual([])
  })
})
