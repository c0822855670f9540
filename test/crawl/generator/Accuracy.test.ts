import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { HealthReason, HealthState, IndexabilityState } from "../../../src/crawl/report/MeasuredPage.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { suite } from "../../harness.ts"
import { often } from "../../often.ts"
import { maxUrls } from "./Builder.ts"
import { compare } from "./Compare.ts"
import { crawlSite } from "./Crawling.ts"
import { Figures, precision, recall } from "./Figures.ts"
import { generate } from "./Generate.ts"
import { breaches } from "./Laws.ts"
import { origin } from "./Seeds.ts"
import { showing } from "./Showing.ts"
import { unknownRules } from "./Truth.ts"
import { worldOf } from "./World.ts"

/** Sites with every defect; `bun run campaign accuracy` crawls a thousand, which have the same defects by lot. */
const chosen = showing(often(1))

class Accuracy extends Effect.Service<Accuracy>()("test/Accuracy", {
  effect: Effect.gen(function* () {
    const figures = new Figures()
    const wrong: Array<string> = []
    for (const seed of chosen) {
      const site = generate(seed, { origin })
      const checkDeadLinks = seed % 17 !== 0
      const checkExternalLinks = seed % 5 !== 1
      const world = worldOf(site, checkDeadLinks, checkExternalLinks)
      const crawled = yield* crawlSite(site, { checkDeadLinks, checkExternalLinks }, { seed })
      const points = compare(world, crawled.result)
      figures.add(points)
      for (const { about, detail, outcome, url } of points) {
        if (outcome !== "found") wrong.push(`seed ${seed}, ${url}: ${about} ${outcome} (${detail})`)
      }
      for (const breach of breaches(world, crawled, maxUrls)) wrong.push(`seed ${seed}: ${breach}`)
    }
    return { figures, wrong }
  })
}) {}

describe(`the crawl against the truth of ${chosen.length} generated sites`, () => {
  const it = suite(Accuracy.Default, { timeout: 900_000 })

  it("reports nothing false, and misses no planted defect", function* () {
    const { wrong } = yield* Accuracy
    expect(wrong.slice(0, 20)).toEqual([])
  })

  it("covers every check of the catalogue and every state with a planted defect", function* () {
    const { figures } = yield* Accuracy
    const planted = (about: string) => (figures.of(about)?.planted ?? 0) > 0
    const kinds = [
      ...catalogue.flatMap(({ id, onlyRendered }) => (onlyRendered === true ? [] : [id])),
      // A URL that the caller excludes is no issue of a site.
      ...HealthReason.literals.filter((reason) => reason !== "excluded").map((reason) => `reason ${reason}`),
      ...HealthState.literals.map((state) => `health ${state}`),
      ...IndexabilityState.literals.map((state) => `indexability ${state}`)
    ]
    expect(unknownRules()).toEqual([])
    expect(kinds.filter((kind) => !planted(kind))).toEqual([])
  })

  it("has precision 1 and recall of at least 0.99 for each check and each state", function* () {
    const { figures } = yield* Accuracy
    const poor = figures.all().filter((figure) => precision(figure) < 1 || recall(figure) < 0.99)
    expect(poor).toEqual([])
  })
})
