import * as Either from "effect/Either"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { type DesignFault, emptyArm, fewClicked, missingData, shortHistory } from "./DesignFault.ts"
import { contrast } from "./Jackknife.ts"
import type { Design, Metric, Panel } from "./Panel.ts"
import { type Placebo, placebosOf, timeError, worth } from "./Placebo.ts"
import { type Deciding, deciding, halfWidth, pOf, type Spread, spread } from "./Spread.ts"
import type { Table } from "./Table.ts"
import { weigh } from "./Weights.ts"
import { clicked, lacking, ofTreated, type Window, windowAt } from "./Window.ts"

/** The judgement on one metric, on the scale of θ = ln(1 + lift). */
export interface Judgement {
  readonly metric: Metric
  readonly theta: number
  readonly pValue: number
  /** Half the width of the interval of θ. */
  readonly half: number
  readonly deciding: Deciding
  readonly page: Spread
  readonly time: Spread | null
  readonly placebos: ReadonlyArray<Placebo>
  /** θ by plain sums, all weights 1. */
  readonly plainTheta: number
}

/** min(k_T, k_C) − 1, of the jackknife over pages. */
export const pageFreedom = ({ control, treatment }: Design): number => Math.min(treatment.length, control.length) - 1

/** The windows of a design around its change, where they have enough days and pages. */
export const windowOf = (table: Table, design: Design, leastPages: number): Either.Either<Window, DesignFault> => {
  const window = windowAt(table, design, table.changeWeek)
  const lack = lacking(window, design)
  if (lack !== undefined) return Either.left(missingData(lack, window, design))
  const few = fewClicked(clicked(window), leastPages)
  return few === undefined ? Either.right(window) : Either.left(few)
}

/** θ of a metric with its errors over pages and over time, of which the rule takes one; the interval holds θ with probability 1 − `level`. */
export const judging = function* (
  panel: Panel,
  table: Table,
  design: Design,
  metric: Metric,
  window: Window,
  level: number
): Steps<Either.Either<Judgement, DesignFault>> {
  yield 2 * worth * window.size
  const whole = contrast(window, weigh(window).weights, metric)
  const plain = contrast(window, new Float64Array(window.size).fill(1), metric)
  if (Either.isLeft(whole)) return Either.left(emptyArm(whole.left, panel, design, metric))
  const placebos = yield* placebosOf(table, design, metric)
  const page = spread(whole.right.variance, pageFreedom(design))
  const time = timeError(placebos, design)
  const decided = deciding(design.assigned, page, time, level)
  if (decided === undefined) return Either.left(shortHistory(panel, design))
  const { theta } = whole.right
  return Either.right({
    metric,
    theta,
    pValue: pOf(theta, decided),
    half: halfWidth(decided, level),
    deciding: decided,
    page,
    time,
    placebos,
    plainTheta: Either.getOrElse(plain, () => whole.right).theta
  })
}

/** The value of the treated pages in the unit of a metric: plain clicks per imported day, or plain CTR. */
export const valueOf = (metric: Metric, window: Window, period: "pre" | "post"): number => {
  const [clicks, impressions, days] =
    period === "pre" ? [window.y0, window.n0, window.present[0]] : ([window.y1, window.n1, window.present[1]] as const)
  return ofTreated(clicks, window) / (metric === "ctr" ? ofTreated(impressions, window) : days)
}
