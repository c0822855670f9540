import * as Option from "effect/Option"
import { finish, type Steps } from "../../../foundation/schema/Steps.ts"
import type { Analysis } from "./Analysis.ts"
import type { ArmMetrics, PageMetrics } from "./ExperimentMetrics.ts"
import { type PageTest, testPages } from "./PageTest.ts"
import * as Ratio from "./Ratio.ts"

/** An estimated rate, or a difference of rates, with the variance of that estimate; both exact. */
interface Estimate {
  readonly value: Ratio.Ratio
  readonly variance: Ratio.Ratio
}

/** The sum of two independent estimates. */
const plus = (a: Estimate, b: Estimate): Estimate => ({
  value: Ratio.plus(a.value, b.value),
  variance: Ratio.plus(a.variance, b.variance)
})

/** The difference of two independent estimates: values subtract, variances add. */
const minus = (a: Estimate, b: Estimate): Estimate => ({
  value: Ratio.minus(a.value, b.value),
  variance: Ratio.plus(a.variance, b.variance)
})

/** One arm in one period: `conversions` out of at least one `impressions`. */
interface Cell {
  readonly conversions: bigint
  readonly impressions: bigint
}

/** The binomial proportion p = x/n with its variance p(1−p)/n. */
export const binomial = ({ conversions, impressions }: Cell): Estimate => ({
  value: Ratio.make(conversions, impressions),
  variance: Ratio.make(conversions * (impressions - conversions), impressions ** 3n)
})

/**
 * The adjusted proportion p̃ = (x+½)/(n+1) with variance p̃(1−p̃)/(n+1), which is never zero: R. M. Price and D. G. Bonett,
 * "An improved confidence interval for a linear function of binomial proportions" (2004), for a contrast of four.
 */
const adjusted = ({ conversions, impressions }: Cell): Estimate => {
  const trials = 2n * (impressions + 1n)
  const successes = 2n * conversions + 1n
  return {
    value: Ratio.make(successes, trials),
    variance: Ratio.make(2n * successes * (trials - successes), trials ** 3n)
  }
}

/** A value for each of the four cells of a two-arm, two-period experiment. */
interface Cells<A> {
  readonly controlPre: A
  readonly controlPost: A
  readonly treatmentPre: A
  readonly treatmentPost: A
}

/** The estimates of the four cells by one estimator of a proportion. */
const estimateCells = (cells: Cells<Cell>, proportion: (cell: Cell) => Estimate): Cells<Estimate> => ({
  controlPre: proportion(cells.controlPre),
  controlPost: proportion(cells.controlPost),
  treatmentPre: proportion(cells.treatmentPre),
  treatmentPost: proportion(cells.treatmentPost)
})

/** The treatment's change less the control's: (pT1 − pT0) − (pC1 − pC0). */
const didEffect = (rates: Cells<Estimate>): Estimate =>
  minus(minus(rates.treatmentPost, rates.treatmentPre), minus(rates.controlPost, rates.controlPre))

/** The treatment's rate with the control's change: pT0 + (pC1 − pC0). */
const expectedRate = (rates: Cells<Estimate>): Estimate =>
  plus(rates.treatmentPre, minus(rates.controlPost, rates.controlPre))

/** Enough for full precision from x = 1 on, where the fraction converges slowest. */
const FRACTION_TERMS = 200

/** From here on erfc(x) is below half the smallest double. */
const UNDERFLOW = 27.3

