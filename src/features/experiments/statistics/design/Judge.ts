import * as Either from "effect/Either"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { plural } from "../../../../foundation/text/Words.ts"
import {
  clicked,
  contrast,
  type Deciding,
  type DesignFault,
  deciding,
  emptyArm,
  fewClicked,
  halfWidth,
  lacking,
  missingData,
  ofTreated,
  type Placebo,
  placebosOf,
  pOf,
  type Spread,
  shortHistory,
  spread,
  type Table,
  timeError,
  type Window,
  weigh,
  windowAt,
  worth
} from "./Estimate.ts"
import type { Design, Metric, Panel } from "./Panel.ts"

/** The result of one metric, on the scale of θ = ln(1 + lift). */
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

/** The windows of a design around its change, or a fault without enough days and pages. */
export const windowOf = (table: Table, design: Design, leastPages: number): Either.Either<Window, DesignFault> => {
  const window = windowAt(table, design, table.changeWeek)
  const lack = lacking(window, design)
  if (lack !== undefined) return Either.left(missingData(lack, window, design))
  const few = fewClicked(clicked(window), leastPages)
  return few === undefined ? Either.right(window) : Either.left(few)
}

/** θ of a metric with its errors over pages and over time, and the deciding one; the interval contains θ with probability 1 − `level`. */
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

/** Numbers of JSON are finite: larger ones become the limit. */
export const finite = (value: number): number => Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value))

/** The lift in percent, 100 · (e^θ − 1). */
export const liftOf = (theta: number): number => finite(100 * Math.expm1(theta))

/** Percent for readers: one decimal, none from 1,000 on. */
export const percent = (value: number): string =>
  Math.abs(value) >= 1_000
    ? `${Math.abs(value) >= 1e9 ? value.toExponential(1) : Math.round(value).toLocaleString("en-US")}%`
    : `${value.toFixed(1).replace(/^-0\.0$/, "0.0")}%`

/** Percent with the sign of a change. */
export const signedPercent = (value: number): string => {
  const text = percent(Math.abs(value))
  if (/^0\.0%/.test(text)) return text
  return `${value < 0 ? "−" : "+"}${text}`
}

const names: Readonly<Record<Metric, string>> = { clicks: "clicks", ctr: "click-through rate" }

/** A result in a sentence; without a significant effect it never claims that there is none. */
export const sentenceOf = (
  design: Design,
  lift: number,
  [low, high]: readonly [number, number],
  isSignificant: boolean,
  level: number
): string => {
  const name = names[design.metric]
  const confidence = `${Number((100 * (1 - level)).toFixed(2))}%`
  const interval = `${signedPercent(low)} to ${signedPercent(high)} (${confidence} interval)`
  const pages = `${plural(design.treatment.length, "test page")} against ${plural(design.control.length, "control page")}`
  if (isSignificant) {
    const verb = lift > 0 ? "Increase" : "Decrease"
    return `${verb} of ${name} by ${percent(Math.abs(lift))}, ${interval}, of ${pages}.`
  }
  return `No effect shown on ${name}: ${signedPercent(lift)}, ${interval}, of ${pages}; effects of any size within the interval remain possible.`
}

/** The power of a design, in a sentence. */
export const powerSentence = (
  metric: Metric,
  days: number,
  effect: { readonly increase_percent: number; readonly decrease_percent: number } | { readonly needed_days: number }
): string =>
  "needed_days" in effect
    ? `The minimum detectable effect for ${days} days is unknown: it needs ${effect.needed_days} days of history.`
    : `Minimum detectable effect with ${days} days after the change (80% power): ${names[metric]} +${percent(effect.increase_percent)} or −${percent(effect.decrease_percent)}. Smaller effects usually go undetected.`
