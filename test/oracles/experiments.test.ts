import { describe, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { evaluate, type Panel } from "../../src/features/experiments/statistics/design/Design.ts"
import { file, folder, isMissing, summary } from "./folder.ts"

const Pair = Schema.Tuple(Schema.Number, Schema.Number)
const Days = Schema.optionalWith(Schema.Number, { default: () => 0 })

const Reference = Schema.parseJson(
  Schema.Struct({
    design: Schema.Struct({
      metric: Schema.Literal("clicks", "ctr"),
      treatment: Schema.Array(Schema.String),
      control: Schema.Array(Schema.String),
      change: Schema.Number,
      pre_days: Schema.Number,
      settle_days: Days,
      post_days: Schema.Number,
      randomised: Schema.Boolean
    }),
    days_imported: Schema.Number,
    expected: Schema.Struct({
      theta: Schema.Number,
      didEstimator: Schema.Number,
      liftPercentage: Schema.Number,
      pValue: Schema.Number,
      isSignificant: Schema.Boolean,
      confidenceInterval: Pair,
      liftInterval: Pair,
      method: Schema.Literal("page_jackknife", "placebo_in_time"),
      standard_error: Schema.Number,
      degrees_of_freedom: Schema.Number,
      s_page: Schema.Number,
      s_time: Schema.NullOr(Schema.Number),
      nu_time: Schema.NullOr(Schema.Number),
      placebo_windows: Schema.Number,
      days: Pair,
      totals_liftPercentage: Schema.Number
    })
  })
)
type Design = typeof Reference.Type.design

/** Rows of `day,page,clicks,impressions` as sums of weeks that are anchored at the change. */
const panelOf = (
  csv: string,
  { change, control, treatment }: Design
): { readonly panel: Panel; readonly days: number } => {
  const rows = csv
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.split(","))
    .map(([day, page = "", clicks, impressions]) => [Number(day), page, Number(clicks), Number(impressions)] as const)
  const imported = new Set(rows.map(([day]) => day))
  const firstDay = Math.min(...imported)
  const changeWeek = Math.ceil((change - firstDay) / 7)
  const origin = change - 7 * changeWeek
  const weeks = Math.floor((Math.max(...imported) - origin) / 7) + 1
  const pages = [...treatment, ...control]
  const place = new Map(pages.map((page, index) => [page, index]))
  const panel = {
    pages,
    weeks,
    clicks: new Float64Array(pages.length * weeks),
    impressions: new Float64Array(pages.length * weeks),
    days: new Uint8Array(weeks),
    changeWeek,
    change,
    firstDay
  }
  const weekOf = (day: number) => Math.floor((day - origin) / 7)
  for (const day of imported) panel.days[weekOf(day)] = (panel.days[weekOf(day)] ?? 0) + 1
  for (const [day, page, clicks, impressions] of rows) {
    const at = (place.get(page) ?? Number.NaN) * weeks + weekOf(day)
    panel.clicks[at] = (panel.clicks[at] ?? Number.NaN) + clicks
    panel.impressions[at] = (panel.impressions[at] ?? Number.NaN) + impressions
  }
  return { panel, days: imported.size }
}

/** Equal to 1e-9, relative; null only where null is expected. */
const near = (actual: number | null | undefined, expected: number | null) => {
  if (expected === null || actual === null || actual === undefined) return expect(actual ?? null).toBe(expected)
  const isNear = Math.abs(actual - expected) <= 1e-9 * Math.abs(expected)
  return isNear ? undefined : expect(actual).toBe(expected)
}

const check = async (name: string) => {
  const { days_imported, design, expected } = Schema.decodeUnknownSync(Reference)(
    await file(`experiments/${name}.json`).text()
  )
  const { days, panel } = panelOf(await file(`experiments/${name}.csv`).text(), design)
  const { control, treatment } = design
  expect(days).toBe(days_imported)
  const analysis = Either.getOrThrow(
    evaluate(panel, {
      ...design,
      treatment: treatment.map((page) => panel.pages.indexOf(page)),
      control: control.map((page) => panel.pages.indexOf(page)),
      assigned: design.randomised
    })
  )
  near(Math.log1p(analysis.liftPercentage / 100), expected.theta)
  near(analysis.didEstimator, expected.didEstimator)
  near(analysis.liftPercentage, expected.liftPercentage)
  near(analysis.pValue, expected.pValue)
  for (const end of [0, 1] as const) {
    near(analysis.confidenceInterval[end], expected.confidenceInterval[end])
    near(analysis.lift_interval[end], expected.liftInterval[end])
    expect(analysis.windows.days_present[end]).toBe(expected.days[end])
  }
  near(analysis.standard_error, expected.standard_error)
  near(analysis.degrees_of_freedom, expected.degrees_of_freedom)
  near(analysis.page_error.standard_error, expected.s_page)
  near(analysis.time_error?.standard_error, expected.s_time)
  near(analysis.time_error?.degrees_of_freedom, expected.nu_time)
  near(analysis.totals.lift_percentage, expected.totals_liftPercentage)
  expect(analysis.placebo_windows).toBe(expected.placebo_windows)
  expect(analysis.method).toBe(expected.method)
  expect(analysis.isSignificant).toBe(expected.isSignificant)
}

const missing = isMissing("experiments")
const names = missing
  ? []
  : readdirSync(resolve(folder, "experiments")).flatMap((name) =>
      /^\d.*\.json$/.test(name) ? [name.slice(0, -5)] : []
    )

describe.skipIf(missing)("designed experiments", () => {
  let passed = 0

  for (const name of names)
    test(`reproduce the reference case ${name} to 1e-9`, async () => {
      await check(name)
      passed++
    })

  test("have reference cases", () => {
    expect(names.length).toBeGreaterThan(0)
    summary("experiments", passed, names.length)
  })
})
