import { describe, expect, test } from "bun:test"
import {
  domainOf,
  indexed,
  matcherOf,
  sentenceOf,
  shownBy
} from "../../../../src/app/console/browser/screens/EffectWords.ts"
import {
  changeBetween,
  changedIn,
  daysOf,
  eachDay,
  faultOf,
  lengthOf,
  monthBefore,
  monthOf,
  monthRanges,
  periodOf,
  previousPeriod,
  reasonOf,
  wordsOf
} from "../../../../src/app/console/browser/screens/SearchWords.ts"
import { barLength, placesOf, valueOf, verdictOn, vitals } from "../../../../src/app/console/browser/screens/Vitals.ts"
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
    ]).toEqual(["9.2 → 8.0 improved", "new at 8.0", "lost (was 9.2)"])
  })
})

describe("an opportunity", () => {
  test("without enough data says how many days it needs, and which days to import", () => {
    expect([
      reasonOf({ kind: "decay", needed_days: 56, reason: "missing_days" }),
      reasonOf({ kind: "decay", needed_days: 56, reason: "history_too_short" })
    ]).toEqual([
      "Needs 56 consecutive days of data up to the latest day. Import the missing days.",
      "Needs 56 consecutive days of data up to the latest day. Import older days."
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
    expect(changedIn(coverage)).toBe("last 7 days vs. 7 before")
    expect(periodOf(coverage)).toMatch(/^Nov 18\s–\s24, 2026 vs\. previous 7 days$/)
  })

  test("has no length before the first import", () => {
    expect(previousPeriod(null)).toBe("previous period")
  })
})

describe("the days of a search screen", () => {
  const daysAt = (query: string) => daysOf(new URLSearchParams(query), "2026-11-24")

  test("are the latest 28, another range up to the latest day, or own days of the URL", () => {
    expect(daysAt("")).toEqual({ end: "2026-11-24", start: "2026-10-28" })
    expect(daysAt("range=7d")).toEqual({ end: "2026-11-24", start: "2026-11-18" })
    expect(lengthOf(daysAt("range=12m"))).toBe(364)
    expect(daysAt("start=2026-01-05&end=2026-02-04")).toEqual({ end: "2026-02-04", start: "2026-01-05" })
  })

  test("are the latest 28 for own days that are no days or end before they start", () => {
    for (const query of ["start=yesterday&end=today", "start=2026-02-04&end=2026-01-05", "range=5y"])
      expect(daysAt(query)).toEqual(daysAt(""))
  })

  test("are the month so far or the whole month before, by the names that they have today", () => {
    expect(daysAt("range=month")).toEqual({ end: "2026-11-24", start: "2026-11-01" })
    expect(daysAt("range=last-month")).toEqual({ end: "2026-10-31", start: "2026-10-01" })
    expect(monthOf("2026-03-31", 1)).toEqual({ end: "2026-02-28", start: "2026-02-01" })
    const namesOn = (today: string) => monthRanges("2026-11-24", today).map(({ text }) => text)
    expect(namesOn("2026-11-28")).toEqual(["This month", "Last month"])
    expect(namesOn("2026-12-02")).toEqual(["Last month", "Oct 2026"])
    expect(namesOn("2027-03-02")).toEqual(["Nov 2026", "Oct 2026"])
  })

  test("of a month are compared with the month before, up to the same day; other days are not", () => {
    const before = (query: string) => monthBefore(new URLSearchParams(query), daysAt(query))
    expect(before("range=last-month")).toEqual({ end: "2026-09-30", start: "2026-09-01" })
    expect(before("range=month")).toEqual({ end: "2026-10-24", start: "2026-10-01" })
    expect(before("start=2026-03-01&end=2026-03-31")).toEqual({ end: "2026-02-28", start: "2026-02-01" })
    expect([before(""), before("range=7d"), before("start=2026-11-01&end=2026-11-07")]).toEqual([null, null, null])
  })

  test("are listed one by one, also over a change of summer time", () => {
    expect(eachDay({ end: "2026-03-30", start: "2026-03-28" })).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"])
  })

  test("have no percent change from nothing", () => {
    expect([changeBetween(0, 5), changeBetween(null, 5), changeBetween(4, 5)]).toEqual([null, null, 0.25])
  })
})

describe("a Web Vital", () => {
  const [lcp, , cls] = vitals

  test("has the ratings good and needs improvement up to their bounds", () => {
    expect(lcp && [2500, 2501, 4000, 4001].map((value) => verdictOn(lcp, value))).toEqual([
      "good",
      "needs_improvement",
      "needs_improvement",
      "poor"
    ])
  })

  test("stands on its bar in the part of its rating, however large it is", () => {
    const parts = [0, 2500, 2501, 4000, 4001, 60_000].map((value) => {
      const { good, middle, value: place } = lcp === undefined ? { good: 0, middle: 0, value: 0 } : placesOf(lcp, value)
      expect(place).toBeLessThanOrEqual(barLength)
      return place <= good ? "good" : place <= middle ? "needs_improvement" : "poor"
    })
    expect(parts.filter((_, at) => at !== 2 && at !== 4)).toEqual(["good", "good", "needs_improvement", "poor"])
  })

  test("has seconds from 1,000 ms, and no unit for a shift", () => {
    expect([valueOf("lcp_ms", 999), valueOf("lcp_ms", 2840), valueOf(cls?.name ?? "cls", 0.05)]).toEqual([
      "999 ms",
      "2.84 s",
      "0.05"
    ])
  })
})

describe("the days of an experiment", () => {
  test("are parts of 100 of the mean of the baseline, and none without one", () => {
    expect(indexed([10, 30, 40], [true, true, false])).toEqual([50, 150, 200])
    expect(indexed([0, 5], [true, false])).toEqual([null, null])
    expect(indexed([5], [false])).toEqual([null])
  })
})

describe("a pattern of pages", () => {
  test("matches whole paths, where a star stands for any text", () => {
    const paths = ["/blog/a", "/blog/", "/a/blog/b", "/blog/a?b=(1)"]
    const matched = (pattern: string) => paths.filter((path) => matcherOf(pattern).test(path))
    expect(matched("/blog/*")).toEqual(["/blog/a", "/blog/", "/blog/a?b=(1)"])
    expect(matched("/blog/a?b=(1)")).toEqual(["/blog/a?b=(1)"])
    expect(matched("*blog*")).toEqual(paths)
    expect(matched("")).toEqual([])
  })
})

describe("the domain of a site’s experiments", () => {
  test("is its host without port and www", () => {
    expect(["www.a.example:8080", "a.example", "shop.a.example"].map(domainOf)).toEqual([
      "a.example",
      "a.example",
      "shop.a.example"
    ])
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
      "The connection was refused, 3 ms",
      "in progress",
      "delivered, status 204, incomplete response: The connection was refused, 12 ms"
    ])
  })
})
