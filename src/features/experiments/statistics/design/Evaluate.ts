import * as Either from "effect/Either"
import * as Day from "../../../../foundation/schema/Day.ts"
import { finish, type Steps } from "../../../../foundation/schema/Steps.ts"
import type { DesignedAnalysis } from "./DesignedAnalysis.ts"
import type { DesignFault } from "./DesignFault.ts"
import { type Judgement, judging, valueOf, windowOf } from "./Judge.ts"
import type { Design, Lengths, Metric, Panel } from "./Panel.ts"
import { finite, liftOf, sentenceOf } from "./Sentence.ts"
import { tableOf } from "./Table.ts"
import { warningsOf, withWarnings } from "./Warnings.ts"
import type { Window } from "./Window.ts"

/** The library computes from two pages an arm on; the API asks for five. */
const leastOfLibrary = 2

const units = { clicks: "clicks_per_day", ctr: "ctr" } as const

export const unitOf = (metric: Metric) => units[metric]

const other = (metric: Metric): Metric => (metric === "clicks" ? "ctr" : "clicks")

/** S. Holm's p-value (1979) of the second of two hypotheses. */
export const holm = (first: number, second: number): number =>
  Math.min(1, second <= first ? 2 * second : Math.max(2 * first, second))

/** The windows as days, both ends inclusive. */
const windowsOf = (panel: Panel, lengths: Lengths, { present }: Window): DesignedAnalysis["windows"] => {
  const { post_days, pre_days, settle_days } = lengths
  const after = panel.change + settle_days
  return {
    pre: [Day.format(panel.change - pre_days), Day.format(panel.change - 1)],
    post: [Day.format(after), Day.format(after + post_days - 1)],
    days_present: present,
    days: [pre_days, post_days]
  }
}

const liftInterval = ({ half, theta }: Judgement): readonly [number, number] => [
  liftOf(theta - half),
  liftOf(theta + half)
]

/** How often the experiment is looked at: p-values grow and intervals widen with the number of planned looks (C. E. Bonferroni). */
export interface Looks {
  readonly planned: number
}

const once: Looks = { planned: 1 }

const alpha = 0.05

/** Judges in steps; `leastPages` pages of each arm need a click before the change. */
export const evaluatingWith = function* (
  panel: Panel,
  design: Design,
  leastPages: number,
  { planned }: Looks
): Steps<Either.Either<DesignedAnalysis, DesignFault>> {
  const level = alpha / planned
  const table = yield* tableOf(panel, design)
  const found = windowOf(table, design, leastPages)
  if (Either.isLeft(found)) return Either.left(found.left)
  const window = found.right
  const judged = yield* judging(panel, table, design, design.metric, window, level)
  if (Either.isLeft(judged)) return Either.left(judged.left)
  const beside = yield* judging(panel, table, design, other(design.metric), window, level)
  const judgement = judged.right
  const { deciding, half, page, placebos, theta, time } = judgement
  const pValue = Math.min(1, judgement.pValue * planned)
  const isSignificant = pValue < alpha
  const now = valueOf(design.metric, window, "post")
  const effect = (of: number) => finite(-now * Math.expm1(-of))
  const lift = liftOf(theta)
  const interval = liftInterval(judgement)
  const analysis: DesignedAnalysis = {
    didEstimator: effect(theta),
    liftPercentage: lift,
    pValue,
    isSignificant,
    confidenceInterval: [effect(theta - half), effect(theta + half)],
    method: deciding.method,
    warnings: [],
    warning_codes: [],
    unit: unitOf(design.metric),
    lift_interval: interval,
    standard_error: deciding.standard_error,
    degrees_of_freedom: deciding.degrees_of_freedom,
    page_error: page,
    time_error: time,
    placebo_windows: placebos.length,
    pages: { treatment: design.treatment.length, control: design.control.length },
    windows: windowsOf(panel, design, window),
    totals: { lift_percentage: liftOf(judgement.plainTheta) },
    secondary: Either.match(beside, {
      onLeft: () => [],
      onRight: (second) => [
        {
          metric: second.metric,
          liftPercentage: liftOf(second.theta),
          lift_interval: liftInterval(second),
          pValue: Math.min(1, holm(judgement.pValue, second.pValue) * planned)
        }
      ]
    }),
    verdict: isSignificant ? (theta > 0 ? "increase" : "decrease") : "no_effect_shown",
    sentence: sentenceOf(design, lift, interval, isSignificant, level)
  }
  return Either.right(withWarnings(analysis, warningsOf({ panel, design, window, judgement })))
}

/** The verdict on a designed experiment, in steps of some milliseconds; what cannot be judged is a fault that says what to do. */
export const evaluating = (
  panel: Panel,
  design: Design,
  leastPages = leastOfLibrary
): Steps<Either.Either<DesignedAnalysis, DesignFault>> => evaluatingWith(panel, design, leastPages, once)

/** The same at once. */
export const evaluate = (panel: Panel, design: Design): Either.Either<DesignedAnalysis, DesignFault> =>
  finish(evaluating(panel, design))
