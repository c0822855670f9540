import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { effect } from "../../harness.ts"
import { crawlSite } from "./Crawling.ts"
import { chosen, generate } from "./Generate.ts"
import { Random } from "./Random.ts"
import { origin, seeds } from "./Seeds.ts"

/** The score of a seed's site with some of its defects repaired. */
const scoreOf = (seed: number, repaired: ReadonlySet<number>) =>
  Effect.map(crawlSite(generate(seed, { origin, repaired }), {}, { seed }), ({ result }) => result.score)

describe("the score of generated sites", () => {
  effect(
    "repairing a planted defect never lowers it",
    () =>
      Effect.gen(function* () {
        const wrong: Array<string> = []
        for (const seed of seeds(25, 5000)) {
          const list = chosen(seed, origin)
          const random = new Random(`repair ${seed}`)
          const repaired = new Set<number>()
          let before = yield* scoreOf(seed, repaired)
          for (let step = 0; step < Math.min(3, list.length); step++) {
            const position = random.int(0, list.length - 1)
            repaired.add(position)
            const after = yield* scoreOf(seed, repaired)
            if ((after.aggregate_score ?? 100) < (before.aggregate_score ?? 0)) {
              const name = list[position]?.name
              wrong.push(
                `seed ${seed}: ${before.aggregate_score} fell to ${after.aggregate_score} by repairing "${name}"`
              )
            }
            before = after
          }
        }
        expect(wrong).toEqual([])
      }),
    { timeout: 60_000 }
  )
})
