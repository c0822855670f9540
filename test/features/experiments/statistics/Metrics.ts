import * as fc from "fast-check"
import { ArmMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import type { Counts, FourCounts } from "./Precise.ts"

/** Test and control of four counted cells. */
export const arms = ([c0, c1, t0, t1]: FourCounts) => ({ control: arm(c0, c1), treatment: arm(t0, t1) })

const arm = (before: Counts, after: Counts) =>
  ArmMetrics.make({
    preImpressions: before.impressions,
    postImpressions: after.impressions,
    preConversions: before.conversions,
    postConversions: after.conversions
  })

const impressionsUpTo = (maximum: number) =>
  fc.oneof(
    fc.integer({ min: 1, max: Math.min(40, maximum) }),
    fc.integer({ min: 1, max: maximum }),
    fc.integer({ min: Math.max(1, maximum - 3), max: maximum })
  )

/** Any valid cell, often at an edge: nothing, everything or all but one converts. */
export const cell = (maximum = Number.MAX_SAFE_INTEGER): fc.Arbitrary<Counts> =>
  impressionsUpTo(maximum).chain((impressions) =>
    fc
      .oneof(
        fc.constantFrom(0, impressions, 1, impressions - 1),
        fc.integer({ min: 0, max: impressions }),
        fc.integer({ min: 0, max: Math.max(1, Math.floor(impressions / 30)) })
      )
      .map((conversions) => ({ impressions, conversions: Math.min(conversions, impressions) }))
  )

/** Four valid cells; similar ones are as common as unrelated ones. */
export const cells = (maximum = Number.MAX_SAFE_INTEGER): fc.Arbitrary<FourCounts> =>
  fc.tuple(cell(maximum), cell(maximum), cell(maximum), cell(maximum))

/** Cells in which nothing, or everything, converted: the binomial variance is zero. */
export const constantCells: fc.Arbitrary<FourCounts> = (() => {
  const constant = fc
    .tuple(impressionsUpTo(Number.MAX_SAFE_INTEGER), fc.boolean())
    .map(([impressions, all]) => ({ impressions, conversions: all ? impressions : 0 }))
  return fc.tuple(constant, constant, constant, constant)
})()

/** Four cells of n impressions at a common rate, the last of them `deviation` standard errors off it. */
export const cellsAtZ = (maximumZ: number): fc.Arbitrary<FourCounts> =>
  fc
    .record({
      exponent: fc.double({ min: 5, max: 15.9, noNaN: true }),
      rate: fc.double({ min: 0.02, max: 0.6, noNaN: true }),
      deviation: fc.double({ min: -maximumZ, max: maximumZ, noNaN: true })
    })
    .map(({ deviation, exponent, rate }) => {
      const impressions = Math.floor(10 ** exponent)
      const conversions = Math.floor(rate * impressions)
      const off = Math.floor(conversions + deviation * Math.sqrt(4 * rate * (1 - rate) * impressions))
      const same = { impressions, conversions }
      return [same, same, same, { impressions, conversions: Math.min(impressions, Math.max(0, off)) }]
    })
