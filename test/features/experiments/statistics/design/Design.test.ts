import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import {
  assigning,
  type Candidate,
  type Design,
  DesignPower,
  evaluate,
  knownFaults,
  type Panel,
  powering,
  reportingFaults,
  type WarningCode,
  withWarnings
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { finish } from "../../../../../src/foundation/schema/Steps.ts"
import { criticalT } from "../../../../../src/foundation/statistics/Distributions.ts"
import { Random } from "../../simulations/Random.ts"
import { experiment, steady, type Weeks } from "./Panels.ts"

const assign = (anyPages: ReadonlyArray<Candidate>, seed: string) => finish(assigning(anyPages, seed))

const anyPages = fc.uniqueArray(
  fc.record({
    path: fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
    clicks: fc.integer({ min: 0, max: 9 })
  }),
  { selector: ({ path }) => path, maxLength: 40 }
)

describe("a random assignment", () => {
  test("treats in each pair by clicks the path whose SHA-256 with the seed is smaller", () => {
    // SHA-256 of `seed`, a line feed and the path begin with 6eb9 (/a), 56d1 (/b), 455b (/c), 2726 (/d) and ce48 (/é).
    const arms = assign(
      [
        { path: "/é", clicks: 1 },
        { path: "/d", clicks: 5 },
        { path: "/a", clicks: 90 },
        { path: "/c", clicks: 40 },
        { path: "/b", clicks: 7 }
      ],
      "seed"
    )
    expect(arms).toEqual({ treatment: ["/c", "/d"], control: ["/a", "/b", "/é"] })
  })

  test("leaves out pages without clicks, and puts an odd last page in control", () => {
    const arms = assign(
      [
        { path: "/x", clicks: 0 },
        { path: "/y", clicks: 1 }
      ],
      ""
    )
    expect(arms).toEqual({ treatment: [], control: ["/y"] })
  })

  test("sorts pages with equal clicks by code points: U+FFFD before U+1F600, whose code unit is smaller", () => {
    const of = (paths: ReadonlyArray<string>) =>
      assign(
        paths.map((path) => ({ path, clicks: 3 })),
        "s"
      )
    // The odd last page of three is control: the emoji is, in any order of input.
    for (const paths of [
      ["/\u{1F600}", "/\uFFFD", "/a"],
      ["/a", "/\uFFFD", "/\u{1F600}"]
    ]) {
      const { control, treatment } = of(paths)
      expect(control.at(-1)).toBe("/\u{1F600}")
      expect(treatment).toHaveLength(1)
    }
  })

  test("assigns each page with clicks once, to groups of equal size with similar clicks, in any order of input", () => {
    fc.assert(
      fc.property(anyPages, fc.string(), fc.infiniteStream(fc.nat()), (given, seed, order) => {
        const { control, treatment } = assign(given, seed)
        const clicked = given.filter(({ clicks }) => clicks >= 1)
        expect([...control, ...treatment].toSorted()).toEqual(clicked.map(({ path }) => path).toSorted())
        expect(control.length - treatment.length).toBe(clicked.length % 2)
        const clicksOf = new Map(given.map(({ clicks, path }) => [path, clicks]))
        const ranked = clicked.map(({ clicks }) => clicks).toSorted((a, b) => b - a)
        treatment.forEach((path, pair) => {
          const found = [clicksOf.get(path) ?? 0, clicksOf.get(control[pair] ?? "") ?? 0].toSorted((a, b) => b - a)
          expect(found).toEqual(ranked.slice(2 * pair, 2 * pair + 2))
        })
        const shuffled = given
          .map((page) => ({ page, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ page }) => page)
        expect(assign(shuffled, seed)).toEqual({ control, treatment })
      })
    )
  })

  test("treats each page in about half of many seeds", () => {
    const given = Array.from({ length: 10 }, (_, at) => ({ path: `/${at}`, clicks: 10 - at }))
    const seeds = Array.from({ length: 400 }, (_, seed) => assign(given, `${seed}`).treatment)
    for (const { path } of given) {
      const times = seeds.filter((treatment) => treatment.includes(path)).length
      expect(Math.abs(times - 200)).toBeLessThan(60)
    }
  })
})

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
  test("has an entry for each length after the change, and says if the history is too short for it", () => {
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

  test("is (t of 0.975 + t of 0.80) times the error of the only placebo", () => {
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

  test("uses the combined method: chosen pages need larger effects than assigned ones", () => {
    const of = (assigned: boolean) => {
      const { design, panel } = made(30, { assigned })
      return power(panel, design).effects.map((effect) => ("absolute" in effect ? effect.increase_percent : 0))
    }
    const [assigned, chosen] = [of(true), of(false)]
    assigned.forEach((increase, at) => {
      expect(chosen[at]).toBeGreaterThanOrEqual(increase)
    })
  })

  test("has a sentence with the increase and decrease for the design's own length, or with the missing data", () => {
    const enough = made(12)
    expect(power(enough.panel, enough.design).sentence).toMatch(
      /^Minimum detectable effect with 28 days after the change \(80% power\): clicks \+\d+\.\d% or −\d+\.\d%\. Smaller/
    )
    const short = made(12, { post_days: 84 })
    expect(power(short.panel, short.design).sentence).toContain("it needs 112 days of history")
  })

  test("has a rate as baseline, and fails without the latest days or pages with clicks", () => {
    const rate = made(12, { metric: "ctr" })
    expect(power(rate.panel, rate.design).baseline).toEqual({ value: expect.closeTo(0.05, 12), unit: "ctr" })
    const { design, panel } = made(12)
    const fault = (of: Panel, least: number) => Either.getOrThrow(Either.flip(finish(powering(of, design, least))))
    expect(fault(panel, 5)).toMatchObject({ code: "too_few_pages", pages: 4 })
    expect(fault({ ...panel, days: new Uint8Array(12) }, 2)).toMatchObject({ code: "missing_data", window: "pre" })
  })
})

const analysisOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(evaluate(panel, design))

/** Twelve pages of similar size with noise, and thirty weeks before the change. */
const wobbling = (from: number, weeks = 34): ReadonlyArray<Weeks> =>
  Array.from({ length: 12 }, (_, page) =>
    Array.from({ length: weeks }, (_, week) => from + ((week * (page + 3) + page * page) % 11))
  )

const calm = experiment(wobbling(60), wobbling(70), 30)

const sentence = (made: { readonly panel: Panel; readonly design: Design }, code: WarningCode) => {
  const { warning_codes, warnings } = analysisOf(made)
  expect(warnings).toHaveLength(warning_codes.length)
  return warnings[warning_codes.indexOf(code)]
}

describe("warnings of a designed experiment", () => {
  test("are none for twelve assigned pages per group with history, and `not_randomised` for chosen pages", () => {
    expect(analysisOf(calm).warning_codes).toEqual([])
    const { design, panel } = calm
    expect(analysisOf({ panel, design: { ...design, assigned: false } }).warning_codes).toEqual(["not_randomised"])
  })

  test("mention groups that diverged before the change", () => {
    const moved = wobbling(60).map((page) => page.map((clicks, week) => (week >= 26 ? 2 * clicks : clicks)))
    expect(sentence(experiment(moved, wobbling(70), 30), "pre_trend")).toMatch(/around 2024-09-06.* shows \+\d+\.\d%/)
    expect(sentence(calm, "pre_trend")).toBeUndefined()
  })

  test("mention fewer than ten pages with clicks in a group", () => {
    const few = experiment(wobbling(60), [...wobbling(70).slice(0, 9), steady(0, 5, 30)], 30)
    expect(sentence(few, "few_pages")).toContain("Only 9 pages in control had clicks")
    expect(sentence(experiment(wobbling(60), wobbling(70).slice(0, 10), 30), "few_pages")).toBeUndefined()
  })

  test("name a page with more than a quarter of its group's weighted clicks", () => {
    const small = Array.from({ length: 11 }, (_, page) => steady(1 + (page % 2), 2, 30))
    const large = experiment([...small, steady(5_000, 5_000, 30)], wobbling(70), 30)
    expect(sentence(large, "dominant_page")).toMatch(/\(\/t\/11 has \d\d\.\d% of the clicks in treatment\)/)
  })

  test("mention plain sums outside of the interval", () => {
    const grown = [...wobbling(60), Array.from({ length: 34 }, (_, week) => (week >= 30 ? 90_000 : 20_000))]
    expect(sentence(experiment(grown, wobbling(70), 30), "totals_disagree")).toMatch(
      /^Plain sums of all pages show \+\d/
    )
  })

  test("count the days that were not imported", () => {
    const { design, panel } = calm
    const days = panel.days.map((count, week) => (week === 28 ? 5 : count))
    expect(sentence({ panel: { ...panel, days }, design }, "missing_days")).toBe(
      "2 days of the 56 of both windows were not imported, so test and control are compared without them."
    )
  })

  test("mention fewer than twenty earlier comparisons", () => {
    const short = (history: number) =>
      experiment(
        wobbling(60).map((page) => page.slice(30 - history)),
        wobbling(70).map((page) => page.slice(30 - history)),
        history
      )
    expect(sentence(short(26), "short_history")).toContain("19 earlier comparisons")
    expect(sentence(short(27), "short_history")).toBeUndefined()
  })

  test("include those of the stored data, sorted by code", () => {
    const { design, panel } = calm
    const analysis = analysisOf({ panel, design: { ...design, assigned: false } })
    const more = withWarnings(analysis, [
      { code: "reporting_fault", sentence: "r" },
      { code: "imported_early", sentence: "i" }
    ])
    expect(more.warning_codes).toEqual(["imported_early", "not_randomised", "reporting_fault"])
    expect(more.warnings).toEqual(["i", analysis.warnings[0] ?? "", "r"])
  })
})

describe("a known reporting error of Search Console", () => {
  const windows = (first: string, last: string) => ({
    pre: [first, "…"] as const,
    post: ["…", last] as const
  })

  test("is a warning for a click-through rate with days on both sides of its beginning or end", () => {
    const told = (first: string, last: string) => reportingFaults("ctr", windows(first, last)).length === 1
    expect(told("2025-05-01", "2025-06-30")).toBe(true)
    expect(told("2025-05-12", "2025-05-13")).toBe(true)
    expect(told("2025-05-13", "2025-06-30")).toBe(false)
    expect(told("2025-04-01", "2025-05-12")).toBe(false)
    expect(told("2026-04-27", "2026-04-28")).toBe(true)
    expect(told("2026-04-28", "2026-06-01")).toBe(false)
    expect(told("2025-08-20", "2025-10-20")).toBe(true)
    expect(told("2025-09-12", "2025-10-20")).toBe(true)
    expect(told("2025-09-15", "2025-10-20")).toBe(false)
  })

  test("is no warning for clicks, and comes from a table that can be replaced", () => {
    expect(reportingFaults("clicks", windows("2025-05-01", "2025-06-30"))).toEqual([])
    expect(reportingFaults("ctr", windows("2025-05-01", "2025-06-30"), [])).toEqual([])
    const own = { from: "2030-01-01", to: "2030-01-02", about: "a meteor fell" }
    const [warning] = reportingFaults("ctr", windows("2029-12-01", "2030-02-01"), [...knownFaults, own])
    expect(warning?.code).toBe("reporting_fault")
    expect(warning?.sentence).toContain("2030-01-01 to 2030-01-02: a meteor fell")
  })
})
