import * as Option from "effect/Option"
import { type Steps, sorted } from "../../../foundation/schema/Steps.ts"
import { criticalT, twoSidedP } from "../../../foundation/statistics/Distributions.ts"
import type { PageMetrics } from "./ExperimentMetrics.ts"

/** The counts of all pages in columns, ordered by volume, for thousands of computations of the page tests. */
interface PageTable {
  readonly size: number
  /** 1 for a page of the treatment arm. */
  readonly treated: Uint8Array
  readonly preImpressions: Float64Array
  readonly preConversions: Float64Array
  readonly postImpressions: Float64Array
  readonly postConversions: Float64Array
}

const volume = (page: PageMetrics) => page.preImpressions + page.postImpressions

const rank = ({ arm }: PageMetrics) => (arm === "control" ? 0 : 1)

const byVolume = (a: PageMetrics, b: PageMetrics): number =>
  volume(a) - volume(b) ||
  a.preImpressions - b.preImpressions ||
  a.preConversions - b.preConversions ||
  a.postConversions - b.postConversions ||
  rank(a) - rank(b)

/** The cost of sorting a page, in characters. */
const sorting = 20

/** The pages as a table; their order in the list does not matter. */
const pageTable = function* (pages: ReadonlyArray<PageMetrics>): Steps<PageTable> {
  const size = pages.length
  const table = {
    size,
    treated: new Uint8Array(size),
    preImpressions: new Float64Array(size),
    preConversions: new Float64Array(size),
    postImpressions: new Float64Array(size),
    postConversions: new Float64Array(size)
  }
  for (const [row, page] of (yield* sorted(pages, sorting, byVolume)).entries()) {
    table.treated[row] = page.arm === "treatment" ? 1 : 0
    table.preImpressions[row] = page.preImpressions
    table.preConversions[row] = page.preConversions
    table.postImpressions[row] = page.postImpressions
    table.postConversions[row] = page.postConversions
  }
  return table
}

/** A number of a column; the index must be in the table. */
const at = (column: Float64Array | Uint8Array, index: number): number => column[index] ?? 0

/**
 * The Difference-in-Differences of an arrangement of the pages in two arms, and its variance over pages, under the hypothesis that the change moved the later
 * rate by δ: with δ subtracted from the really treated pages, the effect is `effect − δ·share` and its variance `variance − 2δ·covariance +
 * δ²·shareVariance`.
 */
interface Linearised {
  readonly effect: number
  /** The really treated pages' share of the impressions after the change, in the treatment arm minus in the control arm; 1 for the real arrangement. */
  readonly share: number
  readonly variance: number
  readonly covariance: number
  readonly shareVariance: number
}

interface ArmSums {
  pages: number
  preImpressions: number
  preConversions: number
  postImpressions: number
  postConversions: number
  treatedImpressions: number
}

const none = (): ArmSums => ({
  pages: 0,
  preImpressions: 0,
  preConversions: 0,
  postImpressions: 0,
  postConversions: 0,
  treatedImpressions: 0
})

const sumsOf = (table: PageTable, arms: Uint8Array): readonly [ArmSums, ArmSums] => {
  const control = none()
  const treatment = none()
  for (let page = 0; page < table.size; page++) {
    const sums = at(arms, page) === 1 ? treatment : control
    const postImpressions = at(table.postImpressions, page)
    sums.pages += 1
    sums.preImpressions += at(table.preImpressions, page)
    sums.preConversions += at(table.preConversions, page)
    sums.postImpressions += postImpressions
    sums.postConversions += at(table.postConversions, page)
    sums.treatedImpressions += at(table.treated, page) * postImpressions
  }
  return [control, treatment]
}

const ratesOf = (arm: ArmSums) => ({
  before: arm.preConversions / arm.preImpressions,
  after: arm.postConversions / arm.postImpressions,
  share: arm.treatedImpressions / arm.postImpressions,
  weight: (arm.pages - 1) / arm.pages
})

/** A page with all impressions of its arm has no others to deviate from, so its deviation is 0. */
const perImpression = (deviation: number, others: number) => (others > 0 ? deviation / others : 0)

/**
 * Linearises the two ratios of each arm: a page's part is the loss of the effect without the page, (x₁ − p₁n₁)/(N₁ − n₁) − (x₀ − p₀n₀)/(N₀ − n₀), and the
 * variance is the jackknife's, Σ parts² · (k − 1)/k in each arm (CV3 of J. G. MacKinnon, M. Ø. Nielsen and M. D. Webb, "Cluster-robust inference: a guide to
 * empirical practice", 2023).
 */
