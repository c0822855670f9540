import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { curveOf } from "../../../../../src/features/rankings/opportunities/statistics/Curve.ts"
import {
  assess,
  atMost,
  type Compared,
  cautiousSpread,
  compare,
  correlation,
  gainAtTarget,
  qValues,
  spreadAbout,
  tooFew
} from "../../../../../src/features/rankings/opportunities/statistics/LowCtr.ts"

const near = (actual: number, expected: number, relative = 1e-10) =>
  expect(Math.abs(actual / expected - 1)).toBeLessThan(relative)

/** P(K ≤ k) as the product of Pólya's urn: each draw adds another ball of its color. */
const urn = (k: number, n: number, rate: number, alike: number) => {
  const size = 1 / alike - 1
  const [a, b] = [rate * size, (1 - rate) * size]
  let term = 1
  for (let draw = 0; draw < n; draw++) term *= (b + draw) / (size + draw)
  let sum = term
  for (let j = 1; j <= k; j++) {
    term *= ((n - j + 1) * (a + j - 1)) / (j * (n - j + b))
    sum += term
  }
  return sum
}

test("the tail of the beta-binomial distribution is the sum of its terms", () => {
  for (const [k, n, rate, alike] of [
    [0, 50, 0.1, 0.01],
    [3, 100, 0.1, 0.004],
    [40, 5000, 0.02, 0.0003],
    [900, 20_000, 0.06, 0.002],
    [7, 60, 0.6, 0.3]
  ] as const)
    near(atMost(k, n, rate, alike), urn(k, n, rate, alike))
  near(
    atMost(12, 40, 0.4, 1e-12),
    [...Array(13).keys()].reduce((sum, j) => sum + choose(40, j) * 0.4 ** j * 0.6 ** (40 - j), 0),
    1e-9
  )
})

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k)

test("fully correlated rows give no evidence, and all clicks have probability 1", () => {
  expect(atMost(0, 100, 0.5, 1)).toBe(1)
  expect(atMost(100, 100, 0.5, 0.1)).toBe(1)
})

test("q-values are those of Benjamini and Hochberg, in the order of the tests", () => {
  expect(qValues([0.01, 0.04, 0.03, 0.005]).map((q) => q.toFixed(4))).toEqual(["0.0200", "0.0400", "0.0400", "0.0200"])
  expect(qValues([0.01], 10)).toEqual([0.1])
  expect(qValues([])).toEqual([])
})

test("a q-value is never below its p-value, and has the same order", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (p) => {
      const q = qValues(p)
      for (const [i, a] of p.entries()) {
        expect(q[i] ?? 0).toBeGreaterThanOrEqual(a - 1e-15)
        for (const [j, b] of p.entries()) if (a < b) expect(q[i] ?? 0).toBeLessThanOrEqual(q[j] ?? 0)
      }
    }),
    { seed: 28 }
  )
})

const row = (clicks: number, impressions: number, more: Partial<Compared> = {}): Compared => ({
  clicks,
  impressions,
  inverse: 0.0001,
  key: clicks,
  rate: 0.1,
  share: 0.01,
  top: impressions,
  ...more
})

test("the spread makes the median of squared deviations equal to that of χ²", () => {
  const rows = [60, 75, 90, 95, 104, 118, 150].map((clicks) => row(clicks, 1000))
  const spread = spreadAbout(rows)
  const squares = rows
    .map(({ clicks, impressions, inverse, rate, share }) => {
      const square = (clicks - impressions * rate) ** 2 / (impressions * rate * (1 - rate))
      return square / (1 + (impressions - 1) * correlation(spread * (1 + share) + inverse, rate))
    })
    .sort((a, b) => a - b)
  expect(squares[3]).toBeCloseTo(0.455, 10)
  expect(cautiousSpread(rows, rows)).toBeGreaterThan(spread)
})

test("the spread is at least 0.01, and rows alone in their bin do not count for it", () => {
  expect(spreadAbout([])).toBe(0.01)
  expect(cautiousSpread([], [])).toBe(0.01)
  expect(spreadAbout([row(100, 1000), row(101, 1000)])).toBe(0.01)
  const wild = [10, 200, 300].map((clicks) => row(clicks, 1000))
  const alone = Array.from({ length: 9 }, () => row(100, 1000, { inverse: Number.POSITIVE_INFINITY }))
  expect(spreadAbout([...wild, ...alone])).toBe(spreadAbout(wild))
})

test("few rows are tested with the larger spread of the whole device, and many rows with their own", () => {
  const about = (far: number, count: number) =>
    Array.from({ length: count }, (_, n) => row(100 + (n % 2 === 0 ? far : -far), 1000))
  const [tight, wild] = [about(12, 60), about(60, 60)]
  expect(cautiousSpread(tight.slice(0, 20), [...tight, ...wild])).toBeGreaterThan(cautiousSpread(tight, tight))
  expect(cautiousSpread(tight, [...tight, ...wild])).toBe(cautiousSpread(tight, tight))
})

const bin = (position: number, clicks: number) => ({
  clicks,
  impressions: 10_000,
  position,
  rows: 10,
  squares: 1e7,
  top: position * 10_000
})
const curve = curveOf([bin(3, 1000), bin(4, 800), bin(20, 100)])

test("a row is tested from 50 impressions and 5 expected clicks on, up to position 20", () => {
  const of = (impressions: number, position: number) =>
    compare(curve, { clicks: 0, impressions, key: 1, top: impressions * position }) !== undefined
  expect(of(70, 4)).toBe(true)
  expect(of(49, 3)).toBe(false)
  expect(of(55, 4)).toBe(false)
  expect(of(900, 20)).toBe(true)
  expect(of(9000, 20.01)).toBe(false)
})

test("a row with its expected clicks is not tested, and a row with far too few is named with its missing clicks", () => {
  expect(assess(row(100, 1000), 0.01)).toBeUndefined()
  const [lack, ...more] = tooFew(
    [row(30, 1000), row(95, 1000)].flatMap((one) => assess(one, 0.01) ?? []),
    20
  )
  expect(more).toEqual([])
  expect(lack?.row.clicks).toBe(30)
  expect(lack?.clicksLow).toBeGreaterThan(40)
  expect(lack?.clicksLow).toBeLessThan(70)
  expect(lack?.clicksHigh).toBeGreaterThan(70)
  expect(lack?.q).toBe((lack?.p ?? 1) * 20)
})

test("the gain at the third position exists from position 4 to 20, and is the interval there minus the clicks", () => {
  const at = (position: number, clicks = 0, impressions = 100) =>
    gainAtTarget({ clicks, impressions, top: impressions * position }, { high: 0.2, low: 0.1 })
  expect(at(4)).toEqual({ clicksHigh: 20, clicksLow: 10 })
  expect(at(20)).toEqual({ clicksHigh: 20, clicksLow: 10 })
  expect(at(5, 15)).toEqual({ clicksHigh: 5, clicksLow: 0 })
  for (const none of [at(3.99), at(20.01), at(5, 20), at(5, 0, 49)]) expect(none).toBeUndefined()
})
