import { describe, expect, test } from "bun:test"
import { sentenceOf, shownBy } from "../../../../src/app/console/browser/screens/EffectWords.ts"
import { faultOf, reasonOf, restsOn, wordsOf } from "../../../../src/app/console/browser/screens/RankingWords.ts"
import { verdictOn, vitals } from "../../../../src/app/console/browser/screens/Vitals.ts"
import { outcomeOf, stateOf } from "../../../../src/app/console/browser/screens/WebhookWords.ts"

const keyword = {
  clicks: 3,
  ctr: 0.1,
  current_position: 8,
  id: "kw_0",
  impressions: 30,
  page_path: "/",
  period: { end: "2026-11-07", start: "2026-11-01" },
  position_delta: 1.24,
  previous_position: 9.24,
  query: "shoes",
  ranking_status: "climbing",
  recorded_at: "2026-11-10T00:00:00Z",
  site_id: "s"
} as const

describe("a movement", () => {
  test("is told by both positions and a word, or by what is missing", () => {
    expect([
      wordsOf(keyword),
      wordsOf({ ...keyword, previous_position: null, ranking_status: "new" }),
      wordsOf({ ...keyword, current_position: null, ranking_status: "lost" })
    ]).toEqual(["9.2 → 8 climbing", "new at 8", "lost, was 9.2"])
  })
})

const measured = { clicks: 4, ctr: 0.02, impressions: 200, page_path: "/a", position: 6, query: "shoes" }
const gain = { clicks_high: 20, clicks_low: 10 }
const tested = { p_value: 0.001, q_value: 0.01 }

describe("an opportunity", () => {
  test("says what its gain rests on, by its kind", () => {
    const told = [
      restsOn({
        ...measured,
        evidence: { target_ctr: { high: 0.18, low: 0.118 }, target_position: 3 },
        gain,
        kind: "striking_distance"
      }),
      restsOn({
        ...measured,
        evidence: { expected_clicks: 12.4, expected_ctr: 0.062, ...tested },
        gain,
        kind: "low_ctr"
      }),
      restsOn({
        ...measured,
        evidence: {
          before: { clicks: 40, ctr: 0.2, impressions: 200, position: 3 },
          parts: { ctr: 0, demand: -20.4, position: -15.6 },
          year_ago: null,
          ...tested
        },
        gain,
        kind: "decay",
        query: null
      }),
      restsOn({
        ...measured,
        evidence: { pages: [{ ...measured, days_first: 1, share: 0.6 }] },
        gain,
        kind: "cannibalisation"
      })
    ]
    expect(told).toEqual([
      "At position 3 this site gets 11.8% to 18% of clicks.",
      "The site’s own curve expects 6.2% at this position: 12 clicks.",
      "40 clicks before; by demand -20, by position -16, by clicks at the same position 0.",
      "/a: 60%, first on 1 day"
    ])
  })

  test("that cannot be assessed says how many days it takes, and which of both is wrong", () => {
    expect([
      reasonOf({ kind: "decay", needed_days: 56, reason: "missing_days" }),
      reasonOf({ kind: "decay", needed_days: 56, reason: "history_too_short" })
    ]).toEqual([expect.stringMatching(/^Days are missing.*56 days/), expect.stringMatching(/^The data begin.*56 days/)])
  })
})

describe("an import", () => {
  test("that failed names line and file, as far as they are known", () => {
    const fault = { code: "invalid_file", file: "Queries.csv", line: 1204, message: "clicks are no number" } as const
    expect([faultOf(fault), faultOf({ ...fault, file: null }), faultOf({ ...fault, line: null })]).toEqual([
      "Line 1,204 of Queries.csv: clicks are no number",
      "Line 1,204: clicks are no number",
      "clicks are no number"
    ])
  })
})

describe("a vital", () => {
  test("is good and needs improvement up to its bounds, and has no verdict without them", () => {
    const [lcp] = vitals
    const first = vitals.find(({ name }) => name === "fcp_ms")
    expect(lcp && [2500, 2501, 4000, 4001].map((value) => verdictOn(lcp, value))).toEqual([
      "good",
      "needs_improvement",
      "needs_improvement",
      "poor"
    ])
    expect(first && verdictOn(first, 1)).toBeNull()
  })
})

describe("an effect of counts", () => {
  const analysis = {
    confidenceInterval: [0.0012, 0.0088] as const,
    didEstimator: 0.005,
    isSignificant: true,
    liftPercentage: 25,
    method: "binomial" as const,
    pValue: 0.01,
    warnings: []
  }

  test("is an increase, a decrease, or not shown, which is never that there is none", () => {
    const fall = { ...analysis, confidenceInterval: [-0.0088, -0.0012] as const, didEstimator: -0.005 }
    const open = { ...analysis, confidenceInterval: [-0.001, 0.011] as const, isSignificant: false }
    expect([analysis, fall, open].map(shownBy)).toEqual(["increase", "decrease", "no_effect_shown"])
    expect(sentenceOf(analysis)).toBe(
      "Increase of the conversion rate: +0.5 points, +0.12 points to +0.88 points (95 % interval)."
    )
    expect(sentenceOf(open)).toMatch(/^No effect shown.*remain possible\.$/)
  })
})

describe("a webhook", () => {
  test("is stopped, paused, failing or active, in this order", () => {
    const at = "2026-11-10T00:00:00Z"
    expect([
      stateOf({ deactivation: { at, reason: "gone" }, failing_since: at, is_active: false }).text,
      stateOf({ deactivation: null, failing_since: at, is_active: false }).text,
      stateOf({ deactivation: null, failing_since: at, is_active: true }).text,
      stateOf({ deactivation: null, failing_since: null, is_active: true }).text
    ]).toEqual(["stopped: it is gone", "paused", "failing", "active"])
  })

  test("has attempts that say whether they were accepted, by which status and how fast", () => {
    const attempt = {
      error: null,
      latency_ms: 12.4,
      number: 1,
      response: null,
      started_at: "2026-11-10T00:00:00Z",
      status_code: 204,
      timings: null,
      trigger: "automatic"
    } as const
    const refused = { code: "connect", message: "The connection was refused" } as const
    expect([
      outcomeOf(attempt),
      outcomeOf({ ...attempt, error: refused, latency_ms: 3, status_code: null }),
      outcomeOf({ ...attempt, latency_ms: null, status_code: null }),
      outcomeOf({ ...attempt, response: { body: "", error: refused, truncated: false } })
    ]).toEqual([
      "accepted, status 204, 12 ms",
      "connect: The connection was refused, 3 ms",
      "under way",
      "accepted, status 204, incomplete response: The connection was refused, 12 ms"
    ])
  })
})
