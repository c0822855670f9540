import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { erfc, reachesZero, zTest } from "../../../../src/features/experiments/statistics/Analyse.ts"
import * as Ratio from "../../../../src/features/experiments/statistics/Ratio.ts"
import { analyse } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { arms, cells, cellsAtZ, constantCells } from "./Metrics.ts"
import { type FourCounts, preciseAnalysis, preciseErfc } from "./Precise.ts"

const positive = fc.bigInt({ min: 1n, max: 1n << 240n })

const any = fc.bigInt({ min: -(1n << 240n), max: 1n << 240n })

/** Decimal text of 400 decimals, which the engine parses with one correct rounding. */
const byText = (numerator: bigint, denominator: bigint) => Number(`${(numerator * 10n ** 400n) / denominator}e-400`)

describe("Ratio.toNumber", () => {
  test("gives the double that the decimal expansion parses to", () => {
    fc.assert(
      fc.property(any, positive, (numerator, denominator) => {
        expect(Ratio.toNumber(Ratio.make(numerator, denominator))).toBe(byText(numerator, denominator) + 0)
      }),
      { numRuns: 1000 }
    )
  })

  test("returns every double unchanged, for any common factor", () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -200, max: 2 ** 200, noNaN: true }), positive, (x, factor) => {
        const numerator = BigInt(x * 2 ** 260) * factor
        expect(Ratio.toNumber(Ratio.make(numerator, factor << 260n))).toBe(x)
      })
    )
  })

  test("rounds ties to even, and the smallest excess over a tie up", () => {
    const tie = (1n << 54n) + 2n
    const scale = 1n << 300n
    expect(Ratio.toNumber(Ratio.make(tie * scale, scale))).toBe(2 ** 54)
    expect(Ratio.toNumber(Ratio.make(tie * scale + 1n, scale))).toBe(2 ** 54 + 4)
    expect(Ratio.toNumber(Ratio.make(tie * scale - 1n, scale))).toBe(2 ** 54)
    expect(Ratio.toNumber(Ratio.make((tie + 4n) * scale, scale))).toBe(2 ** 54 + 8)
  })

  test("gives 0, never -0", () => {
    expect(Object.is(Ratio.toNumber(Ratio.make(-0n, 7n)), 0)).toBe(true)
  })
})

describe("Ratio arithmetic", () => {
  const ratio = fc.tuple(any, positive).map(([n, d]) => Ratio.make(n, d))

  test("subtraction reverses addition, and division reverses multiplication", () => {
    fc.assert(
      fc.property(ratio, ratio, positive, positive, (a, b, n, d) => {
        expect(Ratio.compare(Ratio.minus(Ratio.plus(a, b), b), a)).toBe(0)
        expect(Ratio.compare(Ratio.over(Ratio.times(a, Ratio.make(n, d)), Ratio.make(n, d)), a)).toBe(0)
      })
    )
  })

  test("compare agrees with the sign of the difference", () => {
    fc.assert(
      fc.property(ratio, ratio, (a, b) => {
        const { numerator } = Ratio.minus(a, b)
        expect(Ratio.compare(a, b)).toBe(numerator > 0n ? 1 : numerator < 0n ? -1 : 0)
      })
    )
  })
})

describe("squareRoot", () => {
  test("is exact for squares of binary fractions", () => {
    expect(Ratio.compare(Ratio.squareRoot(Ratio.make(9n, 64n)), Ratio.make(3n, 8n))).toBe(0)
  })

  test("is within the last of 256 binary places", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 1n << 200n }), positive, (numerator, denominator) => {
        const square = Ratio.make(numerator, denominator)
        const root = Ratio.squareRoot(square)
        const next = Ratio.plus(root, Ratio.make(1n, 1n << 256n))
        expect(Ratio.compare(Ratio.times(root, root), square)).toBeLessThanOrEqual(0)
        expect(Ratio.compare(Ratio.times(next, next), square)).toBe(1)
      })
    )
  })
})

