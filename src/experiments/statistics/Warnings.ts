import type { Cells } from "./DifferenceInDifferences.ts"
import type { Estimate } from "./Estimate.ts"
import type { Cell } from "./Proportion.ts"
import * as Ratio from "./Ratio.ts"
import { reachesZero } from "./ZTest.ts"

/** What the warnings about an analysis are derived from. */
export interface Evidence {
  readonly cells: Cells<Cell>
  readonly rates: Cells<Estimate>
  readonly counterfactual: Estimate
  readonly isAdjusted: boolean
  readonly pValue: number
}

/** Below this many conversions, or non-conversions, a binomial count is too skewed for the normal distribution. */
const FEW_EVENTS = 5n

const ZERO = Ratio.make(0n, 1n)
const ONE = Ratio.make(1n, 1n)
const TWO = Ratio.make(2n, 1n)

const zeroVariance = ({ isAdjusted }: Evidence) =>
  isAdjusted
    ? "Every rate is exactly 0 or 1, so the binomial standard error is 0: pValue and confidenceInterval come from the Price-Bonett adjustment (x+½)/(n+1), and the interval, centred on the adjusted estimate, may not contain didEstimator."
    : undefined

const fewEvents = ({ cells }: Evidence) => {
  const named: ReadonlyArray<readonly [string, Cell]> = [
    ["controlMetrics.preConversions", cells.controlPre],
    ["controlMetrics.postConversions", cells.controlPost],
    ["treatmentMetrics.preConversions", cells.treatmentPre],
    ["treatmentMetrics.postConversions", cells.treatmentPost]
  ]
  const few = named.filter(
    ([, cell]) => cell.conversions < FEW_EVENTS || cell.impressions - cell.conversions < FEW_EVENTS
  )
  return few.length > 0
    ? `Fewer than 5 conversions, or fewer than 5 impressions without one, in ${few.map(([name]) => name).join(", ")}: the normal approximation behind pValue and confidenceInterval is weak.`
    : undefined
}

const underflow = ({ pValue }: Evidence) =>
  pValue === 0
    ? "The p-value is smaller than the smallest positive number a 64-bit float can hold and is reported as 0."
    : undefined

const unequalBaselines = ({ rates }: Evidence) => {
  const control = rates.controlPre.value
  const treatment = rates.treatmentPre.value
  const [low, high] = Ratio.compare(control, treatment) < 0 ? [control, treatment] : [treatment, control]
  return Ratio.compare(high, Ratio.times(TWO, low)) > 0
    ? "The arms' rates before the change differ by more than a factor of two: that both would have moved by the same number of percentage points is doubtful."
    : undefined
}

const counterfactualRate = ({ counterfactual }: Evidence) => {
  if (Ratio.compare(counterfactual.value, ZERO) <= 0) {
    return "The counterfactual rate pT0 + pC1 − pC0 is not positive: a relative lift is undefined and liftPercentage is reported as 0."
  }
  if (Ratio.compare(counterfactual.value, ONE) > 0) {
    return "The counterfactual rate pT0 + pC1 − pC0 is above 1, which no rate can be: liftPercentage compares with an impossible rate."
  }
  return reachesZero(counterfactual)
    ? "The counterfactual rate pT0 + pC1 − pC0 cannot be told from 0 at the 95 % level: liftPercentage may be far from the true lift."
    : undefined
}

const parallelTrends = () =>
  "The estimate assumes parallel trends: without the change both arms would have moved alike. One pair of periods cannot test that."

const independence = () =>
  "The test treats impressions as independent trials. Impressions of the same queries, pages and days are not, so the true uncertainty is at least what confidenceInterval shows."

/** The sentences that say what weakens a verdict: first those about these counts, then the two that hold for every analysis. */
export const warnings = (evidence: Evidence): ReadonlyArray<string> =>
  [zeroVariance, fewEvents, underflow, unequalBaselines, counterfactualRate, parallelTrends, independence].flatMap(
    (rule) => rule(evidence) ?? []
  )
