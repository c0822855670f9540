import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { analyse } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { arms, cells } from "./Metrics.ts"
import type { FourCounts } from "./Precise.ts"

const warningsOf = (counts: FourCounts) => {
  const { control, treatment } = arms(counts)
  return analyse(control, treatment).warnings
}

const every = (impressions: number, c0: number, c1: number, t0: number, t1: number): FourCounts => [
  { impressions, conversions: c0 },
  { impressions, conversions: c1 },
  { impressions, conversions: t0 },
  { impressions, conversions: t1 }
]

/** What a reader would search for, in the order in which warnings appear. */
const topics = {
  zeroVariance: /standard error is 0.*Price-Bonett/,
  fewEvents: /normal approximation.*weak/,
  underflow: /p-value.*reported as 0/,
  baselines: /factor of two/,
  notPositive: /not positive.*liftPercentage is reported as 0/,
  aboveOne: /above 1/,
  unstable: /is not distinguishable from 0/,
  parallelTrends: /parallel trends/,
  noise: /day-to-day noise.*`pages`/,
  independence: /independent trials/
}

const topicsOf = (counts: FourCounts) =>
  warningsOf(counts).map((sentence) => Object.entries(topics).find(([, topic]) => topic.test(sentence))?.[0])

const always = ["parallelTrends", "independence"]
/** From 10,000 impressions in a cell on. */
const alwaysOfMany = ["parallelTrends", "noise", "independence"]

describe("an analysis warns", () => {
  test("of parallel trends and independence even when all else is well", () => {
    expect(topicsOf(every(9_999, 500, 525, 500, 650))).toEqual(always)
  })

  test("of noise that can look significant, and what to send, from 10,000 impressions in a cell on", () => {
    expect(topicsOf(every(10_000, 500, 525, 500, 650))).toEqual(alwaysOfMany)
  })

  test("of fewer than five conversions, naming the fields", () => {
    const counts = every(1000, 4, 5, 5, 2)
    expect(topicsOf(counts)).toEqual(["fewEvents", "unstable", ...always])
    expect(warningsOf(counts)[0]).toContain("controlMetrics.preConversions, treatmentMetrics.postConversions:")
  })

  test("of fewer than five impressions without a conversion", () => {
    expect(topicsOf(every(1000, 995, 995, 995, 996))).toEqual(["fewEvents", ...always])
    expect(topicsOf(every(1000, 995, 995, 995, 995))).toEqual(always)
  })

  test("of zero variance", () => {
    expect(topicsOf(every(1000, 1000, 1000, 1000, 1000))).toEqual(["zeroVariance", "fewEvents", ...always])
  })

  test("of a p-value that no double can hold", () => {
    expect(topicsOf(every(1e9, 1e8, 1e8, 1e8, 1.2e8))).toEqual(["underflow", ...alwaysOfMany])
  })

  test("of baselines more than a factor of two apart, on either side", () => {
    expect(topicsOf(every(9_000, 201, 201, 100, 150))).toEqual(["baselines", ...always])
    expect(topicsOf(every(9_000, 100, 150, 201, 201))).toEqual(["baselines", ...always])
    expect(topicsOf(every(9_000, 100, 150, 200, 200))).toEqual(always)
  })

  test("of a counterfactual that is zero or below", () => {
    expect(topicsOf(every(1000, 100, 50, 50, 40))).toEqual(["notPositive", ...always])
    expect(topicsOf(every(1000, 100, 50, 49, 40))).toEqual(["baselines", "notPositive", ...always])
    expect(topicsOf(every(1000, 100, 40, 50, 40))).toEqual(["notPositive", ...always])
  })

  test("of a counterfactual above one", () => {
    expect(topicsOf(every(100, 40, 80, 70, 90))).toEqual(["aboveOne", ...always])
  })

  test("of a positive counterfactual that chance alone could have put above zero", () => {
    expect(topicsOf(every(1_000_000, 100_000, 50_001, 50_000, 40_000))).toEqual([
      "underflow",
      "unstable",
      ...alwaysOfMany
    ])
  })
})

test("warnings keep one order, never repeat, and are sentences", () => {
  const order: ReadonlyArray<string | undefined> = Object.keys(topics)
  fc.assert(
    fc.property(fc.oneof(cells(), cells(60)), (counts) => {
      const positions = topicsOf(counts).map((topic) => order.indexOf(topic))
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
      expect(positions).not.toContain(-1)
      for (const sentence of warningsOf(counts)) expect(sentence).toMatch(/^[A-Z].*\.$/)
    })
  )
})
