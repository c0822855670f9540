import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { crawlSite } from "./Crawling.ts"
import { chosen, generate } from "./Generate.ts"
import { exactScore } from "./Laws.ts"
import { Random } from "./Random.ts"
import { origin, seeds } from "./Seeds.ts"

/** The exact score of a seed's site with some of its defects repaired, and which pages it stands on. */
const scoreOf = (seed: number, repaired: ReadonlySet<number>) =>
  Effect.map(crawlSite(generate(seed, { origin, repaired }), {}, { seed }), ({ result: { pages, score } }) => ({
    exact: score.has_data ? exactScore(score) : null,
    stands: pages
      .filter(({ health_state }) => health_state !== "unchecked")
      .map(({ health_state, url }) => `${health_state === "eligible" ? "failed" : health_state} ${url}`)
      .sort()
      .join("\n")
  }))

describe("the score of generated sites", () => {
  it("repairing a planted defect that leaves the same pages to assess never lowers it", function* () {
    const wrong: Array<string> = []
    let compared = 0
    for (const seed of seeds(16, 5000)) {
      const list = chosen(seed, origin)
      const random = new Random(`repair ${seed}`)
      const repaired = new Set<number>()
      let before = yield* scoreOf(seed, repaired)
      for (let step = 0; step < Math.min(3, list.length); step++) {
        const position = random.int(0, list.length - 1)
        repaired.add(position)
        const after = yield* scoreOf(seed, repaired)
        if (after.stands === before.stands && after.exact !== null && before.exact !== null) {
          compared += 1
          if (after.exact < before.exact - 1e-9)
            wrong.push(`seed ${seed}: ${before.exact} fell to ${after.exact} by repairing "${list[position]?.name}"`)
        }
        before = after
      }
    }
    expect(wrong).toEqual([])
    expect(compared).toBeGreaterThan(20)
  })
})
