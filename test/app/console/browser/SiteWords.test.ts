import { describe, expect, test } from "bun:test"
import { mayRollBack, meaningOf, placeOf, rollbackOf } from "../../../../src/app/console/browser/screens/ChangeWords.ts"
import { reachedOf } from "../../../../src/app/console/browser/screens/CrawlWords.ts"
import { choicesWith, everyOf } from "../../../../src/app/console/browser/screens/Intervals.ts"
import {
  authorityOf,
  failureOf,
  importedOf,
  relOf,
  whyOf
} from "../../../../src/app/console/browser/screens/LinkWords.ts"
import { daysBetween } from "../../../../src/app/console/browser/screens/SearchDays.ts"
import {
  comparedOf,
  endOf,
  pointsOf,
  priceOf,
  rateOf,
  usd
} from "../../../../src/app/console/browser/screens/VisibilityWords.ts"

const at = "2026-11-20T10:00:00.000Z"

const link = {
  anchor_text: null,
  authority: null,
  checked_at: at,
  first_seen_at: at,
  http_status: 404,
  id: "b",
  last_live_at: null,
  reason: null,
  rel: [],
  source_domain: "news.example",
  source_url: "https://news.example/a",
  sources: [],
  state: "page_gone",
  target_url: null
} as const

describe("a backlink", () => {
  test("says why it is not live: a reason in words, or the status of the response", () => {
    const { http_status, ...without } = link
    expect([
      whyOf(link),
      whyOf({ ...without, http_status: 200, state: "link_removed" }),
      whyOf({ ...without, http_status: null, reason: "not_checked", state: "unknown" }),
      whyOf({ ...without, http_status: null, reason: "too_large", state: "unknown" }),
      whyOf({ ...without, http_status: null })
    ]).toEqual(["returned 404", null, "waits for its first check", "too large", null])
  })

  test("names its rel values and the authority of its domain with the source", () => {
    const authority = { as_of: at, scale: "0-100", source: "ahrefs", value: 78 } as const
    const rank = { ...authority, scale: "harmonic-rank", source: "common-crawl", value: 1200 } as const
    expect([relOf([]), relOf(["nofollow", "ugc"]), relOf(null)]).toEqual(["followed", "nofollow, ugc", "–"])
    expect([authorityOf(authority), authorityOf(rank), authorityOf(null)]).toEqual([
      "78 (Ahrefs)",
      "rank 1,200 (Common Crawl)",
      "–"
    ])
  })
})

describe("an import of backlinks", () => {
  const made = {
    created_at: at,
    domains: 0,
    dropped: { own_host: 0, reported_lost: 0, too_long: 0 },
    error: null,
    finished_at: at,
    format: "auto",
    id: "i",
    links: 2,
    lost: [],
    new: 1,
    project_id: "p",
    rows: 2,
    source: "ahrefs",
    status: "completed"
  } as const

  test("counts its rows, and the skipped ones by reason", () => {
    const dropped = { own_host: 1, reported_lost: 2, too_long: 0 }
    expect(importedOf(made)).toBe("Imported 2 backlinks from 2 rows (Ahrefs), 1 new.")
    expect(importedOf({ ...made, domains: 3, dropped, lost: ["a.example"], source: null })).toBe(
      "Imported 2 backlinks and 3 domains from 2 rows, 1 new. Skipped 1 page of your own site. Skipped 2 links that the file marks as lost. Lost: a.example."
    )
  })

  test("names the line of its problem", () => {
    const error = { code: "invalid_file", line: 1042, message: "is no URL" } as const
    expect([failureOf(error), failureOf({ ...error, line: null })]).toEqual(["Line 1,042: is no URL", "is no URL"])
  })
})

describe("AI visibility", () => {
  test("shows rates with their interval, and changes in points", () => {
    expect(rateOf({ interval: [0.12, 0.614], rate: 1 / 3 })).toBe("33.3% (12% – 61.4%)")
    expect(rateOf(null)).toBe("–")
    expect([pointsOf(0.1), pointsOf(-0.034), pointsOf(0)]).toEqual(["+10.0 points", "-3.4 points", "0.0 points"])
  })

  test("compares two runs, or says why they are not comparable", () => {
    const comparison = { comparable: true, delta: 0.1, interval: [0.02, 0.18], p_value: 0.0132, reasons: [] } as const
    expect(comparedOf(comparison)).toBe("+10.0 points (+2.0 points to +18.0 points, p = 0.013)")
    expect(comparedOf({ ...comparison, comparable: false, reasons: ["other_model"] })).toEndWith(
      ". Not comparable: another model answered."
    )
    expect(
      comparedOf({ comparable: false, delta: null, interval: null, p_value: null, reasons: ["other_engine"] })
    ).toBe("Not comparable: the other run did not use this engine.")
  })

  test("says the price of a run, and what is left of the budget", () => {
    const estimate = { budget_left_usd: 5, calls: 1, price: { high_usd: 1, low_usd: 0.0123 } }
    expect(priceOf(estimate)).toBe("1 call for $0.01 to $1.00. $5.00 of the server’s daily budget is left.")
    expect(priceOf({ ...estimate, budget_left_usd: 0.5 })).toEndWith("is left, so the run may end early.")
    expect(priceOf({ ...estimate, budget_left_usd: 0 })).toEndWith("an administrator sets FINDABLE_GEO_DAILY_USD.")
    expect([usd(1234.5), usd(0.00119), usd(0)]).toEqual(["$1,234.50", "$0.0012", "$0.00"])
  })

  test("says why a run ended early", () => {
    const run = {
      answered: 0,
      cost_usd: 0,
      created_at: at,
      engines: ["xai"],
      errors: 0,
      finished_at: at,
      id: "r",
      planned: 1,
      reason: "budget",
      repeats: 1,
      status: "partial"
    } as const
    expect([endOf(run), endOf({ ...run, reason: null })]).toEqual(["the daily budget is used up", null])
  })
})

