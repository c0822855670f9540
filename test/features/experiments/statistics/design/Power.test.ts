import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import {
  type Design,
  DesignPower,
  evaluate,
  type Panel,
  powering
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { finish } from "../../../../../src/foundation/schema/Steps.ts"
import { criticalT } from "../../../../../src/foundation/statistics/Distributions.ts"
import { Random } from "../../simulations/Random.ts"
import { experiment, type Weeks } from "./Panels.ts"

const power = (panel: Panel, design: Design, leastPages = 2) =>
  Either.getOrThrow(finish(powering(panel, design, leastPages)))

const random = new Random(4)
const weekly = (weeks: number): Weeks => Array.from({ length: weeks }, () => 50 + Math.floor(200 * random.uniform()))
const pages = Array.from({ length: 8 }, () => weekly(30))
const made = (history: number, changes: Partial<Design> = {}) =>
  experiment(
    pages.slice(0, 4).map((page) => page.slice(30 - history)),
    pages.slice(4).map((page) => page.slice(30 - history)),
    history,
    changes
  )

describe("power", () => {
  test("has an entry for each length after the change, and says where the history is too short for it", () => {
    const { design, panel } = made(12)
    const { effects, ...rest } = power(panel, design)
    expect(Schema.is(DesignPower)({ effects, ...rest })).toBe(true)
    expect(effects.map(({ placebo_windows, post_days }) => [post_days, placebo_windows])).toEqual([
      [14, 7],
      [28, 5],
      [42, 3],
      [56, 1],
      [84, 0]
    ])
    expect(effects[4]).toEqual({ post_days: 84, placebo_windows: 0, reason: "history_too_short", needed_days: 112 })
  })

  test("is (t of 0.975 + t of 0.80) times the error of the one placebo that there is", () => {
    const { design, panel } = made(8)
    const placebo = Either.getOrThrow(evaluate({ ...panel, changeWeek: 4 }, design))
    const effect = power(panel, design).effects.find(({ post_days }) => post_days === 28)
    const shown = (criticalT(3) + criticalT(3, 0.4)) * placebo.page_error.standard_error
    const perDay = pages
      .slice(0, 4)
      .flatMap((page) => page.slice(-4))
      .reduce((sum, clicks) => sum + clicks / 28, 0)
    expect(effect).toMatchObject({ method: "page_jackknife", placebo_windows: 1 })
    if (effect === undefined || !("absolute" in effect)) return expect.unreachable()
    expect(effect.increase_percent).toBeCloseTo(100 * Math.expm1(shown), 8)
    expect(effect.decrease_percent).toBeCloseTo(-100 * Math.expm1(-shown), 8)
    expect(effect.absolute).toBeCloseTo(perDay * Math.expm1(shown), 8)
    expect(power(panel, design).baseline).toEqual({ value: expect.closeTo(perDay, 8), unit: "clicks_per_day" })
  })

  test("is that of the rule: chosen pages need larger effects than assigned ones", () => {
    const of = (assigned: boolean) => {
      const { design, panel } = made(30, { assigned })
      return power(panel, design).effects.map((effect) => ("absolute" in effect ? effect.increase_percent : 0))
    }
    const [assigned, chosen] = [of(true), of(false)]
    assigned.forEach((increase, at) => {
      expect(chosen[at]).toBeGreaterThanOrEqual(increase)
    })
  })

  test("tells the increase and the decrease of the design's own length in its sentence, or what is lacking", () => {
    const enough = made(12)
    expect(power(enough.panel, enough.design).sentence).toMatch(
      /^With 28 days after the change, an increase of clicks by \d+\.\d % or a decrease by \d+\.\d % is found in four of five/
    )
    const short = made(12, { post_days: 84 })
    expect(power(short.panel, short.design).sentence).toContain("it takes 112 days of history")
  })

  test("has a rate for baseline, and fails where the newest days or pages with clicks are missing", () => {
    const rate = made(12, { metric: "ctr" })
    expect(power(rate.panel, rate.design).baseline).toEqual({ value: expect.closeTo(0.05, 12), unit: "ctr" })
    const { design, panel } = made(12)
    const fault = (of: Panel, least: number) => Either.getOrThrow(Either.flip(finish(powering(of, design, least))))
    expect(fault(panel, 5)).toMatchObject({ code: "too_few_pages", pages: 4 })
    expect(fault({ ...panel, days: new Uint8Array(12) }, 2)).toMatchObject({ code: "missing_data", window: "pre" })
  })
})
