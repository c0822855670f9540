import type { Analysis } from "../api/Contract.ts"

const number = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 1,
  notation: "compact",
  signDisplay: "exceptZero"
})

/** An effect in percent, with its sign. */
export const signedPercent = (value: number): string => `${number.format(value)}%`

const points = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3, signDisplay: "exceptZero" })

/** A difference of two shares in percentage points. */
export const signedPoints = (value: number) => `${points.format(100 * value)} points`

/** Names of the metrics of experiments. */
export const metrics = { clicks: "clicks", ctr: "click-through rate" } as const

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