/** The power series of DLMF 7.6.2 (Abramowitz & Stegun 7.1.6): all terms are positive, so nothing cancels. */
const erfBySeries = (x: number): number => {
  let term = x
  let sum = x
  for (let n = 1; term > sum * Number.EPSILON * 0.1; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/** √π·exp(x²)·erfc(x) by the continued fraction of Abramowitz & Stegun 7.1.14 (DLMF 7.9.1), evaluated from its end. */
const scaledByFraction = (x: number): number => {
  let tail = x
  for (let n = FRACTION_TERMS; n > 0; n--) tail = x + n / 2 / tail
  return 1 / tail
}

const erfcByFraction = (x: number): number => {
  // exp() turns an absolute error of x² into a relative one: with 24 bits in `head`, head² is exact and the rest is small.
  const head = Math.fround(x)
  const exponential = Math.exp(-head * head) * Math.exp((head - x) * (head + x))
  return (exponential * scaledByFraction(x)) / Math.sqrt(Math.PI)
}

/** The complementary error function, 2/√π·∫ₓ^∞ exp(−t²)dt, with a relative error below 1e-14 while it is a normal double. */
export const erfc = (x: number): number => {
  if (x < 0) return 2 - erfc(-x)
  if (x < 1) return 1 - erfBySeries(x)
  return x > UNDERFLOW ? 0 : erfcByFraction(x)
}

/** The 0.975 quantile of the standard normal distribution, 1.959963984540054 as a double, here to 36 digits. */
const CRITICAL = Ratio.make(1_959963984540054235524594430520551529n, 10n ** 36n)

const ALPHA = 0.05

/** The double just below 0.05. */
const BELOW_ALPHA = 0.049999999999999996

/** The two-sided test of "no effect" at the 5 % level, with its 95 % interval. */
interface ZTest {
  readonly pValue: number
  readonly isSignificant: boolean
  readonly lower: number
  readonly upper: number
}

/** Half the width of the 95 % interval of an estimate with a variance above zero. */
const margin = ({ variance }: Estimate): Ratio.Ratio => Ratio.times(CRITICAL, Ratio.squareRoot(variance))

/** p = erfc(|z|/√2) with z = value/√variance: computed from z²/2, which is exact, so only one root is rounded. */
const twoSidedP = ({ value, variance }: Estimate): number =>
  erfc(Math.sqrt(Ratio.toNumber(Ratio.over(Ratio.times(value, value), Ratio.plus(variance, variance)))))

/** Whether the 95 % interval of a positive estimate reaches zero. */
export const reachesZero = (estimate: Estimate): boolean =>
  estimate.variance.numerator > 0n && Ratio.compare(estimate.value, margin(estimate)) <= 0

/**
 * Tests an estimate with a variance above zero.
 *
 * "p < 0.05" and "the interval excludes 0" are one statement in mathematics and two in floating point, so the interval before rounding decides; a p-value
 * with a disagreeing last bit moves to its side of 0.05.
 */
export const zTest = (estimate: Estimate): ZTest => {
  const half = margin(estimate)
  const lower = Ratio.minus(estimate.value, half)
  const upper = Ratio.plus(estimate.value, half)
  const isSignificant = lower.numerator > 0n || upper.numerator < 0n
  const p = twoSidedP(estimate)
  return {
    pValue: isSignificant ? Math.min(p, BELOW_ALPHA) : Math.max(p, ALPHA),
    isSignificant,
    lower: Ratio.toNumber(lower),
    upper: Ratio.toNumber(upper)
  }
}

/** The input of the warnings about an analysis. */
interface Evidence {
  readonly cells: Cells<Cell>
  readonly rates: Cells<Estimate>
  readonly counterfactual: Estimate
  readonly isAdjusted: boolean
  readonly pValue: number
  readonly pages: ReadonlyArray<PageMetrics>
  /** The test over pages, if there was one. */
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
    ? "Before the change, the rates of test and control differ by more than a factor of two, so equal changes in percentage points are doubtful."
    : undefined
}

/** Impressions may diverge by a fifth; |ln(treatment after ÷ before ÷ (control after ÷ before))| is then ln 1.2. */
const APART = { numerator: 12n, denominator: 10n }

const grown = (before: Cell, after: Cell) =>
  `×${(Number(after.impressions) / Number(before.impressions)).toPrecision(3)}`

const movedApart = ({ cells: { controlPost, controlPre, treatmentPost, treatmentPre } }: Evidence) => {
  const treatment = treatmentPost.impressions * controlPre.impressions
  const control = controlPost.impressions * treatmentPre.impressions
  const [less, more] = treatment < control ? [treatment, control] : [control, treatment]
  return APART.denominator * more > APART.numerator * less
    ? `Impressions of test and control developed differently (treatment ${grown(treatmentPre, treatmentPost)}, control ${grown(controlPre, controlPost)}): a different audience may explain the change of the rates.`
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
    ? "The counterfactual rate pT0 + pC1 − pC0 is not distinguishable from 0 at the 95% level: liftPercentage may be far from the true lift."
    : undefined
}

const parallelTrends = () =>
  "The estimate assumes parallel trends: without the change, test and control would have developed alike. One pair of periods cannot test that."

/** From this many impressions in a cell on, the noise of whole pages and days outweighs the noise of single impressions. */
const MANY_IMPRESSIONS = 10_000n

const alikePages = ({ ofPages, pages }: Evidence) =>
  pages.length > 0 && Option.isNone(ofPages)
    ? "The pages within each group are identical, so they add no information: pValue and confidenceInterval come from the test without pages."
    : undefined

const fewPages = ({ ofPages }: Evidence) =>
  Option.exists(ofPages, ({ isPowerless }) => isPowerless)
    ? "Too few pages to distinguish an effect from chance: send more pages."
    : undefined

const dominantPage = ({ cells, ofPages, pages }: Evidence) => {
  const isMost = (part: number, whole: Cell) => 2 * part > whole.impressions
  const dominates = ({ arm, postImpressions, preImpressions }: PageMetrics) =>
    arm === "control"
      ? isMost(preImpressions, cells.controlPre) || isMost(postImpressions, cells.controlPost)
      : isMost(preImpressions, cells.treatmentPre) || isMost(postImpressions, cells.treatmentPost)
  return Option.isSome(ofPages) && pages.some(dominates)
    ? "One page has most of the impressions of its group, so the result depends on it, and the other pages do not show how much such a page varies by chance."
    : undefined
}

const repeatedPages = ({ pages }: Evidence) => {
  const names = pages.flatMap(({ page }) => page ?? [])
  return new Set(names).size < names.length
    ? "A page is listed more than once, so its rows are not independent and pValue is too small."
    : undefined
}

const independentPages = ({ ofPages }: Evidence) =>
  Option.isSome(ofPages)
    ? "The test treats pages as randomly assigned and independent. Other influences on only one group, such as a release or a season, are not part of confidenceInterval."
    : undefined

const noise = ({ cells, ofPages }: Evidence) =>
  Option.isNone(ofPages) && Object.values(cells).some(({ impressions }: Cell) => impressions >= MANY_IMPRESSIONS)
    ? "High-traffic test: results may look significant by chance. Send counts by page (`pages`) for a more reliable p-value."
    : undefined

const independence = ({ ofPages }: Evidence) =>
  Option.isNone(ofPages)
    ? "The test treats impressions as independent trials. Impressions of the same queries, pages and days are not independent, so the true uncertainty is at least what confidenceInterval shows."
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
  movedApart,
  counterfactualRate,
  parallelTrends,
  noise,
  independentPages,
  independence
]

/** The limitations of a result: first of these counts, then of every analysis of its kind. */
const warnings = (evidence: Evidence): ReadonlyArray<string> => rules.flatMap((rule) => rule(evidence) ?? [])

/** The cost of checking a page, in characters. */
const worth = 20

const HUNDRED = Ratio.make(100n, 1n)

const cell = (conversions: number, impressions: number): Cell => ({
  conversions: BigInt(conversions),
  impressions: BigInt(impressions)
})

const cellsOf = (control: ArmMetrics, treatment: ArmMetrics): Cells<Cell> => ({
  controlPre: cell(control.preConversions, control.preImpressions),
  controlPost: cell(control.postConversions, control.postImpressions),
  treatmentPre: cell(treatment.preConversions, treatment.preImpressions),
  treatmentPost: cell(treatment.postConversions, treatment.postImpressions)
})

/** Differences of rates lie in [−2, 2]; the adjusted interval of a tiny sample can reach beyond. */
const withinRange = (bound: number) => Math.min(2, Math.max(-2, bound))

/** Tests with each impression as an independent trial; uses adjusted proportions if no rate varies. */
const testImpressions = (cells: Cells<Cell>, effect: Estimate) => {
  const isAdjusted = effect.variance.numerator === 0n
  if (!isAdjusted) return { ...zTest(effect), isAdjusted }
  const { isSignificant, lower, pValue, upper } = zTest(didEffect(estimateCells(cells, adjusted)))
  return { isAdjusted, isSignificant, lower: withinRange(lower), pValue, upper: withinRange(upper) }
}

/**
 * Evaluates an experiment by the Difference-in-Differences of its conversion rates.
 *
 * The rates, their variances and all sums, products and quotients are exact fractions, rounded once at the end, so a zero effect is reported as 0 and counts
 * near 2^53 lose nothing. If all four rates are 0 or 1, their variance is zero and the test uses Price and Bonett's adjusted proportions instead;
 * `didEstimator` and `liftPercentage` do not.
 *
 * With pages, which add up to the arms, p-value and interval come from the differences between pages; effect and lift do not change.
 *
 * Thousands of pages take long, so the work has steps of a few milliseconds.
 */
export const analysing = function* (
  control: ArmMetrics,
  treatment: ArmMetrics,
  pages: ReadonlyArray<PageMetrics> = []
): Steps<Analysis> {
  const cells = cellsOf(control, treatment)
  const rates = estimateCells(cells, binomial)
  const effect = didEffect(rates)
  const counterfactual = expectedRate(rates)
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

/** Evaluates in one synchronous step. */
export const analyse = (control: ArmMetrics, treatment: ArmMetrics, pages: ReadonlyArray<PageMetrics> = []): Analysis =>
  finish(analysing(control, treatment, pages))