const linearise = (table: PageTable, arms: Uint8Array): Linearised => {
  const [control, treatment] = sumsOf(table, arms)
  const ofControl = ratesOf(control)
  const ofTreatment = ratesOf(treatment)
  let variance = 0
  let covariance = 0
  let shareVariance = 0
  for (let page = 0; page < table.size; page++) {
    const isTreatment = at(arms, page) === 1
    const arm = isTreatment ? treatment : control
    const rate = isTreatment ? ofTreatment : ofControl
    const preImpressions = at(table.preImpressions, page)
    const postImpressions = at(table.postImpressions, page)
    const othersBefore = arm.preImpressions - preImpressions
    const othersAfter = arm.postImpressions - postImpressions
    const part =
      perImpression(at(table.postConversions, page) - rate.after * postImpressions, othersAfter) -
      perImpression(at(table.preConversions, page) - rate.before * preImpressions, othersBefore)
    const sharePart = perImpression((at(table.treated, page) - rate.share) * postImpressions, othersAfter)
    variance += rate.weight * part * part
    covariance += rate.weight * part * sharePart
    shareVariance += rate.weight * sharePart * sharePart
  }
  return {
    effect: ofTreatment.after - ofTreatment.before - (ofControl.after - ofControl.before),
    share: ofTreatment.share - ofControl.share,
    variance,
    covariance,
    shareVariance
  }
}

/** The result of a test over pages; `isSignificant` exactly when the interval excludes 0, and exactly when `pValue` is below 0.05. */
export interface PageTest {
  readonly method: "page_clustered" | "page_permutation"
  readonly pValue: number
  readonly isSignificant: boolean
  readonly lower: number
  readonly upper: number
  /** Too few pages for any effect to become significant. */
  readonly isPowerless: boolean
}

const ALPHA = 0.05

/** Differences of rates lie in [−2, 2]. */
const RANGE = 2

/** The double just below 0.05. */
const BELOW_ALPHA = 0.049999999999999996

/**
 * Tests the effect against its jackknife standard error over pages, by Student's t with one degree of freedom less than the smaller arm has pages. The
 * interval decides significance; a p-value with disagreeing last bits moves to its side of 0.05.
 */
const clusteredTest = ({ variance }: Linearised, effect: number, pages: number): PageTest => {
  const error = Math.sqrt(variance)
  const margin = criticalT(pages - 1) * error
  const lower = effect - margin
  const upper = effect + margin
  const isSignificant = lower > 0 || upper < 0
  const p = twoSidedP(effect / error, pages - 1)
  return {
    method: "page_clustered",
    pValue: isSignificant ? Math.min(p, BELOW_ALPHA) : Math.max(p, ALPHA),
    isSignificant,
    lower,
    upper,
    isPowerless: false
  }
}

const words = (value: number): readonly [number, number] => [value >>> 0, Math.floor(value / 4_294_967_296) >>> 0]

/** FNV-1a over the halves of whole numbers up to 2^53. */
const hash = (columns: ReadonlyArray<Float64Array>): number => {
  let state = 0x811c9dc5
  for (const column of columns)
    for (const value of column)
      for (const word of words(value)) {
        state = Math.imul(state ^ word, 0x01000193)
        state ^= state >>> 15
      }
  return state >>> 0
}

/** C. Doty-Humphrey's generator sfc32, seeded: numbers from 0 to 1, equal for equal seeds on every machine. */
export const seededRandom = (seed: number): (() => number) => {
  let a = seed | 0
  let b = 0x9e3779b9 | 0
  let c = 0x243f6a88
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 4_294_967_296
  }
  for (let round = 0; round < 15; round++) next()
  return next
}

/** Minimum pages of a stratum, and maximum strata. */
const smallest = 10
const most = 10

/** Start of each stratum of the pages, which are ordered by volume; the last number is the end. */
const strataOf = ({ size }: PageTable): ReadonlyArray<number> => {
  const count = Math.max(1, Math.min(most, Math.floor(size / smallest)))
  return Array.from({ length: count + 1 }, (_, index) => Math.round((index * size) / count))
}

/** Shuffles the arms within each stratum, in place. */
const shuffleWithin = (strata: ReadonlyArray<number>, arms: Uint8Array, random: () => number): void => {
  for (let stratum = 1; stratum < strata.length; stratum++) {
    const from = strata[stratum - 1] ?? 0
    for (let last = (strata[stratum] ?? 0) - 1; last > from; last--) {
      const other = from + Math.floor(random() * (last - from + 1))
      const arm = at(arms, last)
      arms[last] = at(arms, other)
      arms[other] = arm
    }
  }
}

const logChoose = (n: number, k: number): number => {
  let log = 0
  for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i)
  return log
}

/** ln of the number of ways to assign the pages of each stratum to the arms. */
const logArrangements = (strata: ReadonlyArray<number>, treated: Uint8Array): number =>
  strata.slice(1).reduce((log, end, index) => {
    const arms = treated.subarray(strata[index], end)
    const treatment = arms.reduce((sum, arm) => sum + arm, 0)
    return log + logChoose(arms.length, Math.min(treatment, arms.length - treatment))
  }, 0)

