import { expect, test } from "bun:test"
import * as fc from "fast-check"
import * as FairScheduler from "../../../../src/features/webhooks/deliveries/FairScheduler.ts"

const windows = fc.record({ slow: fc.boolean(), size: fc.integer({ min: 1, max: FairScheduler.most }) })
const results = fc.record({ accepted: fc.boolean(), milliseconds: fc.integer({ min: 0, max: 15_000 }) })

test("the window is always within its bounds", () => {
  fc.assert(
    fc.property(fc.array(results), (all) => {
      const { size } = all.reduce(FairScheduler.after, FairScheduler.initial)
      return size >= 1 && size <= FairScheduler.most
    })
  )
})

test("a slow answer or a failure never widens it, and a quick acceptance never narrows it", () => {
  fc.assert(
    fc.property(windows, results, (window, result) => {
      const { size, slow } = FairScheduler.after(window, result)
      const quick = result.accepted && result.milliseconds <= FairScheduler.slowAfter
      return slow === !quick && (quick ? size >= window.size : size <= window.size)
    })
  )
})

test("it begins with one, doubles in a round trip of quick acceptances, and is one again after six failures", () => {
  expect(FairScheduler.initial).toEqual({ size: 1, slow: false })
  const quick = { accepted: true, milliseconds: 5 }
  let window = FairScheduler.initial
  for (const expected of [2, 4, 8, 16, 32, 64, 64]) {
    window = Array.from({ length: window.size }, () => quick).reduce(FairScheduler.after, window)
    expect(window.size).toBe(expected)
  }
  const failure = { accepted: false, milliseconds: 5 }
  expect(Array.from({ length: 6 }, () => failure).reduce(FairScheduler.after, window)).toEqual({
    size: 1,
    slow: true
  })
})
