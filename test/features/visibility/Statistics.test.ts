import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import {
  change,
  compared,
  designEffect,
  powerOf,
  rateOf,
  signOf,
  verdict,
  wilson
} from "../../../src/features/visibility/Statistics.ts"
import { simulate } from "./law/World.ts"

const prompts = (answers: number, ...hits: ReadonlyArray<number>) => hits.map((hits) => ({ answers, hits }))

describe("a rate", () => {
  test("has Wilson's interval", () => {
    const [low, high] = wilson(0.5, 10)
    expect([low, high]).toEqual([expect.closeTo(0.2366, 4), expect.closeTo(0.7634, 4)])
    expect(wilson(0, 10)).toEqual([0, expect.closeTo(0.2775, 4)])
    expect(wilson(1, 10)[1]).toBe(1)
  })

  test("counts a prompt with equal answers as one answer, and independent answers as several", () => {
    const alike = prompts(5, ...Array.from({ length: 20 }, (_, n) => (n % 2) * 5))
    expect(designEffect(alike, 5)).toBe(5)
    expect(rateOf(alike, 5)?.interval).toEqual(wilson(0.5, 20))
    expect(designEffect(prompts(5, ...Array.from({ length: 20 }, () => 2)), 5)).toBe(1)
    // Without any hit the similarity of answers is unknown.
    expect(rateOf(prompts(5, 0, 0, 0, 0), 5)?.interval).toEqual(wilson(0, 4))
    expect(rateOf(prompts(0, 0, 0), 5)).toBe(null)
  })

  test("lies within its interval, and the interval within 0 and 1", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ max: 10, min: 1 }), fc.double({ max: 1, min: 0, noNaN: true })), {
          minLength: 1
        }),
        (found) => {
          const rate = rateOf(
            found.map(([answers, share]) => ({ answers, hits: Math.round(answers * share) })),
            10
          )
          if (rate === null) throw new Error("no rate")
          const [low, high] = rate.interval
          expect(low >= 0 && low <= rate.rate + 1e-12 && rate.rate - 1e-12 <= high && high <= 1).toBe(true)
        }
      )
    )
  })
})

describe("a change of a rate", () => {
  const pairs = (count: number, from: number, to: (n: number) => number) =>
    Array.from({ length: count }, (_, n) => ({
      after: { answers: 10, hits: to(n) },
      before: { answers: 10, hits: from }
    }))

  test("is tested by the paired t over prompts", () => {
    const found = change(pairs(4, 2, (n) => [4, 2, 4, 6][n] ?? 0))
    expect(found).toMatchObject({ delta: expect.closeTo(0.2, 12), p: expect.closeTo(0.0917, 4), prompts: 4 })
  })

  test("counts with 20 prompts, 5 points and p below 0.05", () => {
    const often = (n: number) => 3 + (n % 2)
    expect(signOf(change(pairs(20, 2, often)))).toBe(1)
    expect(signOf(change(pairs(20, 5, often)))).toBe(-1)
    expect(signOf(change(pairs(19, 2, often)))).toBe(0)
    expect(signOf(change(pairs(200, 2, (n) => (n % 5 === 0 ? 4 : 2))))).toBe(0)
    expect(signOf(change(pairs(20, 2, (n) => (n % 2 === 0 ? 0 : 5))))).toBe(0)
  })

  test("is published when the next run confirms it, in the same direction", () => {
    const through = (...signs: ReadonlyArray<-1 | 0 | 1>) => {
      let pending: number | null = null
      return signs.map((sign) => {
        const found = verdict(pending, sign)
        pending = found.pending
        return found.isPublished
      })
    }
    expect(through(1, 1, 0)).toEqual([false, true, false])
    expect(through(1, 0, 1)).toEqual([false, false, false])
    expect(through(1, -1, -1)).toEqual([false, false, true])
  })

  test("names the reasons why two runs cannot be compared", () => {
    const run = {
      answered: 100,
      engine: "openai",
      hasNames: true,
      models: ["m"],
      planned: 100,
      promptSet: "set",
      prompts: Array.from({ length: 20 }, (_, n) => ({
        answers: 5,
        cited: 1,
        isNamed: false,
        key: `${n}`,
        mentioned: 0
      })),
      repeats: 5,
      tool: "web_search"
    }
    expect(compared(run, run)).toMatchObject({ reasons: [] })
    for (const [other, reason] of [
      [{ ...run, models: ["n"] }, "other_model"],
      [{ ...run, models: ["m", "n"] }, "other_model"],
      [{ ...run, promptSet: "another" }, "other_prompts"],
      [{ ...run, tool: "web_search_2" }, "other_tool"],
      [{ ...run, engine: "xai" }, "other_engine"],
      [{ ...run, prompts: run.prompts.slice(1) }, "too_few_prompts"],
      [{ ...run, answered: 89 }, "too_few_answers"]
    ] as const)
      expect(compared(run, other).reasons).toEqual([reason])
  })
})

test("power is zero below 20 prompts, and above equals the share of simulated runs that detect the change", () => {
  expect(powerOf({ prompts: 19, rate: 0.3, repeats: 5 })).toEqual({ power_one_run: 0, power_told: 0 })
  const row = simulate({ alike: 0.5, prompts: 40, rate: 0.3, repeats: 5 }, 500, 7)
  expect(Math.abs(row.shown - row.power.power_one_run)).toBeLessThan(0.08)
  expect(Math.abs(row.told - row.power.power_told)).toBeLessThan(0.08)
  expect(row.covered).toBeGreaterThan(0.88)
  expect(row.falselyToldInChain).toBeLessThan(0.012)
})
