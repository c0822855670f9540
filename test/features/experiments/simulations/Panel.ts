import type { Counts } from "../../../../src/features/experiments/statistics/ExperimentMetrics.ts"
import { ArmMetrics, PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import type { Random } from "./Random.ts"

/** A world of pages for an experiment. */
export interface World {
  readonly pagesAnArm: number
  /** Approximate impressions of a group in a period. */
  readonly impressions: number
  /** Standard deviation of the logarithm of the pages' traffic: 1 gives the largest tenth of pages two fifths of it. */
  readonly skew: number
}

const days = 28
/** Mean conversion rate of the pages, and the spread of their own rates: the intraclass correlation of the beta-binomial. */
const rate = 0.04
const correlation = 0.01
/** Day-to-day noise of a page, of its traffic and of its rate: standard deviation of the logarithm, and correlation from day to day. */
const noise = 0.25
const memory = 0.6
/** The growth of all rates from the first day to the last. */
const drift = 0.2
/** The effect of the working change, relative to the rate. */
export const lift = 0.1

/** An idle change, and the same counts with the conversions of a change of +10 %. */
export interface Panel {
  readonly idle: ReadonlyArray<PageMetrics>
  readonly working: ReadonlyArray<PageMetrics>
}

/** The effect of the working change in the population of pages: own rates and noise have mean 1, the drift is that of the days after. */
export const truth = lift * rate * (1 + (drift * (1.5 * days - 0.5)) / (2 * days))

const trusted = { disableValidation: true } as const

/** Draws a panel: pages with rates and traffic of their own, whose days resemble each other and drift together. */
export const drawPanel = (random: Random, { impressions, pagesAnArm, skew }: World): Panel => {
  const size = 2 * pagesAnArm
  const traffic = Array.from({ length: size }, () => Math.exp(skew * random.normal()))
  const perDay = (2 * impressions) / days / traffic.reduce((sum, weight) => sum + weight, 0)
  const innovation = noise * Math.sqrt(1 - memory * memory)
  const spread = 1 / correlation - 1
  const idle: Array<PageMetrics> = []
  const working: Array<PageMetrics> = []
  traffic.forEach((weight, index) => {
    const isTreated = index >= pagesAnArm
    const own = random.beta(rate * spread, (1 - rate) * spread)
    const counts = { preImpressions: 0, postImpressions: 0, preConversions: 0, postConversions: 0 }
    let extra = 0
    let ofRate = noise * random.normal()
    let ofTraffic = noise * random.normal()
    for (let day = 0; day < 2 * days; day++) {
      ofRate = memory * ofRate + innovation * random.normal()
      ofTraffic = memory * ofTraffic + innovation * random.normal()
      const seen = random.poisson(weight * perDay * Math.exp(ofTraffic - (noise * noise) / 2))
      const today = Math.min(0.9, own * Math.exp(ofRate - (noise * noise) / 2) * (1 + (drift * day) / (2 * days)))
      const converted = random.binomial(seen, today)
      if (day < days) {
        counts.preImpressions += seen
        counts.preConversions += converted
        continue
      }
      counts.postImpressions += seen
      counts.postConversions += converted
      if (!isTreated) continue
      // The share of non-converting visitors that convert at 1.1 times the rate.
      extra += random.binomial(seen - converted, (lift * today) / (1 - today))
    }
    const arm = isTreated ? "treatment" : "control"
    idle.push(PageMetrics.make({ arm, ...counts }, trusted))
    working.push(PageMetrics.make({ arm, ...counts, postConversions: counts.postConversions + extra }, trusted))
  })
  return { idle, working }
}

/** The sums of the pages of a group. */
export const armOf = (arm: PageMetrics["arm"], pages: ReadonlyArray<PageMetrics>) => {
  const total = (name: keyof Counts) => pages.reduce((sum, page) => (page.arm === arm ? sum + page[name] : sum), 0)
  return ArmMetrics.make({
    preImpressions: total("preImpressions"),
    postImpressions: total("postImpressions"),
    preConversions: total("preConversions"),
    postConversions: total("postConversions")
  })
}
