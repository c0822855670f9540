import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import {
  type Design,
  DesignedAnalysis,
  evaluate,
  evaluating,
  type Panel
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { autocorrelation, freedomOf } from "../../../../../src/features/experiments/statistics/design/Estimate.ts"
import { blocks, finish } from "../../../../../src/foundation/schema/Steps.ts"
import { experiment, experiments, steady, type Weeks, withClicks } from "./Panels.ts"

const analysisOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(evaluate(panel, design))

const faultOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(Either.flip(evaluate(panel, design)))

/** Three different pages per group, so that there is an error. */
const treatment: ReadonlyArray<Weeks> = [steady(10, 13), steady(40, 44), steady(90, 120)]

const control: ReadonlyArray<Weeks> = [steady(12, 12), steady(30, 33), steady(100, 95)]

describe("an evaluation", () => {
  test("equals the formulas computed by hand", () => {
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

  test("conforms to the schema of the response, and names its windows by first and last day", () => {
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

  test("tests the click-through rate by both counts, and clicks beside it with Holm's p", () => {
    const clicks = analysisOf(experiment(treatment, control, 4))
    const rate = analysisOf(experiment(treatment, control, 4, { metric: "ctr" }))
    // Twenty impressions per click in both windows: clicks changed, and the rate did not.
    expect(rate).toMatchObject({ unit: "ctr", pValue: 1, verdict: "no_effect_shown" })
    expect(rate.liftPercentage).toBeCloseTo(0, 10)
    expect(rate.secondary).toHaveLength(1)
    expect(rate.secondary[0]?.metric).toBe("clicks")
    expect(rate.secondary[0]?.liftPercentage).toBe(clicks.liftPercentage)
    expect(rate.secondary[0]?.pValue).toBeCloseTo(2 * clicks.pValue, 12)
    expect(clicks.secondary[0]).toMatchObject({ metric: "ctr", pValue: 1 })
  })

  test("says increase, decrease or no effect shown, and never that there is no effect", () => {
    const up = [steady(100, 151), steady(110, 164), steady(95, 140), steady(90, 136)]
    const still = [steady(100, 101), steady(110, 109), steady(95, 95), steady(90, 91)]
    const increase = analysisOf(experiment(up, still, 4))
    expect(increase).toMatchObject({ verdict: "increase", isSignificant: true })
    expect(increase.sentence).toMatch(/^Increase of clicks by 4\d\.\d%/)
    expect(analysisOf(experiment(still, up, 4))).toMatchObject({ verdict: "decrease", isSignificant: true })
    const none = analysisOf(experiment(treatment, control, 4))
    expect(none.verdict).toBe("no_effect_shown")
    expect(none.sentence).toMatch(/^No effect shown on clicks: \+.* remain possible\.$/)
  })

  test("is not significant if all pages moved equally by nothing", () => {
    const alike = analysisOf(experiment([steady(50, 50), steady(9, 9)], [steady(50, 50), steady(7, 7)], 4))
    expect(alike).toMatchObject({ didEstimator: 0, liftPercentage: 0, pValue: 1, isSignificant: false })
  })
})

describe("a design that cannot be evaluated", () => {
  test("names the page that holds all of its group", () => {
    const alone = [steady(10, 0), steady(30, 25), steady(20, 0)]
    const fault = faultOf(experiment(alone, control, 4))
    expect(fault).toMatchObject({ code: "not_assessable", arm: "treatment", page: "/t/1" })
    expect(fault.message).toContain("Without /t/1, the treatment pages have no clicks")
  })

  test("names the group without any clicks", () => {
    const nothing = control.map(() => steady(10, 0))
    expect(faultOf(experiment(treatment, nothing, 4))).toMatchObject({
      code: "not_assessable",
      arm: "control",
      page: null
    })
  })

  test("has too few pages with clicks before the change: under two here, under five in the API", () => {
    const one = [steady(10, 5), steady(0, 5)]
    expect(faultOf(experiment(one, control, 4))).toMatchObject({ code: "too_few_pages", arm: "treatment", pages: 1 })
    const { design, panel } = experiment(treatment, control, 4)
    const asked = finish(evaluating(panel, design, 5))
    expect(Either.getOrThrow(Either.flip(asked))).toMatchObject({ code: "too_few_pages", pages: 3 })
    const five = experiment(new Array(5).fill(steady(10, 12)), new Array(6).fill(steady(9, 9)), 4)
    expect(Either.isRight(finish(evaluating(five.panel, five.design, 5)))).toBe(true)
  })

  test("has missing days: under three quarters of a window, in weeks with or without data", () => {
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

  test("has a short history for chosen pages, and says how many days are needed", () => {
    const chosen = experiment(treatment, control, 4, { assigned: false, settle_days: 0 })
    const fault = faultOf(chosen)
    expect(fault).toMatchObject({ code: "history_too_short", needed_days: 56, days: 28 })
    expect(fault.message).toContain(
      "56 days of page data before the change for comparisons at earlier dates (there are 28)"
    )
    expect(fault.message).toContain("from 2024-08-09 on")
  })
})

test("evaluation has pauses in proportion to pages, with at most some thousands of pages between two", () => {
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

const judged = (panel: Panel, design: Design) => Either.getOrThrow(evaluate(panel, design))

const theta = (panel: Panel, design: Design) => Math.log1p(judged(panel, design).liftPercentage / 100)

const near = (a: number, b: number, tolerance = 1e-9) => expect(Math.abs(a - b)).toBeLessThan(tolerance)

const rounds = { numRuns: 60 }

const both = fc.constantFrom(true, false)

test("swapping test and control pages negates the effect, and keeps its error", () => {
  fc.assert(
    fc.property(
      both.chain((assigned) => experiments({ assigned })),
      ({ design, panel }) => {
        const swapped = { ...design, treatment: design.control, control: design.treatment }
        near(theta(panel, swapped), -theta(panel, design))
        near(judged(panel, swapped).standard_error, judged(panel, design).standard_error)
        near(judged(panel, swapped).pValue, judged(panel, design).pValue)
      }
    ),
    rounds
  )
})

test("the order of pages does not matter", () => {
  fc.assert(
    fc.property(experiments({ assigned: false }), ({ design, panel }) => {
      const reversed = { ...design, treatment: design.treatment.toReversed(), control: design.control.toReversed() }
      near(theta(panel, reversed), theta(panel, design))
      near(judged(panel, reversed).pValue, judged(panel, design).pValue)
    }),
    rounds
  )
})

test("a factor on all pages after the change keeps the effect, and a factor on test pages is the effect", () => {
  fc.assert(
    fc.property(experiments(), fc.integer({ min: 2, max: 9 }), ({ design, panel }, times) => {
      const after = withClicks(panel, (clicks, _, week) => (week >= panel.changeWeek ? times * clicks : clicks))
      near(theta(after, design), theta(panel, design))
      near(judged(after, design).standard_error, judged(panel, design).standard_error)
      const lifted = withClicks(panel, (clicks, page, week) =>
        week >= panel.changeWeek && page < design.treatment.length ? times * clicks : clicks
      )
      near(theta(lifted, design) - theta(panel, design), Math.log(times))
    }),
    rounds
  )
})

test("the interval excludes 0 exactly when p is below 0.05, and contains the effect", () => {
  fc.assert(
    fc.property(
      both.chain((assigned) => experiments({ assigned })),
      ({ design, panel }) => {
        const { confidenceInterval, didEstimator, isSignificant, lift_interval, liftPercentage, pValue } = judged(
          panel,
          design
        )
        const excludes = ([low, high]: readonly [number, number]) => low > 0 || high < 0
        expect(isSignificant).toBe(pValue < 0.05)
        expect(excludes(confidenceInterval)).toBe(isSignificant)
        expect(excludes(lift_interval)).toBe(isSignificant)
        expect(confidenceInterval[0] <= didEstimator && didEstimator <= confidenceInterval[1]).toBe(true)
        expect(lift_interval[0] <= liftPercentage && liftPercentage <= lift_interval[1]).toBe(true)
      }
    ),
    rounds
  )
})

test("the interval of chosen pages is never narrower than that of the same pages assigned", () => {
  fc.assert(
    fc.property(experiments(), ({ design, panel }) => {
      const width = (assigned: boolean) => {
        const [low, high] = judged(panel, { ...design, assigned }).lift_interval
        return Math.log1p(high / 100) - Math.log1p(low / 100)
      }
      expect(width(false)).toBeGreaterThanOrEqual(width(true) - 1e-9)
    }),
    rounds
  )
})

test("every number of an analysis is finite, for pages with one click or almost all clicks", () => {
  const count = fc.constantFrom(0, 0, 1, 1, 2, 1_000_000_000)
  fc.assert(
    fc.property(
      experiments().chain((made) =>
        fc.array(count, { minLength: made.panel.clicks.length, maxLength: made.panel.clicks.length }).map((clicks) => ({
          design: made.design,
          panel: {
            ...made.panel,
            clicks: Float64Array.from(clicks),
            impressions: Float64Array.from(clicks, (one) => 3 * one)
          }
        }))
      ),
      both,
      ({ design, panel }, assigned) => {
        const result = evaluate(panel, { ...design, assigned })
        if (Either.isLeft(result)) return
        expect(JSON.stringify(result.right)).not.toContain("null,null")
        const numbers = [
          result.right.didEstimator,
          result.right.pValue,
          result.right.standard_error,
          result.right.degrees_of_freedom,
          ...result.right.confidenceInterval,
          ...result.right.lift_interval,
          ...result.right.secondary.flatMap(({ lift_interval, pValue }) => [pValue, ...lift_interval])
        ]
        expect(numbers.filter((value) => !Number.isFinite(value))).toEqual([])
      }
    ),
    { numRuns: 300 }
  )
})

const week = fc.constantFrom(14, 28, 42, 56, 84)

const settle = fc.constantFrom(0, 7, 14, 21, 28)

const lengths = fc.record({ pre_days: week, settle_days: settle, post_days: week })

describe("placebos in time", () => {
  test("overlap as windows of a random walk a few weeks apart do, mean after minus mean before", () => {
    fc.assert(
      fc.property(lengths, (given) => {
        const [p, z, q] = [given.pre_days / 7, given.settle_days / 7, given.post_days / 7]
        const all = p + z + q
        // The step before week s shifts all weeks from s on: its weight in the difference of both means, by counting.
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

  test("are worth at least one window, and at most their number", () => {
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

  test("give the error of the effect over time about zero, with one window or several", () => {
    const one = analysisOf(experiment(...arms(12), 8, { assigned: false }))
    const [treatment, control] = arms(8)
    const placebo = analysisOf(experiment(treatment, control, 4))
    expect(one.placebo_windows).toBe(1)
    expect(one.time_error?.standard_error).toBeCloseTo(Math.abs(Math.log1p(placebo.liftPercentage / 100)), 12)
    expect(one.time_error?.degrees_of_freedom).toBe(1)
  })

  test("are left out if a quarter of their days or all clicks of a group are missing, and older ones are used", () => {
    const { design, panel } = experiment(...arms(24), 20)
    const days = panel.days.map((count, at) => (at === 6 || at === 7 ? 0 : count))
    const whole = analysisOf({ design, panel }).placebo_windows
    expect(whole).toBe(13)
    // Only windows with both of these weeks among four have half of their days: three before and three after.
    expect(analysisOf({ design, panel: { ...panel, days } }).placebo_windows).toBe(whole - 6)
    const empty = withClicks(panel, (clicks, page, at) => (page < 2 && at < 4 ? 0 : clicks))
    expect(analysisOf({ design, panel: empty }).placebo_windows).toBe(whole - 1)
  })

  test("do not use days after the change", () => {
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

  test("decide for chosen pages if they vary more than pages do, and never for assigned pages", () => {
    const jumpy = (factor: number): Weeks => Array.from({ length: 24 }, (_, at) => 100 * (at % 8 < 4 ? factor : 1))
    const chosen = { treatment: [jumpy(2), jumpy(2.01), jumpy(1.99)], control: new Array(3).fill(steady(100, 100, 20)) }
    const of = (assigned: boolean) => analysisOf(experiment(chosen.treatment, chosen.control, 20, { assigned }))
    expect(of(true).method).toBe("page_jackknife")
    expect(of(false).method).toBe("placebo_in_time")
    expect(of(true).isSignificant).toBe(true)
    expect(of(false).isSignificant).toBe(false)
  })
})
