import * as Day from "../../../../foundation/schema/Day.ts"
import { criticalT } from "../../../../foundation/statistics/StudentT.ts"
import { plural } from "../../../../foundation/text/Words.ts"
import { WarningCode } from "./DesignedAnalysis.ts"
import type { Judgement } from "./Judge.ts"
import type { Design, Panel } from "./Panel.ts"
import { liftOf, percent, signedPercent } from "./Sentence.ts"
import { at } from "./Table.ts"
import { weigh } from "./Weights.ts"
import { clicked, type Window } from "./Window.ts"

/** What weakens a verdict: its code, and a sentence that says it with figures. */
export interface Warning {
  readonly code: WarningCode
  readonly sentence: string
}

/** What the warnings look at. */
interface Evidence {
  readonly panel: Panel
  readonly design: Design
  readonly window: Window
  readonly judgement: Judgement
}

/** Fewer pages with clicks than this in an arm, a share of an arm's weighted clicks above this, fewer placebos than this. */
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
    ? `The ${arm} arm has ${plural(count, "page")} with clicks before the change: below ${fewPages} the interval is wide and rests on each of them.`
    : undefined
}

const dominant = ({ design, panel, window }: Evidence): string | undefined => {
  const { weights } = weigh(window)
  const shares = weights.map((weight, row) => weight * at(window.y0, row))
  const named = (arm: "treatment" | "control", own: Float64Array) => {
    const total = own.reduce((sum, share) => sum + share, 0)
    return [...own.entries()].flatMap(([row, share]) =>
      share > dominance * total
        ? [`${panel.pages[design[arm][row] ?? -1]} has ${percent((100 * share) / total)} of those of the ${arm} arm`]
        : []
    )
  }
  const { treated } = window
  const pages = [...named("treatment", shares.subarray(0, treated)), ...named("control", shares.subarray(treated))]
  return pages.length > 0
    ? `A single page has more than a quarter of its arm's weighted clicks before the change (${pages.join(", ")}): what happens to it alone sways the verdict.`
    : undefined
}

const totalsDisagree = ({ judgement: { half, plainTheta, theta } }: Evidence): string | undefined =>
  Math.abs(plainTheta - theta) > half
    ? `Plain sums of the pages show ${signedPercent(liftOf(plainTheta))}, which lies outside the interval: the largest pages moved unlike the others.`
    : undefined

const missingDays = ({ design, window: { present } }: Evidence): string | undefined => {
  const days = design.pre_days + design.post_days
  const missing = days - present[0] - present[1]
  return missing > 0
    ? `${plural(missing, "day")} of the ${days} of both windows ${missing === 1 ? "was" : "were"} not imported: both arms are compared without ${missing === 1 ? "it" : "them"}.`
    : undefined
}

const short = ({ judgement: { placebos } }: Evidence): string | undefined =>
  placebos.length < shortHistory
    ? `The history has room for ${plural(placebos.length, "earlier comparison")}: with ${shortHistory} or more, a shock that pages share is more likely to have been seen.`
    : undefined

const notRandomised = ({ design }: Evidence): string | undefined =>
  design.assigned
    ? undefined
    : "The pages were chosen, not assigned by the service before the change: what else sets them apart is judged by their past alone."

const found: ReadonlyArray<readonly [WarningCode, (evidence: Evidence) => string | undefined]> = [
  ["pre_trend", preTrend],
  ["few_pages", few],
  ["dominant_page", dominant],
  ["totals_disagree", totalsDisagree],
  ["missing_days", missingDays],
  ["short_history", short],
  ["not_randomised", notRandomised]
]

/** The warnings that the panel gives. */
export const warningsOf = (evidence: Evidence): ReadonlyArray<Warning> =>
  found.flatMap(([code, test]) => {
    const sentence = test(evidence)
    return sentence === undefined ? [] : [{ code, sentence }]
  })

const place = ({ code }: Warning) => WarningCode.literals.indexOf(code)

/** Warnings as an analysis has them: sentences, and their codes beside them, in the order of the codes. */
const listed = (warnings: ReadonlyArray<Warning>) => {
  const inOrder = warnings.toSorted((a, b) => place(a) - place(b))
  return { warnings: inOrder.map(({ sentence }) => sentence), warning_codes: inOrder.map(({ code }) => code) }
}

interface Listed {
  readonly warnings: ReadonlyArray<string>
  readonly warning_codes: ReadonlyArray<WarningCode>
}

/** Adds warnings that only the stored data can give, such as `imported_early`, in the order of the codes. */
export const withWarnings = <A extends Listed>(analysis: A, more: ReadonlyArray<Warning>): A => ({
  ...analysis,
  ...listed([
    ...analysis.warning_codes.map((code, index) => ({ code, sentence: analysis.warnings[index] ?? "" })),
    ...more
  ])
})
