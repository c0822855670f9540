import { expect } from "bun:test"
import { it } from "../../harness.ts"
import { shuffled } from "./shuffled.ts"

// `bun run campaign shuffled` makes as many runs as one likes.
it("runs over a generated site with shuffled latencies are byte-identical", function* () {
  const { orders, pages, results } = yield* shuffled(20)
  expect(results).toBe(1)
  // The network did differ: no two runs heard the answers in the same order.
  expect(orders).toBe(20)
  expect(pages).toBeGreaterThan(20)
})
