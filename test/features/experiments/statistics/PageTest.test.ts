import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import type { Arm } from "../../../../src/features/experiments/statistics/ExperimentMetrics.ts"
import { analyse, PageMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"
import { armOf } from "../simulations/Panel.ts"

const period = (mostImpressions: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: mostImpressions }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([impressions, share]) => [impressions, Math.floor(impressions * share)] as const)

const page = (arm: Arm, mostImpressions: number) =>
  fc.tuple(period(mostImpressions), period(mostImpressions)).map(([before, after]) =>
    PageMetrics.make({
      arm,
      preImpressions: before[0],
      preConversions: before[1],
      postImpressions: after[0],
      postConversions: after[1]
    })
  )

/** Pages of both groups, each group with impressions in both periods. */
const panels = (fewest: number, most: number, mostImpressions = 5_000) =>
  fc
    .tuple(
      fc.array(page("control", mostImpressions), { minLength: fewest, maxLength: most }),
      fc.array(page("treatment", mostImpressions), { minLength: fewest, maxLength: most })
    )
    .map(([control, treatment]) => [...control, ...treatment])
    .filter((pages) =>
      (["control", "treatment"] as const).every((arm) => {
        const own = pages.filter((each) => each.arm === arm)
        return own.some(({ preImpressions }) => preImpressions > 0) && own.some((each) => each.postImpressions > 0)
      })
    )

/** The result for pages, with their sums as the groups' metrics. */
const verdictOn = (pages: ReadonlyArray<PageMetrics>) =>
  analyse(armOf("control", pages), armOf("treatment", pages), pages)

/** Pages from rows of pre impressions, pre conversions, post impressions, post conversions. */
const pagesOf = (arm: Arm, rows: ReadonlyArray<readonly [number, number, number, number]>) =>
  rows.map(([preImpressions, preConversions, postImpressions, postConversions]) =>
    PageMetrics.make({ arm, preImpressions, preConversions, postImpressions, postConversions })
  )

const few = panels(2, 25)

const many = panels(50, 60)

const any = fc.oneof(few, many)

const law = (
  name: string,
  arbitrary: fc.Arbitrary<ReadonlyArray<PageMetrics>>,
  holds: (pages: ReadonlyArray<PageMetrics>) => void
) =>
  test(name, () => {
    fc.assert(fc.property(arbitrary, holds), { numRuns: 60 })
  })

const withoutPages = (pages: ReadonlyArray<PageMetrics>) => analyse(armOf("control", pages), armOf("treatment", pages))

describe("an analysis by pages", () => {
  law("keeps the effect and lift of the analysis without pages", any, (pages) => {
    const { didEstimator, liftPercentage } = withoutPages(pages)
    expect(verdictOn(pages)).toMatchObject({ didEstimator, liftPercentage })
  })

  law("uses permutations below 50 pages in the smaller group", few, (pages) => {
    expect(["page_permutation", "binomial"]).toContain(verdictOn(pages).method)
  })

  law("uses Student's t from 50 pages on", many, (pages) => {
    expect(["page_clustered", "binomial"]).toContain(verdictOn(pages).method)
  })

  law("has an interval that excludes 0 exactly when p is below 0.05, and contains the effect", any, (pages) => {
    const { confidenceInterval, didEstimator, isSignificant, pValue } = verdictOn(pages)
    const [lower, upper] = confidenceInterval
    expect(pValue < 0.05).toBe(isSignificant)
    expect(lower > 0 || upper < 0).toBe(isSignificant)
    expect(lower).toBeLessThanOrEqual(didEstimator)
    expect(upper).toBeGreaterThanOrEqual(didEstimator)
    for (const number of [pValue, lower, upper]) {
      expect(Number.isFinite(number) && !Object.is(number, -0)).toBe(true)
    }
  })

  law("does not depend on the order of pages, and is deterministic", any, (pages) => {
    expect(JSON.stringify(verdictOn([...pages].reverse()))).toBe(JSON.stringify(verdictOn(pages)))
  })
})

/** Pages of one size whose rates go from 4 % to `after` per thousand, each slightly different. */
const rows = (count: number, after: number) =>
  Array.from({ length: count }, (_, index) => {
    const off = ((index * 7) % 11) - 5
    return [1000, 40 + off, 1000, after + (((index * 5) % 7) - 3)] as const
  })

describe("a test by pages", () => {
  for (const count of [12, 60]) {
    test(`detects a change on all of ${count} pages, and none without a change`, () => {
      const control = pagesOf("control", rows(count, 40))
      expect(verdictOn([...control, ...pagesOf("treatment", rows(count, 60))])).toMatchObject({ isSignificant: true })
      expect(verdictOn([...control, ...pagesOf("treatment", rows(count, 41))])).toMatchObject({ isSignificant: false })
    })
  }

  test("is not significant for a change on a single page, unlike the test without pages", () => {
    const control = pagesOf("control", rows(30, 40))
    const treatment = pagesOf("treatment", [...rows(29, 40), [100_000, 4_000, 100_000, 6_000]])
    expect(withoutPages([...control, ...treatment]).isSignificant).toBe(true)
    expect(verdictOn([...control, ...treatment]).isSignificant).toBe(false)
  })

  test("reports too few pages for any result, and is not significant then", () => {
    const pages = [...pagesOf("control", rows(3, 10)), ...pagesOf("treatment", rows(3, 900))]
    const { isSignificant, warnings } = verdictOn(pages)
    expect(isSignificant).toBe(false)
    expect(warnings.some((sentence) => /Too few pages to distinguish an effect/.test(sentence))).toBe(true)
  })

  test("falls back to the test without pages if the pages do not differ, and says so", () => {
    const same = Array.from({ length: 60 }, () => [100, 5, 100, 5] as const)
    const pages = [...pagesOf("control", same), ...pagesOf("treatment", same)]
    const verdict = verdictOn(pages)
    expect(verdict).toMatchObject({ method: "binomial", pValue: 1 })
    expect(verdict.warnings[0]).toMatch(/are identical/)
  })

  test("warns of a page with most of its group's impressions", () => {
    const control = pagesOf("control", rows(10, 40))
    const treatment = pagesOf("treatment", rows(10, 44))
    const large = pagesOf("treatment", [[9_000, 400, 12_000, 500]])
    const dominated = (pages: ReadonlyArray<PageMetrics>) =>
      verdictOn(pages).warnings.some((sentence) => /most of the impressions/.test(sentence))
    expect([dominated([...control, ...treatment]), dominated([...control, ...treatment, ...large])]).toEqual([
      false,
      true
    ])
  })

  test("warns of a page that is listed twice, and states its assumption about pages", () => {
    const pages = [...pagesOf("control", rows(10, 40)), ...pagesOf("treatment", rows(10, 44))]
    const named = pages.map((page) => ({ ...page, page: "/same" }))
    expect(verdictOn(named).warnings.some((sentence) => /more than once/.test(sentence))).toBe(true)
    const { warnings } = verdictOn(pages)
    expect(warnings.some((sentence) => /randomly assigned and independent/.test(sentence))).toBe(true)
    expect(warnings.some((sentence) => /independent trials/.test(sentence))).toBe(false)
  })
})
