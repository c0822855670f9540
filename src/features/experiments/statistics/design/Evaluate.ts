import * as Either from "effect/Either"
import * as Day from "../../../../foundation/schema/Day.ts"
import { finish, type Steps } from "../../../../foundation/schema/Steps.ts"
import { criticalT } from "../../../../foundation/statistics/Distributions.ts"
import { plural } from "../../../../foundation/text/Words.ts"
import { type DesignedAnalysis, type DesignPower, type DesignPreview, WarningCode } from "./DesignedAnalysis.ts"
import {
  at,
  clicked,
  type DesignFault,
  deciding,
  fewClicked,
  shortHistory as historyTooShort,
  lacking,
  median,
  missingData,
  neededDays,
  placebosOf,
  spread,
  type Table,
  tableOf,
  timeError,
  type Window,
  weigh,
  windowAt
} from "./Estimate.ts"
import {
  finite,
  type Judgement,
  judging,
  liftOf,
  pageFreedom,
  percent,
  powerSentence,
  sentenceOf,
  signedPercent,
  valueOf,
  windowOf
} from "./Judge.ts"
import { type Design, type Lengths, type Metric, type Panel, weeksOf } from "./Panel.ts"

/** A limitation: its code, and a sentence with figures. */
export interface Warning {
  readonly code: WarningCode
  readonly sentence: string
}

/** The input of the warnings. */
interface Evidence {
  readonly panel: Panel
  readonly design: Design
  readonly window: Window
  readonly judgement: Judgement
}

/** Limits of warnings: fewer clicked pages in an arm, a larger share of an arm's weighted clicks on one page, fewer placebos. */
const [fewPages, dominance, shortHistory] = [10, 0.25, 20]

const preTrend = ({ judgement: { page, placebos }, panel }: Evidence): string | undefined => {
  const [nearest] = placebos
  if (nearest === undefined) return undefined
  const { theta, variance, weeksBefore } = nearest
  if (!(Math.abs(theta) > criticalT(page.degrees_of_freedom) * Math.sqrt(variance))) return undefined
  return `The arms moved apart before the change: the same comparison around ${Day.format(panel.change - 7 * weeksBefore)}, when nothing was changed, shows ${signedPercent(liftOf(theta))}, more than the differences among pages explain.`
}

const few = ({ window }: Evidence): string | undefined => {
  const pages = clicked(window)
  const [arm, count] = pages.treatment <= pages.control ? ["treatment", pages.treatment] : ["control", pages.control]
  return count < fewPages
    ? `Only ${plural(count, "page")} in ${arm} had clicks before the change. With fewer than ${fewPages}, the interval is wide and depends on each page.`
    : undefined
}

const dominant = ({ design, panel, window }: Evidence): string | undefined => {
  const { weights } = weigh(window)
  const shares = weights.map((weight, row) => weight * at(window.y0, row))
  const named = (arm: "treatment" | "control", own: Float64Array) => {
    const total = own.reduce((sum, share) => sum + share, 0)
    return [...own.entries()].flatMap(([row, share]) =>
      share > dominance * total
        ? [`${panel.pages[design[arm][row] ?? -1]} has ${percent((100 * share) / total)} of the clicks in ${arm}`]
        : []
    )
  }
  const { treated } = window
  const pages = [...named("treatment", shares.subarray(0, treated)), ...named("control", shares.subarray(treated))]
  return pages.length > 0
    ? `One page has more than a quarter of the weighted clicks of its group before the change (${pages.join(", ")}), so it can sway the result alone.`
    : undefined
}

const totalsDisagree = ({ judgement: { half, plainTheta, theta } }: Evidence): string | undefined =>
  Math.abs(plainTheta - theta) > half
    ? `Plain sums of all pages show ${signedPercent(liftOf(plainTheta))}, outside the interval: the largest pages changed differently from the others.`
    : undefined

const missingDays = ({ design, window: { present } }: Evidence): string | undefined => {
  const days = design.pre_days + design.post_days
  const missing = days - present[0] - present[1]
  return missing > 0
    ? `${plural(missing, "day")} of the ${days} of both windows ${missing === 1 ? "was" : "were"} not imported, so test and control are compared without ${missing === 1 ? "it" : "them"}.`
    : undefined
}

