import { afterAll, describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { analyse } from "../../src/features/experiments/statistics/Statistics.ts"
import { arms } from "../features/experiments/statistics/Metrics.ts"
import type { FourCounts } from "../features/experiments/statistics/Precise.ts"

const file = join(import.meta.dir, "../../../shared/oracles/did-reference.csv")
const isPresent = existsSync(file)

/** The fields of one line; a quoted field may contain commas. */
const fieldsOf = (line: string) =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = ""]) => field.replace(/^"|"$/g, ""))

const table = (text: string): ReadonlyArray<ReadonlyMap<string, string>> => {
  const [header = "", ...lines] = text.trim().split(/\r?\n/)
  const names = fieldsOf(header)
  return lines.map((line) => {
    const fields = fieldsOf(line)
    return new Map(names.map((name, i) => [name, fields[i] ?? ""]))
  })
}

const rows = isPresent ? table(readFileSync(file, "utf8")) : []

const CRITICAL = 1.959963984540054

const near = (actual: number, expected: number, tolerance: number) => {
  if (!(Math.abs(actual - expected) <= tolerance)) expect(actual).toBe(expected)
}

const check = (row: ReadonlyMap<string, string>) => {
  const text = (name: string) => row.get(name) ?? ""
  const number = (name: string) =>
    text(name) === "" ? expect.unreachable(`column ${name} is empty`) : Number(text(name))
  const cell = (name: string) => ({
    impressions: number(`${name}_impressions`),
    conversions: number(`${name}_conversions`)
  })
  const counts: FourCounts = [cell("control_pre"), cell("control_post"), cell("treatment_pre"), cell("treatment_post")]
  const { control, treatment } = arms(counts)
  const analysis = analyse(control, treatment)
  const [lower, upper] = analysis.confidenceInterval

  near(analysis.didEstimator, number("did"), 1e-14 * Math.abs(number("did")))
  if (text("lift_pct_vs_counterfactual") !== "") {
    const lift = number("lift_pct_vs_counterfactual")
    near(analysis.liftPercentage, lift, 1e-14 * Math.abs(lift))
  } else if (number("counterfactual_rate") <= 0) expect(analysis.liftPercentage).toBe(0)

  // If the binomial standard error is 0 the reference is Price-Bonett's, and bounds stay within [−2, 2].
  const isAdjusted = number("se") === 0
  const [se, z, p, low, high] = isAdjusted
    ? (["pb_se", "pb_z", "pb_p", "pb_ci95_lower", "pb_ci95_upper"] as const).map(number)
    : (["se", "z", "p_two_sided", "ci95_lower", "ci95_upper"] as const).map(number)
  if (se === undefined || z === undefined || p === undefined || low === undefined || high === undefined) {
    return expect.unreachable()
  }
  near(analysis.pValue, p, p * Math.max(1e-12, 6 * z * z * 2 ** -52))
  near(lower, Math.max(-2, low), 1e-12 * se)
  near(upper, Math.min(2, high), 1e-12 * se)
  expect(analysis.isSignificant).toBe(isAdjusted ? p < 0.05 : text("significant_0_05") === "true")

  // A least-squares fit with robust errors and a general linear model from other programs must have the same width.
  for (const name of ["sm_ols_hc0_se", "sm_glm_identity_se"]) {
    if (!isAdjusted && text(name) !== "") near((upper - lower) / (2 * CRITICAL), number(name), 1e-9 * se)
  }
}

let passed = 0

describe.skipIf(!isPresent)("did-reference.csv", () => {
  afterAll(() => console.log(`oracle did-reference: ${passed}/${rows.length}`))

  test("has rows for every compared column", () => {
    expect(rows.length).toBeGreaterThan(30)
  })

  for (const row of rows) {
    test(`row ${row.get("id")}: ${row.get("label")}`, () => {
      check(row)
      passed++
    })
  }
})

if (!isPresent) console.log("oracle did-reference: skipped, shared/oracles is not beside the repository")
