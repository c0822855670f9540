import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { reachesZero, zTest } from "../../../../src/features/experiments/statistics/Analyse.ts"
import * as Ratio from "../../../../src/features/experiments/statistics/Ratio.ts"

/** The 0.975 quantile to 36 decimals, and a distance from it far below what a double can show. */
const QUANTILE = Ratio.make(1959963984540054235524594430520551529n, 10n ** 36n)
const HAIR = Ratio.make(1n, 10n ** 40n)

const standardErrors = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.bigInt({ min: 1n, max: 10n ** 9n }))
  .map(([n, d]) => Ratio.make(n, d))

const estimate = (value: Ratio.Ratio, standardError: Ratio.Ratio) => ({
  value,
  variance: Ratio.times(standardError, standardError)
})

describe("a hair from the boundary, where doubles see no difference,", () => {
  test("beyond it p is below 0.05 and the interval excludes 0", () => {
    fc.assert(
      fc.property(standardErrors, (standardError) => {
        const beyond = Ratio.plus(Ratio.times(QUANTILE, standardError), Ratio.times(HAIR, standardError))
        const { isSignificant, lower, pValue } = zTest(estimate(beyond, standardError))
        expect({ isSignificant, pBelow: pValue < 0.05, excludes: lower > 0 }).toEqual({
          isSignificant: true,
          pBelow: true,
          excludes: true
        })
        expect(pValue).toBeCloseTo(0.05, 14)
      })
    )
  })

  test("short of it p is at least 0.05 and the interval holds 0", () => {
    fc.assert(
      fc.property(standardErrors, (standardError) => {
        const short = Ratio.minus(Ratio.times(QUANTILE, standardError), Ratio.times(HAIR, standardError))
        const { isSignificant, lower, pValue } = zTest(estimate(short, standardError))
        expect({ isSignificant, pBelow: pValue < 0.05, excludes: lower > 0 }).toEqual({
          isSignificant: false,
          pBelow: false,
          excludes: false
        })
        expect(pValue).toBeCloseTo(0.05, 14)
      })
    )
  })

  test("the same holds below zero", () => {
    const one = Ratio.make(1n, 1n)
    const short = Ratio.minus(HAIR, QUANTILE)
    const beyond = Ratio.minus(Ratio.make(-1n, 10n ** 40n), QUANTILE)
    expect(zTest(estimate(short, one))).toMatchObject({ isSignificant: false, pValue: expect.any(Number) })
    expect(zTest(estimate(beyond, one)).isSignificant).toBe(true)
    expect(zTest(estimate(beyond, one)).upper).toBeLessThan(0)
    expect(zTest(estimate(short, one)).upper).toBeGreaterThan(0)
  })
})

test("an estimate of exactly zero has p = 1 and a symmetric interval", () => {
  const { isSignificant, lower, pValue, upper } = zTest(estimate(Ratio.make(0n, 1n), Ratio.make(1n, 10n)))
  expect({ isSignificant, pValue }).toEqual({ isSignificant: false, pValue: 1 })
  expect(upper).toBe(0.19599639845400543)
  expect(lower).toBe(-upper)
})

test("an estimate reaches zero when its interval does; a certain one does not", () => {
  const one = Ratio.make(1n, 1n)
  expect(reachesZero({ value: Ratio.make(19n, 10n), variance: one })).toBe(true)
  expect(reachesZero({ value: Ratio.make(2n, 1n), variance: one })).toBe(false)
  expect(reachesZero({ value: one, variance: Ratio.make(0n, 1n) })).toBe(false)
})