const short = ({ judgement: { placebos } }: Evidence): string | undefined =>
  placebos.length < shortHistory
    ? `The history allows ${plural(placebos.length, "earlier comparison")}. With ${shortHistory} or more, shared shocks are more likely to be covered.`
    : undefined

const notRandomised = ({ design }: Evidence): string | undefined =>
  design.assigned
    ? undefined
    : "The pages were chosen, not randomly assigned before the change, so other differences between them are only controlled by their history."

const found: ReadonlyArray<readonly [WarningCode, (evidence: Evidence) => string | undefined]> = [
  ["pre_trend", preTrend],
  ["few_pages", few],
  ["dominant_page", dominant],
  ["totals_disagree", totalsDisagree],
  ["missing_days", missingDays],
  ["short_history", short],
  ["not_randomised", notRandomised]
]

/** The warnings of the panel. */
const warningsOf = (evidence: Evidence): ReadonlyArray<Warning> =>
  found.flatMap(([code, test]) => {
    const sentence = test(evidence)
    return sentence === undefined ? [] : [{ code, sentence }]
  })

const place = ({ code }: Warning) => WarningCode.literals.indexOf(code)

/** Warnings in an analysis: sentences, with their codes beside them, in the order of the codes. */
const listed = (warnings: ReadonlyArray<Warning>) => {
  const inOrder = warnings.toSorted((a, b) => place(a) - place(b))
  return { warnings: inOrder.map(({ sentence }) => sentence), warning_codes: inOrder.map(({ code }) => code) }
}

interface Listed {
  readonly warnings: ReadonlyArray<string>
  readonly warning_codes: ReadonlyArray<WarningCode>
}

/** Adds warnings from the stored data, such as `imported_early`, in the order of the codes. */
export const withWarnings = <A extends Listed>(analysis: A, more: ReadonlyArray<Warning>): A => ({
  ...analysis,
  ...listed([
    ...analysis.warning_codes.map((code, index) => ({ code, sentence: analysis.warnings[index] ?? "" })),
    ...more
  ])
})

/** The library computes from two pages per arm on; the API asks for five. */
const leastOfLibrary = 2

const units = { clicks: "clicks_per_day", ctr: "ctr" } as const

const unitOf = (metric: Metric) => units[metric]

const other = (metric: Metric): Metric => (metric === "clicks" ? "ctr" : "clicks")

/** S. Holm's p-value (1979) of the second of two hypotheses. */
const holm = (first: number, second: number): number =>
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

/** Number of planned previews: p-values grow and intervals widen with it (C. E. Bonferroni). */
interface Looks {
  readonly planned: number
}

const once: Looks = { planned: 1 }

const alpha = 0.05

