import { expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  type Bin,
  binOf,
  curveOf,
  curveWithout,
  falling,
  fit,
  rateAt,
  rateOf
} from "../../../../../src/features/rankings/opportunities/statistics/Curve.ts"
import { intervalOf, pointsOf, sizeOf } from "../../../../../src/features/rankings/opportunities/statistics/LowCtr.ts"

/** A bin of equal rows at its whole position. */
const bin = (position: number, clicks: number, impressions: number, rows = 10): Bin => ({
  clicks,
  impressions,
  position,
  rows,
  squares: impressions ** 2 / rows,
  top: impressions * position
})

const bins = fc
  .uniqueArray(
    fc.record({
      clicks: fc.integer({ min: 0, max: 5000 }),
      extra: fc.integer({ min: 0, max: 90_000 }),
      position: fc.integer({ min: 1, max: 20 })
    }),
    { maxLength: 20, selector: ({ position }) => position }
  )
  .map((all) =>
    all
      .map(({ clicks, extra, position }) => bin(position, clicks, clicks + extra + 1))
      .sort((a, b) => a.position - b.position)
  )

test("half positions are rounded up into bins", () => {
  expect([1, 1.49, 1.5, 2.5, 20.499].map(binOf)).toEqual([1, 1, 2, 3, 20])
})

test("a power law is recovered, and bins without clicks have no weight", () => {
  const exact = [1, 2, 5, 10].map((position) => bin(position, 30_000 / position ** 1.5, 100_000))
  const law = fit([...exact, bin(20, 0, 10)])
  expect(law?.slope).toBeCloseTo(-1.5, 10)
  expect(rateOf(law, 1)).toBeCloseTo(0.3, 10)
})

test("one bin with clicks gives a constant law, and bins without clicks give none", () => {
  expect(fit([bin(4, 10, 100), bin(5, 0, 100)])).toEqual({ level: Math.log(0.1), slope: 0 })
  expect(fit([bin(4, 0, 100)])).toBeNull()
  expect(rateAt(curveOf([bin(4, 0, 100)]), 3)).toBe(0)
  expect(rateAt(curveOf([]), 3)).toBe(0)
})

test("rates never rise with the position, stay between 0 and 1, and keep the pooled clicks", () => {
  fc.assert(
    fc.property(bins, (all) => {
      const { knots } = curveOf(all)
      for (const [at, { rate }] of knots.entries()) {
        expect(rate).toBeGreaterThanOrEqual(0)
        expect(rate).toBeLessThanOrEqual(1)
        if (at > 0) expect(rate).toBeLessThanOrEqual((knots[at - 1]?.rate ?? 1) + 1e-15)
      }
    }),
    { seed: 28 }
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 99 }))),
      (pairs) => {
        const [values, weights] = [pairs.map(([value]) => value), pairs.map(([, weight]) => weight)]
        const fallen = falling(values, weights)
        const total = (of: ReadonlyArray<number>) => of.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0)
        expect(total(fallen)).toBeCloseTo(total(values), 8)
        expect(falling(fallen, weights).map((value) => value.toFixed(9))).toEqual(
          fallen.map((value) => value.toFixed(9))
        )
      }
    ),
    { seed: 28 }
  )
})

test("the curve is linear in ln × ln between knots, and constant beyond the last", () => {
  const curve = curveOf([bin(2, 2_000_000, 10_000_000), bin(8, 500_000, 10_000_000)])
  expect(rateAt(curve, 4)).toBeCloseTo(Math.sqrt((curve.knots[0]?.rate ?? 0) * (curve.knots[1]?.rate ?? 0)), 12)
  expect(rateAt(curve, 1)).toBe(curve.knots[0]?.rate ?? 0)
  expect(rateAt(curve, 20)).toBe(curve.knots[1]?.rate ?? 0)
})

test("a bin with few impressions follows the law, and a bin with many its own clicks", () => {
  const law = [1, 2, 4, 8].map((position) => bin(position, 300_000 / position, 1_000_000))
  const few = rateAt(curveOf([...law.slice(0, 3), bin(6, 0, 2), bin(8, 37_500, 1_000_000)]), 6)
  expect(few).toBeCloseTo((200 * 0.05) / 202, 3)
})

test("a device with fewer than 1,000 clicks uses the law of all devices, also without a row", () => {
  const all = { level: Math.log(0.5), slope: -1 }
  const [small, large] = [curveOf([bin(1, 999, 9000)], all), curveOf([bin(1, 1000, 9000)], all)]
  expect([small.isBorrowed, small.law]).toEqual([true, all])
  expect([large.isBorrowed, large.law?.slope]).toEqual([false, 0])
  expect(curveWithout(small, { clicks: 9, impressions: 90, top: 90 }).law).toEqual(all)
})

test("the curve without a row is the curve of the other rows", () => {
  const row = { clicks: 30, impressions: 900, top: 900 * 3 }
  const others = [bin(1, 900, 3000), bin(3, 300, 3000), bin(9, 60, 3000)]
  const together = others.map((one) =>
    one.position === 3
      ? { ...one, clicks: 330, impressions: 3900, rows: 11, squares: one.squares + 900 ** 2, top: one.top + row.top }
      : one
  )
  expect(curveWithout(curveOf(together), row)).toEqual(curveOf(others))
})

test("intervals contain their rate, narrow with impressions and widen with the spread", () => {
  const point = (impressions: number, spread: number) =>
    pointsOf(curveOf([bin(1, impressions / 5, impressions)]), spread)[0]
  const width = (impressions: number, spread: number) => {
    const { high = 1, low = 0 } = point(impressions, spread)?.interval ?? {}
    expect(low).toBeLessThan(0.2)
    expect(high).toBeGreaterThan(0.2)
    return high - low
  }
  expect(width(100_000, 0.01)).toBeLessThan(width(1000, 0.01))
  expect(width(1000, 0.5)).toBeGreaterThan(width(1000, 0.01))
})

test("the interval is one-sided when no impression or every impression was clicked", () => {
  const [none, every] = [intervalOf(0, 100), intervalOf(1, 100)]
  expect(none.low).toBe(0)
  expect(none.high).toBeCloseTo(1 - 0.025 ** 0.01, 12)
  expect(every.low).toBeCloseTo(0.025 ** 0.01, 12)
  expect(every.high).toBe(1)
})

test("impressions in similar rows have the weight of the rows", () => {
  expect(sizeOf(1000, 10, 1)).toBeCloseTo(10, 10)
  expect(sizeOf(1000, 10, 0)).toBe(1000)
})
