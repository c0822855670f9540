import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { binomial } from "../../../../src/features/experiments/statistics/Analyse.ts"
import * as Ratio from "../../../../src/features/experiments/statistics/Ratio.ts"
import { Analysis, analyse } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { arms, cell, cells, cellsAtZ, constantCells } from "./Metrics.ts"
import type { FourCounts } from "./Precise.ts"

const anyCells = fc.oneof(cells(), cells(60), cells(10_000), cellsAtZ(45), cellsAtZ(3), constantCells)

const analysisOf = (counts: FourCounts) => {
  const { control, treatment } = arms(counts)
  return analyse(control, treatment)
}

/** Adding 0 turns -0 into 0, the only zero an analysis may hold. */
const negated = (x: number) => -x + 0

const law = (name: string, arbitrary: fc.Arbitrary<FourCounts>, holds: (counts: FourCounts) => void) =>
  test(name, () => {
    fc.assert(fc.property(arbitrary, holds), { numRuns: 400 })
  })

law("swapping test and control negates the effect and the interval, and keeps p", anyCells, ([c0, c1, t0, t1]) => {
  const one = analysisOf([c0, c1, t0, t1])
  const other = analysisOf([t0, t1, c0, c1])
  const [lower, upper] = one.confidenceInterval
  expect(other.didEstimator).toBe(negated(one.didEstimator))
  expect(other.confidenceInterval).toEqual([negated(upper), negated(lower)])
  expect(other.pValue).toBe(one.pValue)
  expect(other.isSignificant).toBe(one.isSignificant)
})

law("swapping before and after negates the effect and the interval, and keeps p", anyCells, ([c0, c1, t0, t1]) => {
  const one = analysisOf([c0, c1, t0, t1])
  const other = analysisOf([c1, c0, t1, t0])
  const [lower, upper] = one.confidenceInterval
  expect(other.didEstimator).toBe(negated(one.didEstimator))
  expect(other.confidenceInterval).toEqual([negated(upper), negated(lower)])
  expect(other.pValue).toBe(one.pValue)
})

law("the interval excludes 0 exactly when p is below 0.05, which means significant", anyCells, (counts) => {
  const { confidenceInterval, isSignificant, pValue } = analysisOf(counts)
  const [lower, upper] = confidenceInterval
  expect(lower > 0 || upper < 0).toBe(isSignificant)
  expect(pValue < 0.05).toBe(isSignificant)
})

law("every number is finite and not -0, and the analysis survives JSON unchanged", anyCells, (counts) => {
  const analysis = analysisOf(counts)
  const { confidenceInterval, didEstimator, liftPercentage, pValue } = analysis
  for (const x of [didEstimator, liftPercentage, pValue, ...confidenceInterval]) {
    expect(Number.isFinite(x) && !Object.is(x, -0)).toBe(true)
  }
  expect(Schema.decodeUnknownSync(Schema.parseJson(Analysis))(JSON.stringify(analysis))).toEqual(analysis)
})

law("equal counts give equal analyses", anyCells, (counts) => {
  expect(JSON.stringify(analysisOf(counts))).toBe(JSON.stringify(analysisOf(counts)))
})

law("the lift has the sign of the effect, or is 0 if the counterfactual is not positive", anyCells, (counts) => {
  const { didEstimator, liftPercentage } = analysisOf(counts)
  const [c0, c1, t0] = counts.map(({ conversions, impressions }) => [BigInt(conversions), BigInt(impressions)] as const)
  if (c0 === undefined || c1 === undefined || t0 === undefined) return expect.unreachable()
  const counterfactual = t0[0] * c0[1] * c1[1] + c1[0] * c0[1] * t0[1] - c0[0] * c1[1] * t0[1]
  expect(Math.sign(liftPercentage)).toBe(counterfactual > 0n ? Math.sign(didEstimator) : 0)
})

law("the interval is centered on the effect unless all rates are 0 or 1", cells(10_000), (counts) => {
  fc.pre(counts.some(({ conversions, impressions }) => conversions > 0 && conversions < impressions))
  const { confidenceInterval, didEstimator } = analysisOf(counts)
  expect(Math.abs((confidenceInterval[0] + confidenceInterval[1]) / 2 - didEstimator)).toBeLessThan(1e-15)
})

test("k times the counts divide the variance of a rate by k, exactly", () => {
  fc.assert(
    fc.property(cell(), fc.bigInt({ min: 1n, max: 1n << 53n }), (counted, k) => {
      const conversions = BigInt(counted.conversions)
      const impressions = BigInt(counted.impressions)
      const { variance } = binomial({ conversions, impressions })
      const scaled = binomial({ conversions: conversions * k, impressions: impressions * k })
      expect(Ratio.compare(Ratio.times(scaled.variance, Ratio.make(k, 1n)), variance)).toBe(0)
    })
  )
})

