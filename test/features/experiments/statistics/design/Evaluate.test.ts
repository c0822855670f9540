import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import {
  type Design,
  DesignedAnalysis,
  evaluate,
  evaluating,
  type Panel
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { blocks, finish } from "../../../../../src/foundation/schema/Steps.ts"
import { experiment, steady, type Weeks } from "./Panels.ts"

const analysisOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(evaluate(panel, design))
const faultOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(Either.flip(evaluate(panel, design)))

/** Three pages an arm that differ, so that there is an error. */
const treatment: ReadonlyArray<Weeks> = [steady(10, 13), steady(40, 44), steady(90, 120)]
const control: ReadonlyArray<Weeks> = [steady(12, 12), steady(30, 33), steady(100, 95)]

describe("an evaluation", () => {
  test("is the formulas, done by hand", () => {
    const analysis = analysisOf(experiment(treatment, control, 4))
    // y₀ are 40, 160, 360 and 48, 120, 400: κ is the mean of 120 and 160.
    const w = (clicks: number) => 1 / (1 + clicks / 140)
    const arm = (pages: ReadonlyArray<readonly [number, number]>) =>
      Math.log(
        pages.reduce((sum, [before, after]) => sum + w(before) * after, 0) /
          pages.reduce((sum, [before]) => sum + w(before) * before, 0)
      )
    const t: ReadonlyArray<readonly [number, number]> = [
      [40, 52],
      [160, 176],
      [360, 480]
    ]
    const c: typeof t = [
      [48, 48],
      [120, 132],
      [400, 380]
    ]
    const variance = (pages: typeof t) =>
      (2 / 3) * pages.reduce((sum, _, out) => sum + (arm(pages.filter((_, at) => at !== out)) - arm(pages)) ** 2, 0)
    const theta = arm(t) - arm(c)
    const error = Math.sqrt(variance(t) + variance(c))
    expect(analysis.liftPercentage).toBeCloseTo(100 * Math.expm1(theta), 10)
    expect(analysis.standard_error).toBeCloseTo(error, 12)
    expect(analysis.degrees_of_freedom).toBe(2)
    // Student's t with two degrees of freedom has a closed form.
    const ratio = theta / error
    expect(analysis.pValue).toBeCloseTo(1 - ratio / Math.sqrt(2 + ratio * ratio), 12)
    const half = (0.95 / Math.sqrt((1 - 0.95 * 0.95) / 2)) * error
    const perDay = (52 + 176 + 480) / 28
    expect(analysis.didEstimator).toBeCloseTo(perDay * (1 - Math.exp(-theta)), 10)
    expect(analysis.confidenceInterval[0]).toBeCloseTo(perDay * (1 - Math.exp(-theta + half)), 8)
    expect(analysis.confidenceInterval[1]).toBeCloseTo(perDay * (1 - Math.exp(-theta - half)), 8)
    expect(analysis.lift_interval[0]).toBeCloseTo(100 * Math.expm1(theta - half), 8)
    expect(analysis.totals.lift_percentage).toBeCloseTo(100 * (708 / 560 / (560 / 568) - 1), 10)
    expect(analysis).toMatchObject({ method: "page_jackknife", unit: "clicks_per_day", time_error: null })
  })

  test("fits the schema of the answer, and names its windows by their first and last day", () => {
    const analysis = analysisOf(experiment(treatment, control, 4))
    expect(Schema.is(DesignedAnalysis)(analysis)).toBe(true)
    expect(analysis.windows).toEqual({
      pre: ["2024-09-06", "2024-10-03"],
      post: ["2024-10-04", "2024-10-31"],
      days_present: [28, 28],
      days: [28, 28]
    })
    expect(analysis.pages).toEqual({ treatment: 3, control: 3 })
  })

  test("judges the click-through rate by both counts, and clicks beside it by Holm's p", () => {
    const clicks = analysisOf(experiment(treatment, control, 4))
    const rate = analysisOf(experiment(treatment, control, 4, { metric: "ctr" }))
    // Twenty impressions a click in both windows: clicks moved, the rate did not.
    expect(rate).toMatchObject({ unit: "ctr", pValue: 1, verdict: "no_effect_shown" })
    expect(rate.liftPercentage).toBeCloseTo(0, 10)
    expect(rate.secondary).toHaveLength(1)
    expect(rate.secondary[0]?.metric).toBe("clicks")
    expect(rate.secondary[0]?.liftPercentage).toBe(clicks.liftPercentage)
    expect(rate.secondary[0]?.pValue).toBeCloseTo(2 * clicks.pValue, 12)
    expect(clicks.secondary[0]).toMatchObject({ metric: "ctr", pValue: 1 })
  })

  test("says increase, decrease, or no effect shown, of which it never says that there is none", () => {
    const up = [steady(100, 151), steady(110, 164), steady(95, 140), steady(90, 136)]
    const still = [steady(100, 101), steady(110, 109), steady(95, 95), steady(90, 91)]
    const increase = analysisOf(experiment(up, still, 4))
    expect(increase).toMatchObject({ verdict: "increase", isSignificant: true })
    expect(increase.sentence).toMatch(/^Increase of clicks by 4\d\.\d %/)
    expect(analysisOf(experiment(still, up, 4))).toMatchObject({ verdict: "decrease", isSignificant: true })
    const none = analysisOf(experiment(treatment, control, 4))
    expect(none.verdict).toBe("no_effect_shown")
    expect(none.sentence).toMatch(/^No effect shown on clicks: \+.* remain possible\.$/)
  })

  test("is certain of nothing where pages all moved alike by nothing", () => {
    const alike = analysisOf(experiment([steady(50, 50), steady(9, 9)], [steady(50, 50), steady(7, 7)], 4))
    expect(alike).toMatchObject({ didEstimator: 0, liftPercentage: 0, pValue: 1, isSignificant: false })
  })
})

describe("a design that cannot be judged", () => {
  test("names the page that holds all of its arm", () => {
    const alone = [steady(10, 0), steady(30, 25), steady(20, 0)]
    const fault = faultOf(experiment(alone, control, 4))
    expect(fault).toMatchObject({ code: "not_assessable", arm: "treatment", page: "/t/1" })
    expect(fault.message).toContain("Without /t/1 the treatment arm has no clicks")
  })

  test("names the arm that has nothing at all", () => {
    const nothing = control.map(() => steady(10, 0))
    expect(faultOf(experiment(treatment, nothing, 4))).toMatchObject({
      code: "not_assessable",
      arm: "control",
      page: null
    })
  })

  test("has too few pages with a click before the change: under two here, under five in the API", () => {
    const one = [steady(10, 5), steady(0, 5)]
    expect(faultOf(experiment(one, control, 4))).toMatchObject({ code: "too_few_pages", arm: "treatment", pages: 1 })
    const { design, panel } = experiment(treatment, control, 4)
    const asked = finish(evaluating(panel, design, 5))
    expect(Either.getOrThrow(Either.flip(asked))).toMatchObject({ code: "too_few_pages", pages: 3 })
    const five = experiment(new Array(5).fill(steady(10, 12)), new Array(6).fill(steady(9, 9)), 4)
    expect(Either.isRight(finish(evaluating(five.panel, five.design, 5)))).toBe(true)
  })

  test("lacks days: under three quarters of a window, in weeks that the panel has or lacks", () => {
    const { design, panel } = experiment(treatment, control, 4)
    const gaps = (days: ReadonlyArray<number>) => ({ panel: { ...panel, days: Uint8Array.from(days) }, design })
    expect(Either.isRight(evaluate(gaps([7, 7, 7, 0, 7, 7, 7, 7]).panel, design))).toBe(true)
    expect(faultOf(gaps([7, 7, 6, 0, 7, 7, 7, 7]))).toMatchObject({
      code: "missing_data",
      window: "pre",
      present: 20,
      days: 28
    })
    expect(faultOf(gaps([7, 7, 7, 7, 7, 7, 6, 0]))).toMatchObject({ code: "missing_data", window: "post", present: 20 })
    expect(faultOf({ panel, design: { ...design, pre_days: 56 } })).toMatchObject({
      window: "pre",
      present: 28,
      days: 56
    })
    expect(faultOf({ panel, design: { ...design, settle_days: 28 } })).toMatchObject({ window: "post", present: 0 })
  })

  test("has no past where its pages were chosen, and says how many days are needed", () => {
    const chosen = experiment(treatment, control, 4, { assigned: false, settle_days: 0 })
    const fault = faultOf(chosen)
    expect(fault).toMatchObject({ code: "history_too_short", needed_days: 56, days: 28 })
    expect(fault.message).toContain("56 days of page totals before the change (28 are there)")
    expect(fault.message).toContain("from 2024-08-09 on")
  })
})

test("work is broken off in proportion to pages, with some thousands of them between two windows at most", () => {
  const looks = (pages: number) => {
    const arm = Array.from({ length: pages }, (_, page) =>
      Array.from({ length: 24 }, (_, week) => 1 + ((page * week) % 9))
    )
    const { design, panel } = experiment(arm, arm, 20, { assigned: false })
    const work = blocks(evaluating(panel, design))
    let count = 0
    while (work.next().done !== true) count++
    return count
  }
  const few = looks(1_000)
  expect(few).toBeGreaterThanOrEqual(5)
  expect(looks(4_000)).toBeGreaterThanOrEqual(2 * few)
})
