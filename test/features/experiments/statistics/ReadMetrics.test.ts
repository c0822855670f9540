import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ExperimentMetrics, readMetrics } from "../../../../src/features/experiments/statistics/ExperimentMetrics.ts"
import { body } from "../../../../src/foundation/http/Contract.ts"
import { finish } from "../../../../src/foundation/schema/Steps.ts"

const page = { preImpressions: 100, postImpressions: 110, preConversions: 5, postConversions: 6 }
const arm = { preImpressions: 200, postImpressions: 220, preConversions: 10, postConversions: 12 }
const pages = (["control", "control", "treatment", "treatment"] as const).map((arm) => ({ arm, ...page }))
const whole = { controlMetrics: arm, treatmentMetrics: arm, pages }

const bySchema = Schema.decodeUnknownEither(body(ExperimentMetrics))

/** Every problem once, as `path: message`, in the order of the paths. */
const said = (issues: ReadonlyArray<ParseResult.ArrayFormatterIssue>) =>
  issues.map(({ message, path }) => `${path.join(".")}: ${message}`).sort()

describe("metrics that are validated in steps", () => {
  const examples: Readonly<Record<string, unknown>> = {
    "are right": whole,
    "are without pages": { controlMetrics: arm, treatmentMetrics: arm },
    "have pages that do not add up": { ...whole, pages: pages.map((one) => ({ ...one, preImpressions: 99 })) },
    "have too few pages": { ...whole, pages: [] },
    "have a wrong page behind a right one": { ...whole, pages: [pages[0], { ...pages[1], arm: "both" }, 5] },
    "have an unknown field in a page": { ...whole, pages: [{ ...pages[0], preimpressions: 1 }] },
    "are wrong in arms and pages": { controlMetrics: { ...arm, preImpressions: 0 }, pages: [null], x: 1 },
    "have conversions beyond impressions": { ...whole, treatmentMetrics: { ...arm, preConversions: 300 } },
    "have pages that are no list": { ...whole, pages: { length: 5 } },
    "are no object": [whole],
    "are nothing": null
  }
  for (const [name, example] of Object.entries(examples)) {
    test(`with ${name} give the same result as the schema`, () => {
      const steps = Either.mapLeft(finish(readMetrics(example)), said)
      const schema = Either.mapLeft(bySchema(example), (error) =>
        said(ParseResult.ArrayFormatter.formatErrorSync(error))
      )
      expect(steps).toEqual(schema)
    })
  }

  test("take one step per page", () => {
    const steps = readMetrics(whole)
    let count = 0
    for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1
    expect(count).toBe(4)
  })

  test("with too many pages are refused before any page is read", () => {
    const steps = readMetrics({ ...whole, pages: Array.from({ length: 10_001 }, () => pages[0]) })
    expect(steps.next()).toMatchObject({ done: true, value: { left: [{ path: ["pages"] }] } })
  })
})