/** Evaluates in steps; `leastPages` pages of each arm need a click before the change. */
const evaluatingWith = function* (
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

/** The result of a designed experiment, in steps of a few milliseconds; the fault of a design without a result says what to do. */
export const evaluating = (
  panel: Panel,
  design: Design,
  leastPages = leastOfLibrary
): Steps<Either.Either<DesignedAnalysis, DesignFault>> => evaluatingWith(panel, design, leastPages, once)

/** Evaluates in one step. */
export const evaluate = (panel: Panel, design: Design): Either.Either<DesignedAnalysis, DesignFault> =>
  finish(evaluating(panel, design))

/** Days of a week after the latest final one, which may still be imported. */
const toCome = ({ change, changeWeek }: Panel, week: number, newest: Day.DayNumber): number =>
  Math.min(7, Math.max(0, change + 7 * (week - changeWeek) + 6 - newest))

/**
 * Why a design cannot give a result, as far as its start shows: missing days up to the latest final one, too short a past for chosen pages, or, with all days
 * imported, the fault of the evaluation.
 */
export const foreseeing = function* (
  panel: Panel,
  design: Design,
  leastPages: number,
  newest: Day.DayNumber
): Steps<ReadonlyArray<DesignFault>> {
  const { post_days, settle_days } = design
  if (newest >= panel.change + settle_days + post_days - 1) {
    const verdict = yield* evaluating(panel, design, leastPages)
    return Either.isLeft(verdict) ? [verdict.left] : []
  }
  const table = yield* tableOf(panel, design)
  const hoped = { ...table, days: panel.days.map((count, week) => Math.min(7, count + toCome(panel, week, newest))) }
  const lack = lacking(windowAt(hoped, design, table.changeWeek), design)
  const missing = lack === undefined ? [] : [missingData(lack, windowAt(table, design, table.changeWeek), design)]
  if (design.assigned) return missing
  const placebos = yield* placebosOf(hoped, design, design.metric)
  return placebos.length > 0 ? missing : [...missing, historyTooShort(panel, design)]
}

/** Possible lengths of the window after the change, in days. */
export const postDays = [14, 28, 42, 56, 84] as const

/** Half of the two-sided level with a t that is exceeded with probability 0.2, so t₀.₈₀. */
const fourOfFive = 0.4

type Effect = DesignPower["effects"][number]

/**
 * The minimum detectable effect of a design (80% power), d = (t₀.₉₇₅ + t₀.₈₀) · s, with the rule of the result, where s_p is the root of the median of V over
 * the placebos.
 */
const effectOf = function* (table: Table, design: Design, baseline: number): Steps<Effect> {
  const { post_days } = design
  const placebos = yield* placebosOf(table, design, design.metric)
  const page = spread(median(placebos.map(({ variance }) => variance)), pageFreedom(design))
  const time = timeError(placebos, design)
  const error = deciding(design.assigned, page, time, 0.05)
  if (time === null || error === undefined) {
    return { post_days, placebo_windows: 0, reason: "history_too_short", needed_days: neededDays(design) }
  }
  const { degrees_of_freedom: freedom, method, standard_error } = error
  const shown = (criticalT(freedom) + criticalT(freedom, fourOfFive)) * standard_error
  return {
    post_days,
    increase_percent: liftOf(shown),
    decrease_percent: -liftOf(-shown),
    absolute: finite(baseline * Math.expm1(shown)),
    method,
    placebo_windows: placebos.length
  }
}

/** The minimum detectable effects of a design (80% power), for each length after the change; `change` of the panel is the day after the latest final one. */
export const powering = function* (
  panel: Panel,
  design: Design,
  leastPages: number
): Steps<Either.Either<DesignPower, DesignFault>> {
  const table = yield* tableOf(panel, design)
  const window = windowAt(table, design, table.changeWeek)
  if (lacking(window, design) === "pre") return Either.left(missingData("pre", window, design))
  const few = fewClicked(clicked(window), leastPages)
  if (few !== undefined) return Either.left(few)
  const value = valueOf(design.metric, window, "pre")
  const effects: Array<Effect> = []
  for (const post_days of postDays) effects.push(yield* effectOf(table, { ...design, post_days }, value))
  const planned = effects.find(({ post_days }) => post_days === design.post_days)
  return Either.right({
    baseline: { value, unit: unitOf(design.metric) },
    effects,
    sentence: planned === undefined ? "" : powerSentence(design.metric, design.post_days, planned)
  })
}

/**
 * An interim result of a running experiment: the `weeks` whole weeks since the change, settling included, are its post window. With m = (g + b)/7 planned
 * weeks, one preview each, p is min(1, p · m) and the interval holds the effect with probability 1 − 0.05/m: a preview may stop harm, and declares no
 * victory.
 */
export const previewing = function* (
  panel: Panel,
  design: Design,
  weeks: number,
  leastPages: number
): Steps<Either.Either<DesignPreview, DesignFault>> {
  const { post, settle } = weeksOf(design)
  const planned = post + settle
  const soFar = Math.min(weeks, planned)
  const seen = yield* evaluatingWith(panel, { ...design, settle_days: 0, post_days: 7 * soFar }, leastPages, {
    planned
  })
  return Either.map(seen, (analysis) => ({
    ...analysis,
    sentence: `Interim result after ${soFar} of ${planned} weeks, corrected for weekly checks: ${analysis.sentence} Use it to stop harm; the final result comes at the end.`,
    final: false as const,
    weeks: soFar,
    planned_weeks: planned
  }))
}
