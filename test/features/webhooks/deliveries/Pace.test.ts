import { expect, test } from "bun:test"
import * as fc from "fast-check"
import * as Pace from "../../../../src/features/webhooks/deliveries/Pace.ts"

const paces = fc.record({ slow: fc.boolean(), window: fc.integer({ min: 1, max: Pace.most }) })
const told = fc.record({ accepted: fc.boolean(), milliseconds: fc.integer({ min: 0, max: 15_000 }) })

test("the window is always within its bounds", () => {
  fc.assert(
    fc.property(fc.array(told), (all) => {
      const { window } = all.reduce(Pace.after, Pace.initial)
      return window >= 1 && window <= Pace.most
    })
  )
})

test("a slow answer or a failure never widens it, and a quick acceptance never narrows it", () => {
  fc.assert(
    fc.property(paces, told, (pace, answer) => {
      const { slow, window } = Pace.after(pace, answer)
      const quick = answer.accepted && answer.milliseconds <= Pace.slowAfter
      return slow === !quick && (quick ? window >= pace.window : window <= pace.window)
    })
  )
})

test("it begins with one, doubles in a round trip of quick acceptances, and is one again after six failures", () => {
  expect(Pace.initial).toEqual({ slow: false, window: 1 })
  const quick = { accepted: true, milliseconds: 5 }
  let pace = Pace.initial
  for (const expected of [2, 4, 8, 16, 32, 64, 64]) {
    pace = Array.from({ length: pace.window }, () => quick).reduce(Pace.after, pace)
    expect(pace.window).toBe(expected)
  }
  const failure = { accepted: false, milliseconds: 5 }
  expect(Array.from({ length: 6 }, () => failure).reduce(Pace.after, pace)).toEqual({ slow: true, window: 1 })
})
