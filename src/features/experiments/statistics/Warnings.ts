import * as Option from "effect/Option"
import type { Cells } from "./DifferenceInDifferences.ts"
import type { Estimate } from "./Estimate.ts"
import type { Cell } from "./Proportion.ts"
import type { PageMetrics } from "./pages/PageMetrics.ts"
import type { PageTest } from "./pages/PageTest.ts"
import * as Ratio from "./Ratio.ts"
import { reachesZero } from "./ZTest.ts"

/** The input of the warnings about an analysis. */
interface Evidence {
  readonly cells: Cells<Cell>
  readonly rates: Cells<Estimate>
  readonly counterfactual: Estimate
  readonly isAdjusted: boolean
  readonly pValue: number
  readonly pages: ReadonlyArray<PageMetrics>
  /** The test over pages, where there was one. */
  readonly ofPages: Option.Option<PageTest>
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

const fewEvents = ({ cells, ofPages }: Evidence) => {
  if (Option.exists(ofPages, ({ method }) => method === "page_permutation")) return undefined
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
    ? "The p-value is smaller than the smallest positive number a 64-bit float can represent and is reported as 0."
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
    ? "The counterfactual rate pT0 + pC1 − pC0 is not distinguishable from 0 at the 95 % level: liftPercentage may be far from the true lift."
    : undefined
}

const parallelTrends = () =>
  "The estimate assumes parallel trends: without the change both arms would have moved alike. One pair of periods cannot test that."

/** From this many impressions in a cell, the noise of whole pages and days outweighs that of single impressions. */
const MANY_IMPRESSIONS = 10_000n

const alikePages = ({ ofPages, pages }: Evidence) =>
  pages.length > 0 && Option.isNone(ofPages)
    ? "The pages of each arm do not differ from one another, so nothing can be learned from them: pValue and confidenceInterval are those of the test without pages."
    : undefined

const fewPages = ({ ofPages }: Evidence) =>
  Option.exists(ofPages, ({ isPowerless }) => isPowerless)
    ? "The pages are too few to distinguish any effect from chance: hardly another arrangement of them in two arms exists. Send more pages."
    : undefined

const dominantPage = ({ cells, ofPages, pages }: Evidence) => {
  const isMost = (part: number, whole: Cell) => 2 * part > whole.impressions
  const dominates = ({ arm, postImpressions, preImpressions }: PageMetrics) =>
    arm === "control"
      ? isMost(preImpressions, cells.controlPre) || isMost(postImpressions, cells.controlPost)
      : isMost(preImpressions, cells.treatmentPre) || isMost(postImpressions, cells.treatmentPost)
  return Option.isSome(ofPages) && pages.some(dominates)
    ? "One page has most of the impressions of its arm: the verdict depends on it, and the others do not show how far such a page strays by chance."
    : undefined
}

const repeatedPages = ({ pages }: Evidence) => {
  const names = pages.flatMap(({ page }) => page ?? [])
  return new Set(names).size < names.length
    ? "A page is listed more than once: its lines depend on each other, and pValue is then too small."
    : undefined
}

const independentPages = ({ ofPages }: Evidence) =>
  Option.isSome(ofPages)
    ? "The test treats pages as independent of one another, as if each had been assigned to its arm at random. An influence on one arm alone, such as a release or a season of its subject, is not part of the uncertainty that confidenceInterval shows."
    : undefined

const noise = ({ cells, ofPages }: Evidence) =>
  Option.isNone(ofPages) && Object.values(cells).some(({ impressions }: Cell) => impressions >= MANY_IMPRESSIONS)
    ? "With 10,000 or more impressions in a cell the ordinary day-to-day noise of pages can look significant to this test: send `pages`, the counts of each page of both arms, and it is taken into account."
    : undefined

const independence = ({ ofPages }: Evidence) =>
  Option.isNone(ofPages)
    ? "The test treats impressions as independent trials. Impressions of the same queries, pages and days are not, so the true uncertainty is at least what confidenceInterval shows."
    : undefined

const rules = [
  alikePages,
  zeroVariance,
  fewEvents,
  fewPages,
  dominantPage,
  repeatedPages,
  underflow,
  unequalBaselines,
  counterfactualRate,
  parallelTrends,
  noise,
  independentPages,
  independence
]

/** The sentences that say what weakens a verdict: first those about these counts, then the assumptions behind every analysis of its kind. */
export const warnings = (evidence: Evidence): ReadonlyArray<string> => rules.flatMap((rule) => rule(evidence) ?? [])
