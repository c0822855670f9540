import type { Analysis, Experiment } from "../api/Contract.ts"
import { dayAt, dayLength, timeOf } from "../parts/Formats.ts"

const number = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 1,
  notation: "compact",
  signDisplay: "exceptZero",
  style: "percent"
})

/** An effect in percent, with its sign. */
export const signedPercent = (value: number): string => number.format(value / 100)

const points = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3, signDisplay: "exceptZero" })

/** A difference of two shares in percentage points. */
export const signedPoints = (value: number) => `${points.format(100 * value)} points`

/** Names of the metrics of experiments. */
export const metrics = { clicks: "clicks", ctr: "click-through rate" } as const

/** The source of the uncertainty of an effect. */
export const methods = {
  binomial: "Counts as independent trials",
  page_clustered: "Pages as clusters",
  page_jackknife: "Differences between pages",
  page_permutation: "Permutation of pages",
  placebo_in_time: "Earlier dates without a change"
} as const

/** The effect that an analysis shows. */
export const shownBy = (analysis: Analysis): "increase" | "decrease" | "no_effect_shown" =>
  "verdict" in analysis
    ? analysis.verdict
    : analysis.isSignificant
      ? analysis.didEstimator > 0
        ? "increase"
        : "decrease"
      : "no_effect_shown"

const verbs = {
  decrease: "The conversion rate decreased",
  increase: "The conversion rate increased",
  no_effect_shown: "No effect shown"
}

/** An analysis in one sentence: its own sentence, or one from its counts. */
export const sentenceOf = (analysis: Analysis): string => {
  if ("sentence" in analysis) return analysis.sentence
  const { confidenceInterval, didEstimator } = analysis
  const [low, high] = confidenceInterval.map(signedPoints)
  const shown = shownBy(analysis)
  const open = shown === "no_effect_shown" ? " Effects of any size within the interval remain possible." : ""
  return `${verbs[shown]}: ${signedPoints(didEstimator)}, ${low} to ${high} (95% interval).${open}`
}

/** A p-value; small ones read “below 0.001”. */
export const probability = (value: number) => (value < 0.001 ? "below 0.001" : value.toPrecision(2))

/** Values as parts of 100 of their mean in the baseline; none without a baseline above 0. */
export const indexed = (
  values: ReadonlyArray<number>,
  isBaseline: ReadonlyArray<boolean>
): ReadonlyArray<number | null> => {
  const before = values.filter((_, at) => isBaseline[at])
  const mean = before.reduce((sum, value) => sum + value, 0) / before.length
  return values.map((value) => (mean > 0 ? (100 * value) / mean : null))
}

/** Milliseconds until Search Console’s numbers of a day are final. */
const lag = 3 * dayLength

/** The moment from which the result of a started experiment can be had; null without a design or a change date. */
export const resultFrom = ({ design }: Experiment): number | null =>
  design?.change_date === undefined
    ? null
    : timeOf(design.change_date) + (design.settle_days + design.post_days - 1) * dayLength + lag

/** When the result is due, in words. */
export const resultDay = (experiment: Experiment): string | null => {
  const at = resultFrom(experiment)
  return at === null ? null : dayAt(at)
}

/** The text of a pattern as a test of paths, where `*` stands for any text. */
export const matcherOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
      .join(".*")}$`,
    "s"
  )

/** The domain of a host for experiments: without port and `www.`. */
export const domainOf = (host: string): string => host.replace(/:\d+$/, "").replace(/^www\./, "")
