import type { Analysis } from "./Analysis.ts"
import type { ArmMetrics } from "./ArmMetrics.ts"
import * as DifferenceInDifferences from "./DifferenceInDifferences.ts"
import * as Proportion from "./Proportion.ts"
import * as Ratio from "./Ratio.ts"
import { warnings } from "./Warnings.ts"
import { zTest } from "./ZTest.ts"

const HUNDRED = Ratio.make(100n, 1n)

const cell = (conversions: number, impressions: number): Proportion.Cell => ({
  conversions: BigInt(conversions),
  impressions: BigInt(impressions)
})

const cellsOf = (control: ArmMetrics, treatment: ArmMetrics): DifferenceInDifferences.Cells<Proportion.Cell> => ({
  controlPre: cell(control.preConversions, control.preImpressions),
  controlPost: cell(control.postConversions, control.postImpressions),
  treatmentPre: cell(treatment.preConversions, treatment.preImpressions),
  treatmentPost: cell(treatment.postConversions, treatment.postImpressions)
})

/** Differences of rates lie in [−2, 2]; the adjusted interval of a tiny sample can reach beyond. */
const withinRange = (bound: number) => Math.min(2, Math.max(-2, bound))

/**
 * Judges an experiment by the Difference-in-Differences of its conversion rates.
 *
 * The rates, their variances and everything made of them by + − × ÷ are exact fractions, rounded once at the end, so an
 * effect that is zero is reported as 0 and counts near 2^53 lose nothing. Where all four rates are 0 or 1 their variance
 * is zero and the test uses Price and Bonett's adjusted proportions instead; `didEstimator` and `liftPercentage` do not.
 */
export const analyse = (control: ArmMetrics, treatment: ArmMetrics): Analysis => {
  const cells = cellsOf(control, treatment)
  const rates = DifferenceInDifferences.estimateCells(cells, Proportion.binomial)
  const effect = DifferenceInDifferences.effect(rates)
  const counterfactual = DifferenceInDifferences.counterfactual(rates)
  const isAdjusted = effect.variance.numerator === 0n
  const tested = isAdjusted
    ? DifferenceInDifferences.effect(DifferenceInDifferences.estimateCells(cells, Proportion.adjusted))
    : effect
  const { isSignificant, lower, pValue, upper } = zTest(tested)
  return {
    didEstimator: Ratio.toNumber(effect.value),
    liftPercentage:
      counterfactual.value.numerator > 0n
        ? Ratio.toNumber(Ratio.over(Ratio.times(HUNDRED, effect.value), counterfactual.value))
        : 0,
    pValue,
    isSignificant,
    confidenceInterval: isAdjusted ? [withinRange(lower), withinRange(upper)] : [lower, upper],
    warnings: warnings({ cells, rates, counterfactual, isAdjusted, pValue })
  }
}
