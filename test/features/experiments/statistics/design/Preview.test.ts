import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import {
  type Design,
  DesignPreview,
  evaluate,
  type Panel,
  previewing
} from "../../../../../src/features/experiments/statistics/design/Design.ts"
import { finish } from "../../../../../src/foundation/schema/Steps.ts"
import { experiment, type Weeks } from "./Panels.ts"

const weekly = (from: number): Weeks =>
  Array.from({ length: 16 }, (_, at) => from + ((at * at * 5) % 17) + (at > 11 ? 3 : 0))
const { design, panel } = experiment(
  [weekly(50), weekly(93), weekly(131)],
  [weekly(60), weekly(77), weekly(149)].map((page) => page.map((clicks, at) => clicks - (at > 11 ? 4 : 0))),
  12,
  { settle_days: 7, post_days: 21 }
)

const look = (weeks: number, of: Panel = panel, by: Design = design) =>
  Either.getOrThrow(finish(previewing(of, by, weeks, 2)))

test("an interim result uses the complete weeks since the change, corrected for one interim result per planned week", () => {
  const seen = look(2)
  const alone = Either.getOrThrow(evaluate(panel, { ...design, settle_days: 0, post_days: 14 }))
  expect(Schema.is(DesignPreview)(seen)).toBe(true)
  expect(seen).toMatchObject({ final: false, weeks: 2, planned_weeks: 4 })
  expect(seen.liftPercentage).toBe(alone.liftPercentage)
  expect(seen.pValue).toBeCloseTo(Math.min(1, 4 * alone.pValue), 12)
  expect(seen.lift_interval[0]).toBeLessThan(alone.lift_interval[0])
  expect(seen.lift_interval[1]).toBeGreaterThan(alone.lift_interval[1])
  expect(seen.windows.days).toEqual([28, 14])
  expect(seen.sentence).toMatch(
    /^Interim result after 2 of 4 weeks, corrected for weekly checks: .*98\.75% interval.* the final result comes at the end\.$/
  )
})

test("the corrected interval excludes 0 exactly when the corrected p is below 0.05", () => {
  for (const weeks of [1, 2, 3, 4]) {
    const { isSignificant, lift_interval, pValue } = look(weeks)
    expect(isSignificant).toBe(pValue < 0.05)
    expect(lift_interval[0] > 0 || lift_interval[1] < 0).toBe(isSignificant)
  }
})

test("an interim result uses at most the planned weeks, and no later ones", () => {
  expect(look(9)).toEqual(look(4))
  const later = { ...panel, clicks: panel.clicks.map((clicks, at) => (at % panel.weeks > 13 ? 100 * clicks : clicks)) }
  expect(look(2, later)).toEqual(look(2))
})

test("an interim result without enough days is an error", () => {
  const days = panel.days.map((count, at) => (at > 11 ? 5 : count))
  expect(Either.getOrThrow(Either.flip(finish(previewing({ ...panel, days }, design, 1, 2))))).toMatchObject({
    code: "missing_data",
    window: "post",
    present: 5,
    days: 7
  })
})
