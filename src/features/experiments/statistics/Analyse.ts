import * as Option from "effect/Option"
import { finish, type Steps } from "../../../foundation/schema/Steps.ts"
import type { Analysis } from "./Analysis.ts"
import * as DifferenceInDifferences from "./DifferenceInDifferences.ts"
import type { Estimate } from "./Estimate.ts"
import type { ArmMetrics } from "./ExperimentMetrics.ts"
import * as Proportion from "./Proportion.ts"
import type { PageMetrics } from "./pages/PageMetrics.ts"
import { testPages } from "./pages/TestPages.ts"
import * as Ratio from "./Ratio.ts"
import { warnings } from "./Warnings.ts"
import { zTest } from "./ZTest.ts"

/** The cost of a look at a page, in characters. */
const worth = 20

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

/** The test that takes each impression for an independent trial; where no rate varies, on adjusted proportions. */
const testImpressions = (cells: DifferenceInDifferences.Cells<Proportion.Cell>, effect: Estimate) => {
  const isAdjusted = effect.variance.numerator === 0n
  if (!isAdjusted) return { ...zTest(effect), isAdjusted }
  const { isSignificant, lower, pValue, upper } = zTest(
    DifferenceInDifferences.effect(DifferenceInDifferences.estimateCells(cells, Proportion.adjusted))
  )
  return { isAdjusted, isSignificant, lower: withinRange(lower), pValue, upper: withinRange(upper) }
}

/**
 * Judges an experiment by the Difference-in-Differences of its conversion rates.
 *
 * The rates, their variances and everything made of them by + − × ÷ are exact fractions, rounded once at the end, so an
 * effect that is zero is reported as 0 and counts near 2^53 lose nothing. Where all four rates are 0 or 1 their variance
 * is zero and the test uses Price and Bonett's adjusted proportions instead; `didEstimator` and `liftPercentage` do not.
 *
 * With pages, whose counts add up to those of the arms, p-value and interval come from how the pages differ among
 * themselves; effect and lift stay as they are.
 *
 * Thousands of pages take a while, so the work is made of steps of some milliseconds at most.
 */
export const analysing = function* (
  control: ArmMetrics,
  treatment: ArmMetrics,
  pages: ReadonlyArray<PageMetrics> = []
): Steps<Analysis> {
  const cells = cellsOf(control, treatment)
  const rates = DifferenceInDifferences.estimateCells(cells, Proportion.binomial)
  const effect = DifferenceInDifferences.effect(rates)
  const counterfactual = DifferenceInDifferences.counterfactual(rates)
  const didEstimator = Ratio.toNumber(effect.value)
  const ofPages = pages.length === 0 ? Option.none() : yield* testPages(pages, didEstimator)
  // The warnings look at each page, as the test did.
  yield worth * pages.length
  const ofImpressions = testImpressions(cells, effect)
  const { isSignificant, lower, pValue, upper } = Option.getOrElse(ofPages, () => ofImpressions)
  return {
    didEstimator,
    liftPercentage:
      counterfactual.value.numerator > 0n
        ? Ratio.toNumber(Ratio.over(Ratio.times(HUNDRED, effect.value), counterfactual.value))
        : 0,
    pValue,
    isSignificant,
    confidenceInterval: [lower, upper],
    method: Option.match(ofPages, { onNone: () => "binomial" as const, onSome: ({ method }) => method }),
    warnings: warnings({
      cells,
      rates,
      counterfactual,
      isAdjusted: Option.isNone(ofPages) && ofImpressions.isAdjusted,
      pValue,
      pages,
      ofPages
    })
  }
}

/** The same in one synchronous step. */
export const analyse = (control: ArmMetrics, treatment: ArmMetrics, pages: ReadonlyArray<PageMetrics> = []): Analysis =>
  finish(analysing(control, treatment, pages))
