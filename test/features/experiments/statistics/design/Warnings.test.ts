import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import {
  type Design,
  evaluate,
  knownFaults,
  type Panel,
  reportingFaults,
  type WarningCode,
  withWarnings
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { experiment, steady, type Weeks } from "./Panels.ts"

const analysisOf = ({ design, panel }: { readonly panel: Panel; readonly design: Design }) =>
  Either.getOrThrow(evaluate(panel, design))

/** Twelve pages of like size that wobble, with thirty weeks before the change. */
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

describe("warnings", () => {
  test("are none of twelve assigned pages an arm with a history, and `not_randomised` where they were chosen", () => {
    expect(analysisOf(calm).warning_codes).toEqual([])
    const { design, panel } = calm
    expect(analysisOf({ panel, design: { ...design, assigned: false } }).warning_codes).toEqual(["not_randomised"])
  })

  test("tell of arms that moved apart before the change", () => {
    const moved = wobbling(60).map((page) => page.map((clicks, week) => (week >= 26 ? 2 * clicks : clicks)))
    expect(sentence(experiment(moved, wobbling(70), 30), "pre_trend")).toMatch(/around 2024-09-06.* shows \+\d+\.\d %/)
    expect(sentence(calm, "pre_trend")).toBeUndefined()
  })

  test("tell of fewer than ten pages with clicks in an arm", () => {
    const few = experiment(wobbling(60), [...wobbling(70).slice(0, 9), steady(0, 5, 30)], 30)
    expect(sentence(few, "few_pages")).toContain("The control arm has 9 pages with clicks")
    expect(sentence(experiment(wobbling(60), wobbling(70).slice(0, 10), 30), "few_pages")).toBeUndefined()
  })

  test("name a page with more than a quarter of its arm's weighted clicks", () => {
    const small = Array.from({ length: 11 }, (_, page) => steady(1 + (page % 2), 2, 30))
    const large = experiment([...small, steady(5_000, 5_000, 30)], wobbling(70), 30)
    expect(sentence(large, "dominant_page")).toMatch(/\(\/t\/11 has \d\d\.\d % of those of the treatment arm\)/)
  })

  test("tell of plain sums that lie outside the interval", () => {
    const grown = [...wobbling(60), Array.from({ length: 34 }, (_, week) => (week >= 30 ? 90_000 : 20_000))]
    expect(sentence(experiment(grown, wobbling(70), 30), "totals_disagree")).toMatch(
      /^Plain sums of the pages show \+\d/
    )
  })

  test("count the days that were not imported", () => {
    const { design, panel } = calm
    const days = panel.days.map((count, week) => (week === 28 ? 5 : count))
    expect(sentence({ panel: { ...panel, days }, design }, "missing_days")).toBe(
      "2 days of the 56 of both windows were not imported: both arms are compared without them."
    )
  })

  test("tell of fewer than twenty earlier comparisons", () => {
    const short = (history: number) =>
      experiment(
        wobbling(60).map((page) => page.slice(30 - history)),
        wobbling(70).map((page) => page.slice(30 - history)),
        history
      )
    expect(sentence(short(26), "short_history")).toContain("19 earlier comparisons")
    expect(sentence(short(27), "short_history")).toBeUndefined()
  })

  test("of the stored data are put among them in the order of their codes", () => {
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

describe("a reporting fault", () => {
  const windows = (first: string, last: string) => ({
    pre: [first, "…"] as const,
    post: ["…", last] as const
  })

  test("is told of a click-through rate whose days lie on both sides of its beginning or end", () => {
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

  test("is not told of clicks, and is read from a table that can be changed", () => {
    expect(reportingFaults("clicks", windows("2025-05-01", "2025-06-30"))).toEqual([])
    expect(reportingFaults("ctr", windows("2025-05-01", "2025-06-30"), [])).toEqual([])
    const own = { from: "2030-01-01", to: "2030-01-02", about: "a meteor fell" }
    const [warning] = reportingFaults("ctr", windows("2029-12-01", "2030-02-01"), [...knownFaults, own])
    expect(warning?.code).toBe("reporting_fault")
    expect(warning?.sentence).toContain("2030-01-01 to 2030-01-02: a meteor fell")
  })
})
