import { describe, expect, test } from "bun:test"
import { sentenceOf, shownBy } from "../../../../src/app/console/browser/screens/EffectWords.ts"
import {
  faultOf,
  periodOf,
  previousPeriod,
  reasonOf,
  whyOf,
  wordsOf
} from "../../../../src/app/console/browser/screens/RankingWords.ts"
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

describe("a position change", () => {
  test("shows both positions and a word, or says which position is missing", () => {
    expect([
      wordsOf(keyword),
      wordsOf({ ...keyword, previous_position: null, ranking_status: "new" }),
      wordsOf({ ...keyword, current_position: null, ranking_status: "lost" })
    ]).toEqual(["9.2 → 8 improved", "new at 8", "lost (was 9.2)"])
  })
})

const measured = { clicks: 4, ctr: 0.02, impressions: 200, page_path: "/a", position: 6, query: "shoes" }
const gain = { clicks_high: 20, clicks_low: 10 }
const tested = { p_value: 0.001, q_value: 0.01 }

describe("an opportunity", () => {
  test("shows its reason by its kind, with the current value", () => {
    const told = [
      whyOf({
        ...measured,
        evidence: { target_ctr: { high: 0.18, low: 0.118 }, target_position: 3 },
        gain,
        kind: "striking_distance"
      }),
      whyOf({
        ...measured,
        evidence: { expected_clicks: 12.4, expected_ctr: 0.062, ...tested },
        gain,
        kind: "low_ctr"
      }),
      whyOf({
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
      whyOf({
        ...measured,
        evidence: { pages: [{ ...measured, days_first: 1, share: 0.6 }] },
        gain,
        kind: "cannibalisation"
      })
    ]
    expect(told).toEqual([
      "Your site’s CTR at position 3: 11.8% to 18%. Current: 2%.",
      "Expected CTR at this position: 6.2% (12 clicks). Actual: 2% (4).",
      "Previous 28 days: 40 clicks. Change by demand -20, by position -16, by CTR 0.",
      "/a: 60% of impressions, top page on 1 day"
    ])
  })

  test("without enough data says how many days it needs, and which days to import", () => {
    expect([
      reasonOf({ kind: "decay", needed_days: 56, reason: "missing_days" }),
      reasonOf({ kind: "decay", needed_days: 56, reason: "history_too_short" })
    ]).toEqual([
      "Needs 56 consecutive days of data up to the latest day. Import the missing days below.",
      "Needs 56 consecutive days of data up to the latest day. Import older days below."
    ])
  })
})

describe("a failed import", () => {
  test("names the chosen file, the file in its archive and the line, as far as they are known", () => {
    const fault = { code: "invalid_file", file: "Queries.csv", line: 1204, message: "clicks are no number" } as const
    expect([
      faultOf(fault, "export.zip"),
      faultOf(fault, null),
      faultOf({ ...fault, file: null }, "gsc.csv"),
      faultOf({ ...fault, file: null, line: null }, null)
    ]).toEqual([
      "export.zip, Queries.csv, line 1,204: clicks are no number",
      "Queries.csv, line 1,204: clicks are no number",
      "gsc.csv, line 1,204: clicks are no number",
      "clicks are no number"
    ])
  })
})

describe("a comparison of two periods", () => {
  const coverage = {
    current: { days_with_data: 7, end: "2026-11-24", start: "2026-11-18" },
    previous: { days_with_data: 7, end: "2026-11-17", start: "2026-11-11" },
    site_id: "s",
    warnings: []
  }

  test("names its days and the length of the previous period", () => {
    expect(periodOf(coverage)).toMatch(/^Nov 18\s–\s24, 2026 vs\. previous 7 days$/)
  })

  test("has no length before the first import", () => {
    expect(previousPeriod(null)).toBe("previous period")
  })
})

describe("a Web Vital", () => {
  test("has the ratings good and needs improvement up to their bounds, and no rating without bounds", () => {
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

describe("an effect from counts", () => {
  const analysis = {
    confidenceInterval: [0.0012, 0.0088] as const,
    didEstimator: 0.005,
    isSignificant: true,
    liftPercentage: 25,
    method: "binomial" as const,
    pValue: 0.01,
    warnings: []
  }

  test("is an increase, a decrease or not shown, and the last does not claim that there is no effect", () => {
    const fall = { ...analysis, confidenceInterval: [-0.0088, -0.0012] as const, didEstimator: -0.005 }
    const open = { ...analysis, confidenceInterval: [-0.001, 0.011] as const, isSignificant: false }
    expect([analysis, fall, open].map(shownBy)).toEqual(["increase", "decrease", "no_effect_shown"])
    expect(sentenceOf(analysis)).toBe(
      "The conversion rate increased: +0.5 points, +0.12 points to +0.88 points (95% interval)."
    )
    expect(sentenceOf(open)).toMatch(/^No effect shown.*\(95% interval\)\. .*remain possible\.$/)
  })
})

describe("a webhook endpoint", () => {
  test("is disabled, failing or active, in this order", () => {
    const at = "2026-11-10T00:00:00Z"
    expect([
      stateOf({ deactivation: { at, reason: "gone" }, failing_since: at, is_active: false }).text,
      stateOf({ deactivation: null, failing_since: at, is_active: false }).text,
      stateOf({ deactivation: null, failing_since: at, is_active: true }).text,
      stateOf({ deactivation: null, failing_since: null, is_active: true }).text
    ]).toEqual(["disabled: 410 Gone", "disabled", "failing", "active"])
  })

  test("shows the outcome, status and duration of each attempt", () => {
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
      "delivered, status 204, 12 ms",
      "connect: The connection was refused, 3 ms",
      "in progress",
      "delivered, status 204, incomplete response: The connection was refused, 12 ms"
    ])
  })
})
