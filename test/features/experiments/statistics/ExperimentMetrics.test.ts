import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ExperimentMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"

const decode = Schema.decodeUnknownEither(ExperimentMetrics, { errors: "all" })

/** Every problem as `path: message`. */
const problems = (input: unknown): ReadonlyArray<string> =>
  Either.match(decode(input), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => `${path.join(".")}: ${message}`),
    onRight: () => []
  })

const page = { preImpressions: 100, postImpressions: 110, preConversions: 5, postConversions: 6 }
const arm = { preImpressions: 200, postImpressions: 220, preConversions: 10, postConversions: 12 }
const pages = (["control", "control", "treatment", "treatment"] as const).map((arm) => ({ arm, ...page }))
const body = { controlMetrics: arm, treatmentMetrics: arm, pages }
const changed = (index: number, change: object) =>
  pages.map((each, at) => (at === index ? { ...each, ...change } : each))

describe("pages beside the metrics", () => {
  test("are accepted when they add up, named or not, also without impressions of their own", () => {
    expect(problems(body)).toEqual([])
    const empty = { arm: "control", preImpressions: 0, postImpressions: 0, preConversions: 0, postConversions: 0 }
    expect(problems({ ...body, pages: [...changed(0, { page: "/a" }), empty] })).toEqual([])
  })

  test("are refused when they do not add up, with the differences", () => {
    expect(problems({ ...body, pages: changed(1, { preImpressions: 101, postConversions: 5 }) })).toEqual([
      "pages: preImpressions of the control pages add up to 201, but controlMetrics.preImpressions is 200",
      "pages: postConversions of the control pages add up to 11, but controlMetrics.postConversions is 12"
    ])
  })

  test("are added up exactly, also beyond the range of doubles", () => {
    const max = Number.MAX_SAFE_INTEGER
    const full = { preImpressions: max, postImpressions: max, preConversions: max, postConversions: max }
    const said = problems({ controlMetrics: full, treatmentMetrics: arm, pages: changed(0, full) })
    expect(said[0]).toBe(
      "pages: preImpressions of the control pages add up to 9007199254741091, but controlMetrics.preImpressions is 9007199254740991"
    )
  })

  test("must be 2 to 5,000 per group", () => {
    expect(problems({ ...body, pages: pages.slice(1) })).toEqual([
      "pages: must contain 2 to 5000 pages each for control and treatment; control has 1"
    ])
    expect(problems({ ...body, pages: [] })).toEqual([
      "pages: must contain 2 to 5000 pages each for control and treatment; control has 0",
      "pages: must contain 2 to 5000 pages each for control and treatment; treatment has 0"
    ])
    const empty = { arm: "control", preImpressions: 0, postImpressions: 0, preConversions: 0, postConversions: 0 }
    expect(problems({ ...body, pages: [...pages, ...Array.from({ length: 4_999 }, () => empty)] })).toEqual([
      "pages: must contain 2 to 5000 pages each for control and treatment; control has 5001"
    ])
    expect(problems({ ...body, pages: [...pages, ...Array.from({ length: 4_998 }, () => empty)] })).toEqual([])
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    ["another arm", { arm: "both" }, "pages.0.arm: must be control or treatment"],
    ["a fraction", { preConversions: 0.5 }, "pages.0.preConversions: must be an integer from 0 to 9007199254740991"],
    [
      "more conversions than impressions",
      { preConversions: 101 },
      "pages.0.preConversions: must not exceed preImpressions"
    ]
  ]
  for (const [what, change, problem] of refused) {
    test(`are refused for ${what}, with the path of the field`, () => {
      expect(problems({ ...body, pages: changed(0, change) })).toEqual([problem])
    })
  }

  test("are reported with the first error, not with thousands", () => {
    const wrong = Array.from({ length: 9_000 }, () => ({ arm: "control", ...page, preImpressions: -1 }))
    expect(problems({ ...body, pages: wrong })).toHaveLength(1)
  })
})

test("the published JSON Schema describes the pages", () => {
  const { $defs } = JSONSchema.make(ExperimentMetrics)
  expect($defs?.ExperimentMetrics).toMatchObject({ required: ["controlMetrics", "treatmentMetrics"] })
  expect($defs?.PageMetrics).toMatchObject({ properties: { arm: { enum: ["control", "treatment"] } } })
})