test("k times the counts keep effect and lift, and divide the interval's width by √k", () => {
  fc.assert(
    fc.property(cells(10_000), fc.integer({ min: 2, max: 1000 }), (counts, k) => {
      fc.pre(counts.some(({ conversions, impressions }) => conversions > 0 && conversions < impressions))
      const scaled = ({ conversions, impressions }: FourCounts[number]) => ({
        conversions: conversions * k,
        impressions: impressions * k
      })
      const [c0, c1, t0, t1] = counts
      const one = analysisOf(counts)
      const many = analysisOf([scaled(c0), scaled(c1), scaled(t0), scaled(t1)])
      const width = (analysis: Analysis) => analysis.confidenceInterval[1] - analysis.confidenceInterval[0]
      expect(many.didEstimator).toBe(one.didEstimator)
      expect(many.liftPercentage).toBe(one.liftPercentage)
      expect(Math.abs((width(many) * Math.sqrt(k)) / width(one) - 1)).toBeLessThan(1e-9)
    })
  )
})

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

/** Keywords of the warnings, in order of appearance. */
const topics = {
  zeroVariance: /standard error is 0.*Price-Bonett/,
  fewEvents: /normal approximation.*weak/,
  underflow: /p-value.*reported as 0/,
  baselines: /factor of two/,
  apart: /Impressions of test and control developed differently/,
  notPositive: /not positive.*liftPercentage is reported as 0/,
  aboveOne: /above 1/,
  unstable: /is not distinguishable from 0/,
  parallelTrends: /parallel trends/,
  noise: /High-traffic test.*`pages`/,
  independence: /independent trials/
}

const topicsOf = (counts: FourCounts) =>
  warningsOf(counts).map((sentence) => Object.entries(topics).find(([, topic]) => topic.test(sentence))?.[0])

const always = ["parallelTrends", "independence"]

/** From 10,000 impressions in a cell on. */
const alwaysOfMany = ["parallelTrends", "noise", "independence"]

describe("an analysis warns", () => {
  test("of parallel trends and independence in every case", () => {
    expect(topicsOf(every(9_999, 500, 525, 500, 650))).toEqual(always)
  })

  test("of noise that can look significant, with advice, from 10,000 impressions in a cell on", () => {
    expect(topicsOf(every(10_000, 500, 525, 500, 650))).toEqual(alwaysOfMany)
  })

  test("of fewer than five conversions, and names the fields", () => {
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

  test("of a p-value that no double can represent", () => {
    expect(topicsOf(every(1e9, 1e8, 1e8, 1e8, 1.2e8))).toEqual(["underflow", ...alwaysOfMany])
  })

  test("of baselines that differ by more than a factor of two, on either side", () => {
    expect(topicsOf(every(9_000, 201, 201, 100, 150))).toEqual(["baselines", ...always])
    expect(topicsOf(every(9_000, 100, 150, 201, 201))).toEqual(["baselines", ...always])
    expect(topicsOf(every(9_000, 100, 150, 200, 200))).toEqual(always)
  })

  test("of impressions that diverged by more than a fifth, for either group, growing or shrinking", () => {
    const after = (control: number, treatment: number): FourCounts => [
      { impressions: 1000, conversions: 100 },
      { impressions: control, conversions: 100 },
      { impressions: 500, conversions: 50 },
      { impressions: treatment, conversions: 50 }
    ]
    expect(topicsOf(after(1000, 601))).toEqual(["apart", ...always])
    expect(topicsOf(after(1201, 500))).toEqual(["apart", ...always])
    expect(topicsOf(after(2000, 833))).toEqual(["apart", ...always])
    expect(topicsOf(after(500, 301))).toEqual(["apart", ...always])
    for (const [control, treatment] of [
      [1000, 600],
      [1200, 500],
      [2000, 1000],
      [500, 250],
      [2000, 834]
    ] as const)
      expect(topicsOf(after(control, treatment))).toEqual(always)
    expect(warningsOf(after(1000, 750)).join(" ")).toContain("treatment ×1.50, control ×1.00")
  })

  test("of a counterfactual that is zero or below", () => {
    expect(topicsOf(every(1000, 100, 50, 50, 40))).toEqual(["notPositive", ...always])
    expect(topicsOf(every(1000, 100, 50, 49, 40))).toEqual(["baselines", "notPositive", ...always])
    expect(topicsOf(every(1000, 100, 40, 50, 40))).toEqual(["notPositive", ...always])
  })

  test("of a counterfactual above one", () => {
    expect(topicsOf(every(100, 40, 80, 70, 90))).toEqual(["aboveOne", ...always])
  })

  test("of a positive counterfactual that may be above zero only by chance", () => {
    expect(topicsOf(every(1_000_000, 100_000, 50_001, 50_000, 40_000))).toEqual([
      "underflow",
      "unstable",
      ...alwaysOfMany
    ])
  })
})

test("warnings are whole sentences in one order, without repeats", () => {
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
