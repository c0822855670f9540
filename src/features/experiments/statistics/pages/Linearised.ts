import { at, type PageTable } from "./PageTable.ts"

/**
 * The Difference-in-Differences of an arrangement of the pages in two arms, and the variance of it over pages, both under the hypothesis that the
 * change moved the rate after it by δ: with δ taken off the pages that really were treated, the effect is `effect − δ·share` and its variance
 * `variance − 2δ·covariance + δ²·shareVariance`.
 */
export interface Linearised {
  readonly effect: number
  /** The treated pages' share of the impressions after the change: in the one arm less in the other. 1 for the real arrangement. */
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

/** A page that has all impressions of its arm says nothing about the others: it deviates from nothing. */
const perImpression = (deviation: number, others: number) => (others > 0 ? deviation / others : 0)

/**
 * Linearises the two ratios of each arm: a page's part in the effect is what the effect would lose without it,
 * (x₁ − p₁n₁)/(N₁ − n₁) − (x₀ − p₀n₀)/(N₀ − n₀), and the variance is the jackknife's, Σ parts² · (k − 1)/k in each arm
 * (CV3 of J. G. MacKinnon, M. Ø. Nielsen and M. D. Webb, "Cluster-robust inference: a guide to empirical practice", 2023).
 */
export const linearise = (table: PageTable, arms: Uint8Array): Linearised => {
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
