import { expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  changeOf,
  fallen,
  partsOf,
  weekly
} from "../../../../../src/features/rankings/opportunities/statistics/Decay.ts"
import { twoSidedP } from "../../../../../src/foundation/statistics/Distributions.ts"

const twelve = (clicks: number) => Array.from({ length: 12 }, (_, week) => clicks + (week % 2 === 0 ? 5 : -5))

test("weeks vary about the mean of their own window, minus random variation", () => {
  const { freedom, variance } = weekly({ before: [80, 120, 80, 120], now: [40, 60, 40, 60] })
  expect(freedom).toBe(6)
  expect(variance).toBeCloseTo((4 * 0.04 + 4 * 0.04 - 3 / 100 - 3 / 50) / 6, 12)
  expect(weekly({ before: [100, 101, 99, 100], now: [50, 50, 50, 50] }).variance).toBe(0)
})

test("t is the change divided by its standard error, with two degrees of freedom fewer than weeks", () => {
  const change = changeOf({ before: [80, 120, 80, 120], now: [40, 60, 40, 60] })
  const error = Math.sqrt(1 / 200 + 1 / 400 + (0.32 - 0.09) / 6 / 2)
  expect(change.theta).toBeCloseTo(Math.log(0.5), 12)
  expect(change.error).toBeCloseTo(error, 12)
  expect(change.p).toBeCloseTo(twoSidedP(Math.log(0.5) / error, 6) / 2, 12)
  expect(changeOf({ before: [40, 60, 40, 60], now: [80, 120, 80, 120] }).p).toBeGreaterThan(0.9)
})

test("the previous window has only four weeks, and earlier weeks estimate the variation", () => {
  const change = changeOf({ before: [900, 900, 900, 900, 100, 100, 100, 100], now: [100, 100, 100, 100] })
  expect([change.before, change.now, change.theta]).toEqual([400, 400, 0])
  expect(change.error).toBeGreaterThan(0.4)
})

test("a page without any clicks left is found, and its own weeks do not count for the variation", () => {
  const [loss] = fallen([["gone", { before: twelve(100), now: [0, 0, 0, 0] }]])
  expect(loss?.clicksHigh).toBeGreaterThan(399)
  expect(loss?.clicksLow).toBeGreaterThan(300)
})

test("pages with fewer than 20 clicks before are not checked", () => {
  const of = (week: number) => fallen([["page", { before: [50, 50, 50, 50, week, 5, 5, 5], now: [0, 0, 0, 0] }]]).length
  expect(of(4)).toBe(0)
  expect(of(5)).toBe(1)
})

test("a rising or constant page is never named, and the loss lies within its interval", () => {
  const losses = fallen([
    ["rises", { before: twelve(100), now: [200, 200, 200, 200] }],
    ["stays", { before: twelve(100), now: [100, 100, 100, 100] }],
    ["falls", { before: twelve(100), now: [60, 60, 60, 60] }]
  ])
  expect(losses.map(({ page }) => page)).toEqual(["falls"])
  expect(losses[0]?.clicksLow).toBeGreaterThan(100)
  expect(losses[0]?.clicksLow).toBeLessThan(160)
  expect(losses[0]?.clicksHigh).toBeGreaterThan(160)
})

test("a page that falls as the whole site does every year at this time is not named", () => {
  const pages = [["page", { before: twelve(100), now: [60, 60, 60, 60] }]] as const
  expect(fallen(pages, Math.log(0.6))).toEqual([])
  expect(fallen(pages, Math.log(0.95))).toHaveLength(1)
})

const sums = fc.record({
  clicks: fc.integer({ min: 0, max: 100_000 }),
  impressions: fc.integer({ min: 100_000, max: 9_000_000 }),
  top: fc.integer({ min: 9_000_000, max: 90_000_000 })
})

test("the parts of a change add up to it", () => {
  fc.assert(
    fc.property(sums, sums, (before, now) => {
      const { ctr, demand, position } = partsOf(before, now, (at) => 0.3 / at)
      const change = now.clicks - before.clicks
      expect(Math.abs(demand + position + ctr - change)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(change)))
    }),
    { seed: 28 }
  )
})

test("half the impressions are lost demand, another position is the difference on the curve, and the rest is CTR", () => {
  const of = (clicks: number, impressions: number, position: number) => ({
    clicks,
    impressions,
    top: impressions * position
  })
  const rate = (at: number) => 0.5 / at
  expect(partsOf(of(100, 1000, 2), of(50, 500, 2), rate)).toEqual({ ctr: 0, demand: -50, position: 0 })
  const moved = partsOf(of(100, 1000, 2), of(50, 1000, 4), rate)
  expect(moved.position).toBeCloseTo(-50, 10)
  expect(partsOf(of(100, 1000, 2), of(50, 1000, 2), rate)).toEqual({ ctr: -50, demand: 0, position: 0 })
  expect(partsOf(of(100, 1000, 2), of(0, 0, 0), rate)).toEqual({ ctr: 0, demand: -100, position: 0 })
})
