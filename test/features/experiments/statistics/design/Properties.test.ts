import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { type Design, evaluate, type Panel } from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { experiments, withClicks } from "./Panels.ts"

const judged = (panel: Panel, design: Design) => Either.getOrThrow(evaluate(panel, design))
const theta = (panel: Panel, design: Design) => Math.log1p(judged(panel, design).liftPercentage / 100)
const near = (a: number, b: number, tolerance = 1e-9) => expect(Math.abs(a - b)).toBeLessThan(tolerance)
const rounds = { numRuns: 60 }

const both = fc.constantFrom(true, false)

test("arms that change places turn the effect around, and keep its error", () => {
  fc.assert(
    fc.property(
      both.chain((assigned) => experiments({ assigned })),
      ({ design, panel }) => {
        const swapped = { ...design, treatment: design.control, control: design.treatment }
        near(theta(panel, swapped), -theta(panel, design))
        near(judged(panel, swapped).standard_error, judged(panel, design).standard_error)
        near(judged(panel, swapped).pValue, judged(panel, design).pValue)
      }
    ),
    rounds
  )
})

test("the order of pages does not matter", () => {
  fc.assert(
    fc.property(experiments({ assigned: false }), ({ design, panel }) => {
      const reversed = { ...design, treatment: design.treatment.toReversed(), control: design.control.toReversed() }
      near(theta(panel, reversed), theta(panel, design))
      near(judged(panel, reversed).pValue, judged(panel, design).pValue)
    }),
    rounds
  )
})

test("what moves all pages alike after the change leaves the effect as it is, and what moves the treated ones is the effect", () => {
  fc.assert(
    fc.property(experiments(), fc.integer({ min: 2, max: 9 }), ({ design, panel }, times) => {
      const after = withClicks(panel, (clicks, _, week) => (week >= panel.changeWeek ? times * clicks : clicks))
      near(theta(after, design), theta(panel, design))
      near(judged(after, design).standard_error, judged(panel, design).standard_error)
      const lifted = withClicks(panel, (clicks, page, week) =>
        week >= panel.changeWeek && page < design.treatment.length ? times * clicks : clicks
      )
      near(theta(lifted, design) - theta(panel, design), Math.log(times))
    }),
    rounds
  )
})

test("an interval excludes 0 exactly when p is below 0.05, and holds the effect", () => {
  fc.assert(
    fc.property(
      both.chain((assigned) => experiments({ assigned })),
      ({ design, panel }) => {
        const { confidenceInterval, didEstimator, isSignificant, lift_interval, liftPercentage, pValue } = judged(
          panel,
          design
        )
        const excludes = ([low, high]: readonly [number, number]) => low > 0 || high < 0
        expect(isSignificant).toBe(pValue < 0.05)
        expect(excludes(confidenceInterval)).toBe(isSignificant)
        expect(excludes(lift_interval)).toBe(isSignificant)
        expect(confidenceInterval[0] <= didEstimator && didEstimator <= confidenceInterval[1]).toBe(true)
        expect(lift_interval[0] <= liftPercentage && liftPercentage <= lift_interval[1]).toBe(true)
      }
    ),
    rounds
  )
})

test("chosen pages never have a narrower interval than the same pages assigned", () => {
  fc.assert(
    fc.property(experiments(), ({ design, panel }) => {
      const width = (assigned: boolean) => {
        const [low, high] = judged(panel, { ...design, assigned }).lift_interval
        return Math.log1p(high / 100) - Math.log1p(low / 100)
      }
      expect(width(false)).toBeGreaterThanOrEqual(width(true) - 1e-9)
    }),
    rounds
  )
})

test("every number of an analysis is finite, of pages with one click or with nearly all", () => {
  const count = fc.constantFrom(0, 0, 1, 1, 2, 1_000_000_000)
  fc.assert(
    fc.property(
      experiments().chain((made) =>
        fc.array(count, { minLength: made.panel.clicks.length, maxLength: made.panel.clicks.length }).map((clicks) => ({
          design: made.design,
          panel: {
            ...made.panel,
            clicks: Float64Array.from(clicks),
            impressions: Float64Array.from(clicks, (one) => 3 * one)
          }
        }))
      ),
      both,
      ({ design, panel }, assigned) => {
        const result = evaluate(panel, { ...design, assigned })
        if (Either.isLeft(result)) return
        expect(JSON.stringify(result.right)).not.toContain("null,null")
        const numbers = [
          result.right.didEstimator,
          result.right.pValue,
          result.right.standard_error,
          result.right.degrees_of_freedom,
          ...result.right.confidenceInterval,
          ...result.right.lift_interval,
          ...result.right.secondary.flatMap(({ lift_interval, pValue }) => [pValue, ...lift_interval])
        ]
        expect(numbers.filter((value) => !Number.isFinite(value))).toEqual([])
      }
    ),
    { numRuns: 300 }
  )
})
