import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { analyse } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { arms, cells, cellsAtZ, constantCells } from "./Metrics.ts"
import { type FourCounts, preciseAnalysis } from "./Precise.ts"

/** An error of one part in 2^53 in z is one of z² parts in p; a subnormal p is good to its last bit. */
const pTolerance = (p: number, z: number) => Math.max(p * Math.max(1e-13, z * z * 2 ** -52), Number.MIN_VALUE)

const clip = (bound: number) => Math.min(2, Math.max(-2, bound))

const holds = (counts: FourCounts) => {
  const { control, treatment } = arms(counts)
  const actual = analyse(control, treatment)
  const raw = preciseAnalysis(counts, false)
  const isAdjusted = raw.standardError === 0
  const tested = isAdjusted ? preciseAnalysis(counts, true) : raw
  const [lower, upper] = tested.interval
  expect(actual.didEstimator).toBe(raw.did)
  expect(actual.liftPercentage).toBe(raw.lift ?? 0)
  expect(actual.confidenceInterval).toEqual(isAdjusted ? [clip(lower), clip(upper)] : [lower, upper])
  expect(Math.abs(actual.pValue - tested.p)).toBeLessThanOrEqual(pTolerance(tested.p, tested.z))
  expect(actual.isSignificant).toBe(tested.p < 0.05)
}

const every = (impressions: number, c0: number, c1: number, t0: number, t1: number): FourCounts => [
  { impressions, conversions: c0 },
  { impressions, conversions: c1 },
  { impressions, conversions: t0 },
  { impressions, conversions: t1 }
]

const MAX = Number.MAX_SAFE_INTEGER

describe("against several hundred digits, effect, lift and interval are the nearest doubles and p is as close as z allows:", () => {
  test("any counts up to 2^53 − 1", () => {
    fc.assert(fc.property(cells(), holds), { numRuns: 150 })
  })

  test("small counts", () => {
    fc.assert(fc.property(cells(60), holds), { numRuns: 150 })
  })

  test("p-values from 1 down to the smallest double", () => {
    fc.assert(fc.property(cellsAtZ(39), holds), { numRuns: 80 })
  })

  test("p-values about 0.05", () => {
    fc.assert(fc.property(cellsAtZ(2.2), holds), { numRuns: 100 })
  })

  test("zero variance", () => {
    fc.assert(fc.property(constantCells, holds), { numRuns: 150 })
  })

  const named: ReadonlyArray<readonly [string, FourCounts]> = [
    ["one impression a cell, one conversion", every(1, 0, 0, 0, 1)],
    ["one impression a cell, opposite moves", every(1, 1, 0, 0, 1)],
    ["2^53 − 1 in every count", every(MAX, MAX, MAX, MAX, MAX)],
    ["2^53 − 1 impressions, one conversion more", every(MAX, 0, 0, 0, 1)],
    ["2^53 − 1 impressions, from nothing to everything", every(MAX, 0, 0, 0, MAX)],
    ["2^53 − 1 impressions, all but one convert", every(MAX, MAX, MAX, MAX, MAX - 1)],
    [
      "2^53 − 1 impressions, half convert, a shift of 3e8",
      every(MAX, MAX / 2 - 0.5, MAX / 2 - 0.5, MAX / 2 - 0.5, 4503599927370495)
    ],
    ["one tenth to three tenths against two tenths to four", every(10, 1, 3, 2, 4)],
    ["a counterfactual of exactly zero", every(1000, 100, 50, 50, 40)],
    ["a counterfactual below zero", every(1000, 500, 100, 50, 40)],
    ["a counterfactual above one", every(100, 10, 60, 80, 95)],
    ["p about 1e-300", every(1_000_000, 50_000, 50_000, 50_000, 66_780)]
  ]
  for (const [name, counts] of named) test(name, () => holds(counts))
})

test("p about 1e-300 keeps its digits", () => {
  const { control, treatment } = arms(every(1_000_000, 50_000, 50_000, 50_000, 66_780))
  const { pValue } = analyse(control, treatment)
  expect(pValue).toBeGreaterThan(1e-302)
  expect(pValue).toBeLessThan(1e-298)
})

test("an effect that is zero in fractions but not in doubles is reported as 0 with p = 1", () => {
  const { control, treatment } = arms(every(10, 1, 3, 2, 4))
  expect(0.4 - 0.2 - (0.3 - 0.1)).not.toBe(0)
  expect(analyse(control, treatment)).toMatchObject({ didEstimator: 0, liftPercentage: 0, pValue: 1 })
})