const changed = {
  base: "main",
  branch: "findable/1",
  connector: "github",
  created_at: at,
  deployed_at: null,
  error: null,
  fields: null,
  finding: null,
  id: "c",
  merged_at: null,
  next_look_at: null,
  paths: ["index.html"],
  post_id: null,
  post_type: null,
  project_id: "p",
  pull_request: null,
  reason: null,
  repo: "acme/site",
  revert_pull_request: null,
  rolled_back_at: null,
  status: "proposed",
  summary: "A title",
  system: null,
  url: "https://shop.example/",
  verified_by_run_id: null,
  verifying_run_id: null
} as const

const ofWordPress = {
  ...changed,
  connector: "wordpress",
  fields: [{ after: "b", before: "a", name: "title" }],
  paths: null,
  post_id: 7,
  post_type: "pages"
} as const

const recorded = {
  ...changed,
  connector: "recorded",
  paths: null,
  repo: null,
  status: "deployed",
  system: "Shopware"
} as const

describe("a change", () => {
  test("names the place where it was made", () => {
    expect([changed, ofWordPress, recorded, { ...recorded, system: null }].map(placeOf)).toEqual([
      "acme/site (1 file)",
      "WordPress, page 7 (1 field)",
      "Shopware",
      "Made elsewhere"
    ])
  })

  test("says what its status means, and what a rollback does", () => {
    expect([changed, ofWordPress, recorded].map(meaningOf)).toEqual([
      "The pull request is open. Review and merge it on GitHub.",
      "The values are not written yet.",
      "The change is live, as recorded."
    ])
    expect([changed, { ...changed, status: "deployed" as const }, ofWordPress, recorded].map(rollbackOf)).toEqual([
      "Closes the pull request and deletes its branch.",
      "Opens a second pull request that restores the files. The change is rolled back when you merge it.",
      "Writes the previous values to WordPress, unless somebody changed them since.",
      "Records that this change was rolled back. Findable changes nothing on the site."
    ])
  })

  test("cannot be rolled back twice, or after its pull request was closed", () => {
    const statuses = ["proposed", "deployed", "conflict", "closed", "rolling_back", "rolled_back"] as const
    expect(statuses.filter((status) => mayRollBack({ ...changed, status }))).toEqual([
      "proposed",
      "deployed",
      "conflict"
    ])
  })
})

describe("an interval of a schedule", () => {
  test("is in words, and stays a choice when another program set it", () => {
    expect(["1d", "7d", "6h", "36h", "90m"].map(everyOf)).toEqual([
      "every day",
      "every week",
      "every 6 hours",
      "every 36 hours",
      "every 90 minutes"
    ])
    expect(Object.keys(choicesWith("36h"))).toEqual(["6h", "12h", "1d", "7d", "30d", "36h"])
    expect(Object.keys(choicesWith("1d"))).toEqual(["6h", "12h", "1d", "7d", "30d"])
  })
})

describe("a range of days", () => {
  test("has both of its ends, and is empty without both, backwards, or beyond 500 days", () => {
    expect(daysBetween("2026-10-30", "2026-11-02")).toEqual(["2026-10-30", "2026-10-31", "2026-11-01", "2026-11-02"])
    expect([daysBetween("2026-10-30", ""), daysBetween("2026-10-30", "2026-10-29")]).toEqual([[], []])
    expect([daysBetween("2025-01-01", "2026-05-15").length, daysBetween("2025-01-01", "2026-05-16")]).toEqual([500, []])
  })
})

describe("a failed crawl", () => {
  const request = {
    check_dead_links: true,
    check_external_links: false,
    max_pages: 50,
    render: "auto",
    url: "https://example.com/",
    verify: null
  } as const

  test("tells how far it came, and what was left within its limit", () => {
    expect(reachedOf({ counters: null, request })).toBe("no page, of up to 50 pages")
    const counters = { pages_discovered: 130, pages_failed: 2, pages_fetched: 31 }
    expect(reachedOf({ counters, request })).toBe(
      "31 of up to 50 pages crawled · 130 discovered · 2 unreachable · 17 still to crawl"
    )
    expect(reachedOf({ counters: { pages_discovered: 3, pages_failed: 0, pages_fetched: 3 }, request })).toBe(
      "3 of up to 50 pages crawled · 3 discovered"
    )
  })
})
