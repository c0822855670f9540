import * as Either from "effect/Either"
import * as Day from "../../../../foundation/schema/Day.ts"
import { each, type Steps } from "../../../../foundation/schema/Steps.ts"
import { criticalT, twoSidedP } from "../../../../foundation/statistics/Distributions.ts"
import { plural } from "../../../../foundation/text/Words.ts"
import { type Design, type Lengths, type Metric, type Panel, weeksOf } from "./Panel.ts"

/** The pages of a design in rows, treated ones first, stored week by week, because windows sum neighbouring weeks of all pages dozens of times. */
export interface Table extends Pick<Panel, "weeks" | "days" | "changeWeek" | "change" | "firstDay"> {
  readonly treated: number
  readonly size: number
  /** Clicks of row `r` in week `w` at `w · size + r`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
}

/** Cost of a page in one week, in characters: about 10 ns. */
const cellCost = 0.2

export const tableOf = function* (panel: Panel, { control, treatment }: Design): Steps<Table> {
  const { change, changeWeek, days, firstDay, weeks } = panel
  const rows = Uint32Array.from([...treatment, ...control])
  const size = rows.length
  const clicks = new Float64Array(weeks * size)
  const impressions = new Float64Array(weeks * size)
  yield* each(rows.entries(), ([row, page]) => {
    for (let week = 0; week < weeks; week++) {
      clicks[week * size + row] = panel.clicks[page * weeks + week] ?? 0
      impressions[week * size + row] = panel.impressions[page * weeks + week] ?? 0
    }
    return cellCost * weeks
  })
  return { change, changeWeek, days, firstDay, weeks, treated: treatment.length, size, clicks, impressions }
}

/** A number of a column; the index must be in the column. */
export const at = (column: Float64Array | Uint8Array, index: number): number => column[index] ?? 0

/** Clicks (y) and impressions (n) of each page before (0) and after (1) a real or pretended change: treated pages first, then control. */
export interface Window {
  readonly treated: number
  readonly size: number
  readonly y0: Float64Array
  readonly y1: Float64Array
  readonly n0: Float64Array
  readonly n1: Float64Array
  /** Imported days before and after. */
  readonly present: readonly [pre: number, post: number]
}

/** A range of weeks: `from` inclusive, `to` exclusive. */
type Weeks = readonly [from: number, to: number]

/** The sums of a column over weeks, for each row; missing weeks count as 0. */
const sums = (column: Float64Array, { size, weeks }: Table, [from, to]: Weeks): Float64Array => {
  const totals = new Float64Array(size)
  for (let week = Math.max(0, from); week < Math.min(weeks, to); week++)
    for (let row = 0; row < size; row++) totals[row] = at(totals, row) + at(column, week * size + row)
  return totals
}

const daysIn = ({ days }: Table, [from, to]: Weeks): number =>
  days.subarray(Math.max(0, from), Math.max(0, to)).reduce((total, count) => total + count, 0)

/** The windows around a change at the beginning of week `change` of the table: pre [c − a, c), post [c + g, c + g + b). */
export const windowAt = (table: Table, lengths: Lengths, change: number): Window => {
  const { post, pre, settle } = weeksOf(lengths)
  const before: Weeks = [change - pre, change]
  const after: Weeks = [change + settle, change + settle + post]
  return {
    treated: table.treated,
    size: table.size,
    y0: sums(table.clicks, table, before),
    y1: sums(table.clicks, table, after),
    n0: sums(table.impressions, table, before),
    n1: sums(table.impressions, table, after),
    present: [daysIn(table, before), daysIn(table, after)]
  }
}

/** The share of a window's days that the import must have. */
const share = 0.75

/** The first window with too many missing days, if any. */
export const lacking = ({ present }: Window, { post_days, pre_days }: Lengths): "pre" | "post" | undefined => {
  if (present[0] < share * pre_days) return "pre"
  return present[1] < share * post_days ? "post" : undefined
}

/** The sum of a column over the treated pages. */
export const ofTreated = (column: Float64Array, { treated }: Window): number =>
  column.subarray(0, treated).reduce((total, value) => total + value, 0)

/** Number of pages of each arm with a click before the change. */
export const clicked = ({ treated, y0 }: Window): { readonly treatment: number; readonly control: number } => {
  const count = (column: Float64Array) => column.reduce((pages, clicks) => (clicks >= 1 ? pages + 1 : pages), 0)
  return { treatment: count(y0.subarray(0, treated)), control: count(y0.subarray(treated)) }
}

/** θ = L_T − L_C, the logarithm of 1 + lift, and its variance V over pages. */
interface Contrast {
  readonly theta: number
  readonly variance: number
}

/** An arm, or an arm without one of its pages, has no clicks or impressions, so there is no logarithm. */
interface Empty {
  readonly arm: "treatment" | "control"
  /** Row of the page with all counts; undefined if the arm has none at all. */
  readonly row: number | undefined
}

/** A range of rows: `from` inclusive, `to` exclusive. */
type Rows = readonly [from: number, to: number]

/** Σ w·v over the rows, optionally without one of them. */
const total = (column: Float64Array, weights: Float64Array, [from, to]: Rows, without = -1): number => {
  let sum = 0
  for (let row = from; row < to; row++) if (row !== without) sum += at(weights, row) * at(column, row)
  return sum
}

/** The row of the only page with a count, or −1 without any. Integers decide, unaffected by rounding. */
const emptied = (column: Float64Array, [from, to]: Rows): number | undefined => {
  let pages = 0
  let last = -1
  for (let row = from; row < to && pages < 2; row++) {
    if (at(column, row) <= 0) continue
    pages += 1
    last = row
  }
  return pages < 2 ? last : undefined
}

/**
 * Adds `sign` times ln((S − w·v) / S), the change of ln Σ w·v without each page, to `shifts`. For a page with more than half of S the rest is summed again,
 * because S − w·v would cancel; there is at most one such page.
 */
const shift = (shifts: Float64Array, sign: number, column: Float64Array, weights: Float64Array, rows: Rows): number => {
  const sum = total(column, weights, rows)
  for (let row = rows[0]; row < rows[1]; row++) {
    const part = (at(weights, row) * at(column, row)) / sum
    const loss = part > 0.5 ? Math.log(total(column, weights, rows, row) / sum) : Math.log1p(-part)
    shifts[row - rows[0]] = at(shifts, row - rows[0]) + sign * loss
  }
  return sign * Math.log(sum)
}

/** L = ln(Σw·y₁ / Σw·y₀), for ctr less ln(Σw·n₁ / Σw·n₀), and (k − 1)/k · Σᵢ (L(−i) − L)², the jackknife's variance over the k pages of the arm. */
const armOf = (window: Window, weights: Float64Array, metric: Metric, rows: Rows): Contrast => {
  const { n0, n1, y0, y1 } = window
  const pages = rows[1] - rows[0]
  const shifts = new Float64Array(pages)
  const clicks = shift(shifts, 1, y1, weights, rows) + shift(shifts, -1, y0, weights, rows)
  const impressions = metric === "ctr" ? shift(shifts, -1, n1, weights, rows) + shift(shifts, 1, n0, weights, rows) : 0
  const squares = shifts.reduce((sum, value) => sum + value * value, 0)
  return { theta: clicks + impressions, variance: ((pages - 1) / pages) * squares }
}

/**
 * The effect in one pair of windows, and its jackknife variance over pages (B. Efron and C. Stein, "The jackknife estimate of variance", 1981; with pages as
 * clusters CV3 of J. G. MacKinnon, M. Ø. Nielsen and M. D. Webb, "Cluster-robust inference: a guide to empirical practice", 2023). The weights do not change.
 */
export const contrast = (window: Window, weights: Float64Array, metric: Metric): Either.Either<Contrast, Empty> => {
  const { n0, n1, size, treated, y0, y1 } = window
  const columns = metric === "ctr" ? [y0, y1, n0, n1] : [y0, y1]
  const arms = { treatment: [0, treated], control: [treated, size] } as const
  for (const arm of ["treatment", "control"] as const)
    for (const column of columns) {
      const row = emptied(column, arms[arm])
      if (row !== undefined) return Either.left({ arm, row: row === -1 ? undefined : row })
    }
  const ofTreatment = armOf(window, weights, metric, arms.treatment)
  const ofControl = armOf(window, weights, metric, arms.control)
  return Either.right({
    theta: ofTreatment.theta - ofControl.theta,
    variance: ofTreatment.variance + ofControl.variance
  })
}

/** A standard error of θ, the logarithm of 1 + lift, and the degrees of freedom of its Student's t. */
export interface Spread {
  readonly standard_error: number
  readonly degrees_of_freedom: number
}

export const spread = (variance: number, freedom: number): Spread => ({
  standard_error: Math.sqrt(variance),
  degrees_of_freedom: freedom
})

/** The deciding error, and its method. */
export interface Deciding extends Spread {
  readonly method: "page_jackknife" | "placebo_in_time"
}

/** Half the width of the interval that contains θ with probability 1 − `level`. */
export const halfWidth = ({ degrees_of_freedom, standard_error }: Spread, level: number): number =>
  criticalT(degrees_of_freedom, level) * standard_error

/**
 * The deciding error: over pages for assigned pages; for chosen pages the one with the wider interval, because only the past of the chosen pages shows their
 * common shocks. Undefined for chosen pages without a past.
 */
export const deciding = (assigned: boolean, page: Spread, time: Spread | null, level: number): Deciding | undefined => {
  const ofPages = { ...page, method: "page_jackknife" } as const
  if (assigned) return ofPages
  if (time === null) return undefined
  return halfWidth(time, level) > halfWidth(page, level) ? { ...time, method: "placebo_in_time" } : ofPages
}

/** Differences of logarithms below this are rounding. */
const rounding = 1e-13

/** The two-sided p-value of no effect; 1 if all pages moved equally, to the last bit, because the error is 0 then. */
export const pOf = (theta: number, { degrees_of_freedom, standard_error }: Spread): number =>
  Math.abs(theta) <= rounding ? 1 : twoSidedP(Math.abs(theta) / standard_error, degrees_of_freedom)

/** The middle value, or the mean of the two middle ones; 0 without values. */
export const median = (values: ArrayLike<number>): number => {
  const sorted = Float64Array.from(values).sort()
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}

/** κ never falls below this many clicks. */
const leastClicks = 20

/**
 * The weights of the pages, w = 1 / (1 + y₀/κ) with κ = max(20, median of y₀ over the pages of both arms), where y₀ is clicks before the change: a page
 * counts in proportion to its clicks up to about κ, and ever less beyond, so no page of a long tail outweighs the others.
 */
export const weigh = ({ y0 }: Window): { readonly kappa: number; readonly weights: Float64Array } => {
  const kappa = Math.max(leastClicks, median(y0))
  return { kappa, weights: y0.map((clicks) => 1 / (1 + clicks / kappa)) }
}

/** The comparison at an earlier date without a change. */
export interface Placebo extends Contrast {
  /** Whole weeks from the placebo's date to the change. */
  readonly weeksBefore: number
}

/** Maximum windows; the latest ones count. */
const most = 52

/** Cost of comparing one page in one pair of windows, in characters: about 0.4 µs. */
export const worth = 5

/** Days of history before the change that the first placebo needs: a + g + b. */
export const neededDays = ({ post_days, pre_days, settle_days }: Lengths): number => pre_days + settle_days + post_days

/**
 * The placebos in time, latest first: c_j = c − g − b − 7j for j = 0, 1, … while c_j − a is not before the first imported day, each with its own weights. A
 * placebo without 75 % of its days, or with a total that is not positive, is skipped. No placebo includes a day from the change on.
 */
export const placebosOf = function* (table: Table, lengths: Lengths, metric: Metric): Steps<ReadonlyArray<Placebo>> {
  const { post, pre, settle } = weeksOf(lengths)
  const found: Array<Placebo> = []
  for (let weeksBefore = settle + post; found.length < most; weeksBefore++) {
    const first = table.changeWeek - weeksBefore - pre
    if (first < 0 || table.change - 7 * (weeksBefore + pre) < table.firstDay) break
    const window = windowAt(table, lengths, table.changeWeek - weeksBefore)
    yield worth * window.size
    if (lacking(window, lengths) !== undefined) continue
    const result = contrast(window, weigh(window).weights, metric)
    if (Either.isRight(result)) found.push({ ...result.right, weeksBefore })
  }
  return found
}

/**
 * The overlap of placebos l weeks apart: the autocorrelation of h_s = min(q, p + z + q − s)/q − max(0, p − s)/p, s = 1 … P, the weight of a week's step of a
 * random walk in θ; p, z, q are the weeks of the windows and P = p + z + q − 1. Products are not centred.
 */
export const autocorrelation = (lengths: Lengths): ReadonlyArray<number> => {
  const { post: q, pre: p, settle: z } = weeksOf(lengths)
  const h = Array.from({ length: p + z + q - 1 }, (_, index) => {
    const s = index + 1
    return Math.min(q, p + z + q - s) / q - Math.max(0, p - s) / p
  })
  const product = (lag: number) => h.reduce((sum, value, index) => sum + value * (h[index + lag] ?? 0), 0)
  const whole = product(0)
  return h.map((_, lag) => product(lag) / whole)
}

/**
 * ν_t = J / (1 + 2 Σ (1 − l/J) ρ_l²), l = 1 … min(J − 1, P − 1): the number of independent windows equivalent to the J overlapping ones (M. S. Bartlett,
 * 1946).
 */
export const freedomOf = (count: number, lengths: Lengths): number => {
  const shared = autocorrelation(lengths)
    .slice(1, count)
    .reduce((sum, rho, index) => sum + (1 - (index + 1) / count) * rho * rho, 0)
  return count / (1 + 2 * shared)
}

/** The error of θ over time, √(Σθ_j²/J), about zero, so that a steady drift counts as noise; null without a placebo. */
export const timeError = (placebos: ReadonlyArray<Placebo>, lengths: Lengths): Spread | null =>
  placebos.length === 0
    ? null
    : spread(
        placebos.reduce((sum, { theta }) => sum + theta * theta, 0) / placebos.length,
        freedomOf(placebos.length, lengths)
      )

type Arm = Empty["arm"]

/** Why a design has too little data for a result; `message` explains it, with the next step. */
export type DesignFault = { readonly message: string } & (
  | { readonly code: "missing_data"; readonly window: "pre" | "post"; readonly present: number; readonly days: number }
  /** `page` has all counts of its arm; null if the arm has none at all. */
  | { readonly code: "not_assessable"; readonly arm: Arm; readonly page: string | null }
  | { readonly code: "too_few_pages"; readonly arm: Arm; readonly pages: number }
  /** The needed days of history before the change, and the available ones. */
  | { readonly code: "history_too_short"; readonly needed_days: number; readonly days: number }
)

export const missingData = (window: "pre" | "post", { present }: Window, design: Design): DesignFault => {
  const [found, days] = window === "pre" ? [present[0], design.pre_days] : [present[1], design.post_days]
  const when = window === "pre" ? "before" : "after"
  return {
    code: "missing_data",
    window,
    present: found,
    days,
    message: `Only ${found} of the ${days} days ${when} the change have page data, and three quarters are needed. Import the missing days`
  }
}

/** The fault of an arm with too few clicked pages, if there is one. */
export const fewClicked = (clicked: Readonly<Record<Arm, number>>, least: number): DesignFault | undefined => {
  const arm = clicked.treatment < least ? "treatment" : "control"
  const pages = clicked[arm]
  if (pages >= least) return undefined
  return {
    code: "too_few_pages",
    arm,
    pages,
    message: `Only ${plural(pages, "page")} in ${arm} had a click before the change, and ${least} are needed. Choose more pages, or pages with more clicks`
  }
}

export const emptyArm = ({ arm, row }: Empty, panel: Panel, design: Design, metric: Metric): DesignFault => {
  const page = row === undefined ? null : (panel.pages[[...design.treatment, ...design.control][row] ?? -1] ?? null)
  const counts = metric === "ctr" ? "clicks or impressions" : "clicks"
  return {
    code: "not_assessable",
    arm,
    page,
    message:
      page === null
        ? `The ${arm} pages have no ${counts} before or after the change, so no change can be measured. Choose pages with more clicks, or longer periods`
        : `Without ${page}, the ${arm} pages have no ${counts} before or after the change, so the result would depend on that page alone. Choose more pages with clicks, or longer periods`
  }
}

export const shortHistory = (panel: Panel, design: Design): DesignFault => {
  const days = panel.change - panel.firstDay
  const needed = neededDays(design)
  return {
    code: "history_too_short",
    needed_days: needed,
    days,
    message: `Pages that were not randomly assigned need ${needed} days of page data before the change for comparisons at earlier dates (there are ${days}${days < needed ? "" : ", with gaps or without clicks"}). Import older days from ${Day.format(panel.change - needed)} on, choose shorter periods, or randomly assign the pages of the next experiment`
  }
}