const relativeError = (x: number) => {
  const expected = preciseErfc(x)
  return Math.abs(erfc(x) - expected) / expected
}

test("erfc is within 1e-14 of the true value on a grid over [0, 26.5]", () => {
  // A step with few bits would have only exact squares and could not show how exp(−x²) treats the others.
  const worst = Math.max(...Array.from({ length: 107 }, (_, i) => relativeError((i * 26.5) / 106.001)))
  expect(worst).toBeLessThan(1e-14)
})

test("erfc is within 1e-14 of the true value below 3, also around 1, where the method changes", () => {
  fc.assert(
    fc.property(fc.double({ min: 2 ** -40, max: 3, noNaN: true }), (x) => {
      expect(relativeError(x)).toBeLessThan(1e-14)
    }),
    { numRuns: 300 }
  )
  for (const x of [1 - 2 ** -53, 1, 1 + 2 ** -52]) expect(relativeError(x)).toBeLessThan(1e-14)
})

test("subnormal values of erfc are exact except for their last bit", () => {
  for (const x of [26.6, 26.75, 26.9, 27, 27.1, 27.2, 27.22]) {
    expect(Math.abs(erfc(x) - preciseErfc(x))).toBeLessThanOrEqual(Math.max(Number.MIN_VALUE, preciseErfc(x) * 1e-13))
  }
})

test("erfc starts at 1, never rises, and ends at 0", () => {
  expect(erfc(0)).toBe(1)
  expect(erfc(27.3)).toBe(0)
  expect(erfc(Number.POSITIVE_INFINITY)).toBe(0)
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 28, noNaN: true }),
      fc.double({ min: 1e-9, max: 1, noNaN: true }),
      (x, step) => {
        expect(erfc(x + step)).toBeLessThanOrEqual(erfc(x))
      }
    )
  )
})

test("erfc of a negative number is 2 minus erfc of its absolute value", () => {
  expect(erfc(-0.5)).toBe(2 - erfc(0.5))
  expect(erfc(-40)).toBe(2)
})

/** An error of one part in 2^53 in z is an error of z² parts in p; a subnormal p is exact except for its last bit. */
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

describe("compared with several hundred digits, effect, lift and interval are the nearest doubles and p is as close as z allows, for", () => {
  test("any counts up to 2^53 − 1", () => {
    fc.assert(fc.property(cells(), holds), { numRuns: 150 })
  })

  test("small counts", () => {
    fc.assert(fc.property(cells(60), holds), { numRuns: 150 })
  })

  test("p-values from 1 down to the smallest double", () => {
    fc.assert(fc.property(cellsAtZ(39), holds), { numRuns: 80 })
  })

  test("p-values around 0.05", () => {
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
    ["one tenth to three tenths and two tenths to four", every(10, 1, 3, 2, 4)],
    ["a counterfactual of exactly zero", every(1000, 100, 50, 50, 40)],
    ["a counterfactual below zero", every(1000, 500, 100, 50, 40)],
    ["a counterfactual above one", every(100, 10, 60, 80, 95)],
    ["p around 1e-300", every(1_000_000, 50_000, 50_000, 50_000, 66_780)]
  ]
  for (const [name, counts] of named) test(name, () => holds(counts))
})

test("a p-value around 1e-300 keeps its digits", () => {
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

describe("very close to the boundary, where doubles see no difference,", () => {
  test("p is below 0.05 beyond it, and the interval excludes 0", () => {
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

  test("p is at least 0.05 short of it, and the interval contains 0", () => {
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

  test("both sides are the same below zero", () => {
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

test("an estimate can be zero if its interval contains zero, and an estimate without variance cannot", () => {
  const one = Ratio.make(1n, 1n)
  expect(reachesZero({ value: Ratio.make(19n, 10n), variance: one })).toBe(true)
  expect(reachesZero({ value: Ratio.make(2n, 1n), variance: one })).toBe(false)
  expect(reachesZero({ value: one, variance: Ratio.make(0n, 1n) })).toBe(false)
})
