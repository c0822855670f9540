import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { AnyScore } from "../../../src/crawl/report/SiteScore.ts"

const decode = Schema.decodeUnknownSync(AnyScore)
const encode = Schema.encodeSync(AnyScore)

/** A score as version 1 stored it, without a version. */
const stored = {
  has_data: true,
  aggregate_score: 94,
  status: "good",
  range: { low: 80, high: 95 },
  coverage: 0.9,
  breakdown: {
    assessed_pages: 9,
    unverified_pages: 1,
    possible: 900,
    earned: 850,
    lost: [{ rule: "title_missing", points: 50 }]
  }
}

test("a score stored before version 2 is returned unchanged, with its version", () => {
  const answered: unknown = encode(decode(stored))
  expect(answered).toEqual({ score_version: 1, ...stored })
  expect(decode({ score_version: 1, ...stored })).toEqual(decode(stored))
})

test("a score of a later version keeps its version and its parts, and is not read as version 1", () => {
  for (const score_version of [2, 3, 4]) {
    const score = {
      score_version,
      has_data: true,
      aggregate_score: 46,
      status: "poor",
      range: { low: 40, high: 90 },
      coverage: 0.75,
      provisional: true,
      breakdown: {
        mean: 0.92,
        factor: { name: "mostly_hidden", value: 0.45 },
        lost: [{ rule: "mostly_hidden", points: 54 }]
      }
    }
    const answered: unknown = encode(decode(score))
    expect(answered).toEqual(score)
    expect(() => decode({ ...stored, score_version })).toThrow()
  }
})
