import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Analysis, ExperimentMetrics } from "../../../../src/features/experiments/statistics/Statistics.ts"

const decode = Schema.decodeUnknownEither(ExperimentMetrics, { errors: "all" })

const arm = { preImpressions: 100, postImpressions: 100, preConversions: 10, postConversions: 12 }

/** Every problem as `path: message`. */
const problems = (input: unknown): ReadonlyArray<string> =>
  Either.match(decode(input), {
    onLeft: (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map(({ message, path }) => `${path.join(".")}: ${message}`),
    onRight: () => []
  })

const withControl = (change: object) => ({ controlMetrics: { ...arm, ...change }, treatmentMetrics: arm })

const count = "must be an integer from 0 to 9007199254740991"

describe("metrics", () => {
  test("are accepted from the smallest counts to the largest", () => {
    const max = Number.MAX_SAFE_INTEGER
    const least = { preImpressions: 1, postImpressions: 1, preConversions: 0, postConversions: 0 }
    const greatest = { preImpressions: max, postImpressions: max, preConversions: max, postConversions: max }
    expect(problems({ controlMetrics: least, treatmentMetrics: greatest })).toEqual([])
  })

  const refused: ReadonlyArray<readonly [string, object, string]> = [
    [
      "no impressions",
      { preImpressions: 0, preConversions: 0 },
      "preImpressions: must be an integer from 1 to 9007199254740991"
    ],
    ["a negative count", { postConversions: -1 }, `postConversions: ${count}`],
    ["a fraction", { preConversions: 1.5 }, `preConversions: ${count}`],
    ["a count above 2^53 − 1", { preConversions: 2 ** 53 }, `preConversions: ${count}`],
    ["a number beyond the doubles", { preConversions: Number.POSITIVE_INFINITY }, `preConversions: ${count}`],
    ["NaN", { preConversions: Number.NaN }, `preConversions: ${count}`],
    ["text", { preConversions: "10" }, 'preConversions: Expected number, actual "10"'],
    ["null", { postImpressions: null }, "postImpressions: Expected number, actual null"],
    [
      "more conversions than impressions before",
      { preConversions: 101 },
      "preConversions: must not exceed preImpressions"
    ],
    [
      "more conversions than impressions after",
      { postConversions: 101 },
      "postConversions: must not exceed postImpressions"
    ]
  ]
  for (const [what, change, problem] of refused) {
    test(`are refused for ${what}, with the path of the field`, () => {
      expect(problems(withControl(change))).toEqual([`controlMetrics.${problem}`])
    })
  }

  test("are reported with all wrong and missing fields of both groups", () => {
    const { preImpressions: _, ...partial } = arm
    expect(problems({ controlMetrics: partial, treatmentMetrics: { ...arm, postConversions: 101 } })).toEqual([
      "controlMetrics.preImpressions: is missing",
      "treatmentMetrics.postConversions: must not exceed postImpressions"
    ])
  })

  test("are reported with the errors of both periods", () => {
    expect(problems(withControl({ preConversions: 101, postConversions: 101 }))).toEqual([
      "controlMetrics.preConversions: must not exceed preImpressions",
      "controlMetrics.postConversions: must not exceed postImpressions"
    ])
  })
})

test("the published JSON Schemas limit every count and describe every field", () => {
  const { $defs: metrics } = JSONSchema.make(ExperimentMetrics)
  const bounded = (minimum: number) => expect.objectContaining({ type: "integer", minimum, maximum: 2 ** 53 - 1 })
  expect(metrics?.ArmMetrics).toMatchObject({
    properties: {
      preImpressions: bounded(1),
      postImpressions: bounded(1),
      preConversions: bounded(0),
      postConversions: bounded(0)
    }
  })
  // A named schema is described at its own place.
  const own = Object.keys(Analysis.fields).filter((name) => name !== "counts")
  const described = own.map((name) => [name, { description: expect.stringMatching(/\.$/) }])
  expect(JSONSchema.make(Analysis).$defs?.Analysis).toMatchObject({ properties: Object.fromEntries(described) })
})
