import { expect, test } from "bun:test"
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

law("swapping the arms negates the effect and the interval, and leaves p as it is", anyCells, ([c0, c1, t0, t1]) => {
  const one = analysisOf([c0, c1, t0, t1])
  const other = analysisOf([t0, t1, c0, c1])
  const [lower, upper] = one.confidenceInterval
  expect(other.didEstimator).toBe(negated(one.didEstimator))
  expect(other.confidenceInterval).toEqual([negated(upper), negated(lower)])
  expect(other.pValue).toBe(one.pValue)
  expect(other.isSignificant).toBe(one.isSignificant)
})

law("exchanging before and after negates the effect and the interval, and leaves p", anyCells, ([c0, c1, t0, t1]) => {
  const one = analysisOf([c0, c1, t0, t1])
  const other = analysisOf([c1, c0, t1, t0])
  const [lower, upper] = one.confidenceInterval
  expect(other.didEstimator).toBe(negated(one.didEstimator))
  expect(other.confidenceInterval).toEqual([negated(upper), negated(lower)])
  expect(other.pValue).toBe(one.pValue)
})

law("the interval excludes 0 exactly when p is below 0.05, which is what significant means", anyCells, (counts) => {
  const { confidenceInterval, isSignificant, pValue } = analysisOf(counts)
  const [lower, upper] = confidenceInterval
  expect(lower > 0 || upper < 0).toBe(isSignificant)
  expect(pValue < 0.05).toBe(isSignificant)
})

law("every number is finite and not -0, and JSON carries the whole analysis unchanged", anyCells, (counts) => {
  const analysis = analysisOf(counts)
  const { confidenceInterval, didEstimator, liftPercentage, pValue } = analysis
  for (const x of [didEstimator, liftPercentage, pValue, ...confidenceInterval]) {
    expect(Number.isFinite(x) && !Object.is(x, -0)).toBe(true)
  }
  expect(Schema.decodeUnknownSync(Schema.parseJson(Analysis))(JSON.stringify(analysis))).toEqual(analysis)
})

law("the same counts give the same analysis", anyCells, (counts) => {
  expect(JSON.stringify(analysisOf(counts))).toBe(JSON.stringify(analysisOf(counts)))
})

law("the lift has the sign of the effect, or is 0 where the counterfactual is not positive", anyCells, (counts) => {
  const { didEstimator, liftPercentage } = analysisOf(counts)
  const [c0, c1, t0] = counts.map(({ conversions, impressions }) => [BigInt(conversions), BigInt(impressions)] as const)
  if (c0 === undefined || c1 === undefined || t0 === undefined) return expect.unreachable()
  const counterfactual = t0[0] * c0[1] * c1[1] + c1[0] * c0[1] * t0[1] - c0[0] * c1[1] * t0[1]
  expect(Math.sign(liftPercentage)).toBe(counterfactual > 0n ? Math.sign(didEstimator) : 0)
})

law("where the rates are not all 0 or 1 the interval is centred on the effect", cells(10_000), (counts) => {
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

test("k times the counts leave effect and lift, and divide the interval's width by √k", () => {
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
