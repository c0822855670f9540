import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { type Design, evaluate, type Panel } from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { autocorrelation, freedomOf } from "../../../../../src/features/experiments/statistics/design/Estimate.ts"
import { experiment, experiments, steady, type Weeks, withClicks } from "./Panels.ts"

const week = fc.constantFrom(14, 28, 42, 56, 84)
const settle = fc.constantFrom(0, 7, 14, 21, 28)
const lengths = fc.record({ pre_days: week, settle_days: settle, post_days: week })

const analysisOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(evaluate(panel, design))

describe("placebos in time", () => {
  test("share what windows a few weeks apart share of a random walk, the post mean less the pre mean", () => {
    fc.assert(
      fc.property(lengths, (given) => {
        const [p, z, q] = [given.pre_days / 7, given.settle_days / 7, given.post_days / 7]
        const all = p + z + q
        // The step before week s moves all weeks from s on: its weight in the difference of the two means, by counting.
        const step = (s: number) => {
          const weeks = Array.from({ length: all }, (_, index) => index)
          const share = (from: number, to: number) => weeks.slice(from, to).filter((at) => at >= s).length / (to - from)
          return share(p + z, all) - share(0, p)
        }
        const h = Array.from({ length: all - 1 }, (_, index) => step(index + 1))
        const product = (lag: number) => h.reduce((sum, value, at) => sum + value * (h[at + lag] ?? 0), 0)
        const found = autocorrelation(given)
        expect(found).toHaveLength(all - 1)
        found.forEach((rho, lag) => {
          expect(rho).toBeCloseTo(product(lag) / product(0), 12)
        })
      })
    )
  })

  test("are worth one window at least, and as many as there are at most", () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 52 }), (given, count) => {
        const freedom = freedomOf(count, given)
        expect(freedom).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(freedom).toBeLessThanOrEqual(count)
        expect(freedomOf(count + 1, given)).toBeGreaterThan(freedom)
      })
    )
    expect(freedomOf(1, { pre_days: 28, settle_days: 7, post_days: 28 })).toBe(1)
  })

  const weekly = (from: number, weeks: number): Weeks =>
    Array.from({ length: weeks }, (_, index) => from + ((index * index * 7) % 23))
  const arms = (weeks: number) =>
    [
      [weekly(50, weeks), weekly(90, weeks)],
      [weekly(60, weeks), weekly(70, weeks)]
    ] as const

  test("are counted from a + g + b days of history on, one more each week", () => {
    const windows = (history: number, settle_days: number) =>
      analysisOf(experiment(...arms(history + 8), history, { settle_days })).placebo_windows
    expect([windows(7, 0), windows(8, 0), windows(9, 0), windows(12, 0)]).toEqual([0, 1, 2, 5])
    expect([windows(8, 7), windows(9, 7)]).toEqual([0, 1])
    expect(windows(80, 0)).toBe(52)
  })

  test("do not begin before the first imported day", () => {
    const { design, panel } = experiment(...arms(16), 12)
    const since = (firstDay: number) => analysisOf({ design, panel: { ...panel, firstDay } }).placebo_windows
    expect(since(panel.firstDay)).toBe(5)
    expect(since(panel.firstDay + 1)).toBe(4)
  })

  test("give the error of the effect over time about zero, with one window as with more", () => {
    const one = analysisOf(experiment(...arms(12), 8, { assigned: false }))
    const [treatment, control] = arms(8)
    const placebo = analysisOf(experiment(treatment, control, 4))
    expect(one.placebo_windows).toBe(1)
    expect(one.time_error?.standard_error).toBeCloseTo(Math.abs(Math.log1p(placebo.liftPercentage / 100)), 12)
    expect(one.time_error?.degrees_of_freedom).toBe(1)
  })

  test("that lack a quarter of their days, or all clicks of an arm, are left out, and older ones count instead", () => {
    const { design, panel } = experiment(...arms(24), 20)
    const days = panel.days.map((count, at) => (at === 6 || at === 7 ? 0 : count))
    const whole = analysisOf({ design, panel }).placebo_windows
    expect(whole).toBe(13)
    // Only windows in which both of these weeks are, of four, have half of their days: three before it and three after.
    expect(analysisOf({ design, panel: { ...panel, days } }).placebo_windows).toBe(whole - 6)
    const empty = withClicks(panel, (clicks, page, at) => (page < 2 && at < 4 ? 0 : clicks))
    expect(analysisOf({ design, panel: empty }).placebo_windows).toBe(whole - 1)
  })

  test("do not see the days from the change on", () => {
    fc.assert(
      fc.property(experiments({ assigned: false, settle_days: 7, post_days: 14 }), ({ design, panel }) => {
        const after = withClicks(panel, (clicks, page, at) =>
          at >= panel.changeWeek && page === 0 ? 9 * clicks : clicks
        )
        const error = (of: Panel) => analysisOf({ design, panel: of }).time_error
        expect(error(after)).toEqual(error(panel))
      }),
      { numRuns: 40 }
    )
  })

  test("decide over chosen pages where they vary more than the pages do, and never over assigned ones", () => {
    const jumpy = (factor: number): Weeks => Array.from({ length: 24 }, (_, at) => 100 * (at % 8 < 4 ? factor : 1))
    const chosen = { treatment: [jumpy(2), jumpy(2.01), jumpy(1.99)], control: new Array(3).fill(steady(100, 100, 20)) }
    const of = (assigned: boolean) => analysisOf(experiment(chosen.treatment, chosen.control, 20, { assigned }))
    expect(of(true).method).toBe("page_jackknife")
    expect(of(false).method).toBe("placebo_in_time")
    expect(of(true).isSignificant).toBe(true)
    expect(of(false).isSignificant).toBe(false)
  })
})
