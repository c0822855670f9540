import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import { AnyScore } from "../../../src/crawl/report/SiteScore.ts"

const decode = Schema.decodeUnknownSync(AnyScore)
const encode = Schema.encodeSync(AnyScore)

/** As version 1 stored it: without a version. */
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

test("a score that was stored before version 2 is answered as it was, and says its version", () => {
  const answered: unknown = encode(decode(stored))
  expect(answered).toEqual({ score_version: 1, ...stored })
  expect(decode({ score_version: 1, ...stored })).toEqual(decode(stored))
})

test("a score of version 2 is not taken for one of version 1", () => {
  const score = {
    score_version: 2,
    has_data: false,
    aggregate_score: null,
    status: null,
    range: { low: null, high: null },
    coverage: 0,
    provisional: false,
    breakdown: { mean: null, factor: null, lost: [] }
  }
  const answered: unknown = encode(decode(score))
  expect(answered).toEqual(score)
  expect(() => decode({ ...stored, score_version: 2 })).toThrow()
})
