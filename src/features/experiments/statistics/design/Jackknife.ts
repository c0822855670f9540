import * as Either from "effect/Either"
import type { Metric } from "./Panel.ts"
import { at } from "./Table.ts"
import type { Window } from "./Window.ts"

/** θ = L_T − L_C, the logarithm of 1 + lift, and its variance V over pages. */
export interface Contrast {
  readonly theta: number
  readonly variance: number
}

/** An arm, or an arm without one of its pages, has no clicks or impressions of which a logarithm could be taken. */
export interface Empty {
  readonly arm: "treatment" | "control"
  /** Row of the page that holds everything; none where the arm has nothing at all. */
  readonly row: number | undefined
}

/** The rows of an arm: from, and before. */
type Rows = readonly [from: number, to: number]

/** Σ w·v over the rows, without one of them if asked. */
const total = (column: Float64Array, weights: Float64Array, [from, to]: Rows, without = -1): number => {
  let sum = 0
  for (let row = from; row < to; row++) if (row !== without) sum += at(weights, row) * at(column, row)
  return sum
}

/** The row of the page without which nothing is left, or −1 where there is nothing at all. Whole numbers decide, which rounding does not touch. */
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
 * What ln Σ w·v loses with each page, ln((S − w·v) / S), added `sign` times to `shifts`. The rest beside a page with more than half of S is summed anew,
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
 * clusters CV3 of J. G. MacKinnon, M. Ø. Nielsen and M. D. Webb, "Cluster-robust inference: a guide to empirical practice", 2023). The weights stay as they are.
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
