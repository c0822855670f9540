import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { Renderer } from "../../../src/crawl/render/Rendering.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { suite } from "../../harness.ts"
import { often } from "../../often.ts"
import { browser, patient } from "../render/oracle.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"
import { answer } from "./Answers.ts"
import { maxUrls } from "./Builder.ts"
import { compare } from "./Compare.ts"
import { crawlSite, options } from "./Crawling.ts"
import { Figures, precision, recall } from "./Figures.ts"
import { coveringScripts, generate } from "./Generate.ts"
import { breaches } from "./Laws.ts"
import { origin } from "./Seeds.ts"
import type { Site } from "./Site.ts"
import { truthOfScripts } from "./TruthOfScripts.ts"
import { type World, worldOf } from "./World.ts"

/** What a report says wrongly of a site. */
const wrongOf = (world: World, seed: number, result: Parameters<typeof compare>[1]) =>
  compare(world, result).flatMap(({ about, detail, outcome, url }) =>
    outcome === "found" ? [] : [`seed ${seed}, ${url}: ${about} ${outcome} (${detail})`]
  )

const ended = coveringScripts(origin, often(1))
/** Sites with a page whose script never ends, too. */
const hanging = ended.slice(0, often(2))

const scripted = (seed: number): Site => generate(seed, { origin, scripts: "ended" })

class Accuracy extends Effect.Service<Accuracy>()("test/ScriptedAccuracy", {
  effect: Effect.gen(function* () {
    const figures = new Figures()
    const wrong: Array<string> = []
    const sites = [
      ...ended.map((seed) => [seed, scripted(seed)] as const),
      ...hanging.map((seed) => [seed, generate(seed, { origin, scripts: "hanging" })] as const)
    ]
    for (const [seed, site] of sites) {
      const world = worldOf(site, true)
      const crawled = yield* crawlSite(site, { renderPages: 2 * maxUrls }, { seed })
      figures.add(compare(world, crawled.result))
      wrong.push(...wrongOf(world, seed, crawled.result))
      for (const breach of breaches(world, crawled, maxUrls)) wrong.push(`seed ${seed}: ${breach}`)
    }
    return { figures, wrong }
  })
}) {}

describe(`a crawl that renders, against the truth of ${ended.length + hanging.length} generated sites with scripts`, () => {
  const it = suite(Accuracy.Default, { timeout: 300_000 })

  it("reports nothing false, and misses no planted defect", function* () {
    const { wrong } = yield* Accuracy
    expect(wrong.slice(0, 20)).toEqual([])
  })

  it("finds each check of scripts where it was planted, and nowhere else", function* () {
    const { figures } = yield* Accuracy
    const ids = catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [id] : []))
    expect(ids.toSorted()).toEqual(Object.keys(truthOfScripts).toSorted())
    const poor = ids.filter((id) => {
      const figure = figures.of(id)
      return figure === undefined || figure.planted === 0 || precision(figure) < 1 || recall(figure) < 1
    })
    expect(poor).toEqual([])
  })
})

if (browser === null)
  console.warn(
    "Skipped: generated scripts in a browser, since this machine has none (apt-get install chromium-headless-shell)."
  )

describe.if(browser !== null)("a browser", () => {
  const it = suite(patient, { timeout: 600_000 })
  const few = coveringScripts(origin, 1).slice(0, often(1))

  it(`makes of the scripts of ${few.length} generated sites what their plans say`, function* () {
    const renderer = yield* Renderer
    for (const seed of few) {
      const site = scripted(seed)
      const result = yield* report(site.start, {
        ...options,
        deadline: "10 minutes",
        render: "always",
        renderPages: 2 * maxUrls
      }).pipe(
        Effect.provide(memoryOutbound((url, { method }, asked) => answer(site, url, asked, method))),
        Effect.provideService(Renderer, renderer)
      )
      expect(wrongOf(worldOf(site, true), seed, result)).toEqual([])
    }
  })
})