/**
 * Number of arrangements including the real one: 1,000, so that a p-value is a whole number of thousandths; half of that for thousands of pages, which take
 * long.
 */
const arrangements = ({ size }: PageTable) => (size > 2_000 ? 500 : 1_000)

/** t² of an arrangement under the hypothesis of an effect of δ; an arrangement without variance counts as extreme. */
const squaredT = ({ covariance, effect, share, shareVariance, variance }: Linearised, delta: number): number => {
  const change = effect - delta * share
  const spread = variance - 2 * delta * covariance + delta * delta * shareVariance
  if (change === 0) return 0
  return spread > 0 ? (change * change) / spread : Number.POSITIVE_INFINITY
}

/** Tolerance for ties: rounding must not decide between equal arrangements. */
const TIE = 1 - 1e-9

/** Number of arrangements at least as extreme as the real one, which counts too; counting ends at `enough`. */
const extremeAt = (
  real: Linearised,
  permuted: ReadonlyArray<Linearised>,
  delta: number,
  enough = Number.POSITIVE_INFINITY
): number => {
  const observed = squaredT(real, delta) * TIE
  let extreme = 1
  for (const arrangement of permuted) {
    // With this negation, NaN (an arm without impressions) counts as extreme.
    if (!(squaredT(arrangement, delta) < observed)) extreme += 1
    if (extreme >= enough) break
  }
  return extreme
}

/** The last accepted effect between an accepted and a rejected one. */
const boundary = (isAccepted: (delta: number) => boolean, accepted: number, rejected: number): number => {
  let inside = accepted
  let outside = rejected
  for (let halving = 0; halving < 50; halving++) {
    const middle = (inside + outside) / 2
    if (middle === inside || middle === outside) break
    if (isAccepted(middle)) inside = middle
    else outside = middle
  }
  return inside
}

/**
 * Tests by reassigning the pages to the arms, within strata of similar volume: without an effect each arrangement is equally likely (R. A. Fisher 1935; with
 * a studentised statistic as in E. Chung and J. P. Romano, "Exact and asymptotically robust permutation tests", 2013). The interval is the inverted test: the
 * effects that the test does not reject. Each arrangement is a step.
 */
const permutationTest = function* (table: PageTable, effect: number): Steps<PageTest> {
  const strata = strataOf(table)
  const counts = [table.preImpressions, table.preConversions, table.postImpressions, table.postConversions]
  const random = seededRandom(hash(counts))
  const arms = Uint8Array.from(table.treated)
  const real = linearise(table, table.treated)
  const permuted: Array<Linearised> = []
  for (let dealt = 1; dealt < arrangements(table); dealt++) {
    shuffleWithin(strata, arms, random)
    permuted.push(linearise(table, arms))
    yield 4 * table.size
  }
  const total = permuted.length + 1
  /** The number for a p-value of 0.05. */
  const enough = ALPHA * total
  const isAccepted = (delta: number) => extremeAt(real, permuted, delta, enough) >= enough
  const pValue = extremeAt(real, permuted, 0) / total
  const isSignificant = pValue < ALPHA
  /** An interval's end between the estimate and `limit`; the p-value decides on which side of 0 the end is. */
  const end = (limit: number): number => {
    const passesZero = limit < 0 ? effect > 0 : effect < 0
    if (passesZero && isSignificant) return boundary(isAccepted, effect, 0)
    if (isAccepted(limit)) return limit
    return boundary(isAccepted, passesZero ? 0 : effect, limit)
  }
  return {
    method: "page_permutation",
    pValue,
    isSignificant,
    lower: end(-RANGE),
    upper: end(RANGE),
    // If the arms have equal sizes, at least two arrangements are as extreme as the real one.
    isPowerless: logArrangements(strata, table.treated) <= Math.log(2 / ALPHA)
  }
}

/** From this many pages per arm on, the linearised ratio follows Student's t well enough, even with skewed traffic: `bun run campaign simulate` shows it. */
const enoughForT = 50

const smallerArm = ({ size, treated }: PageTable): number => {
  const treatment = treated.reduce((sum, arm) => sum + arm, 0)
  return Math.min(treatment, size - treatment)
}

/** Tests an effect with pages as clusters; none if all pages are equal. */
export const testPages = function* (pages: ReadonlyArray<PageMetrics>, effect: number): Steps<Option.Option<PageTest>> {
  const table = yield* pageTable(pages)
  yield 20 * table.size
  const real = linearise(table, table.treated)
  if (!(real.variance > 0)) return Option.none()
  const smaller = smallerArm(table)
  return Option.some(
    smaller < enoughForT ? yield* permutationTest(table, effect) : clusteredTest(real, effect, smaller)
  )
}
