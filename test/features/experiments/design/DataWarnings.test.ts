import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { importWarnings } from "../../../../src/features/experiments/design/Verdicts.ts"
import { suite } from "../../../harness.ts"
import { importInto } from "../../rankings/storing.ts"
import { ago, csvOf, draft, folders, layer, marketer, step, world } from "./designing.ts"

const it = suite(layer, { timeout: 60_000 })

const windows = {
  days: [2, 2] as const,
  days_present: [2, 2] as const,
  post: ["2026-03-08", "2026-03-09"] as const,
  pre: ["2026-03-01", "2026-03-02"] as const
}

const day = (
  day: string,
  change: { imported_at?: string; sources?: ReadonlyArray<string>; cut_off?: boolean } = {}
) => ({
  cut_off: change.cut_off ?? false,
  day,
  imported_at: DateTime.unsafeMake(change.imported_at ?? "2026-04-01T00:00:00Z"),
  sources: change.sources ?? ["gsc-csv"]
})

const codes = (days: ReadonlyArray<ReturnType<typeof day>>) => importWarnings(days, windows).map(({ code }) => code)

describe("the days of the windows", () => {
  test("have no warnings when they were imported late, completely and from one format", () =>
    expect(codes([day("2026-03-01"), day("2026-03-02"), day("2026-03-08"), day("2026-03-09")])).toEqual([]))

  test("have a warning when they were imported before they were final: midnight in California three days later, also across clock changes", () => {
    expect(codes([day("2026-03-08", { imported_at: "2026-03-11T06:59:59Z" })])).toEqual(["imported_early"])
    expect(codes([day("2026-03-08", { imported_at: "2026-03-11T07:00:00Z" })])).toEqual([])
    expect(codes([day("2026-03-01", { imported_at: "2026-03-04T07:59:59Z" })])).toEqual(["imported_early"])
    expect(codes([day("2026-03-01", { imported_at: "2026-03-04T08:00:00Z" })])).toEqual([])
  })

  test("have a warning when the API truncated rows, and when there are several formats", () => {
    expect(codes([day("2026-03-09", { cut_off: true })])).toEqual(["row_limit"])
    expect(codes([day("2026-03-01"), day("2026-03-09", { sources: ["bigquery"] })])).toEqual(["mixed_sources"])
    expect(codes([day("2026-03-01", { sources: ["gsc-api", "gsc-csv"] })])).toEqual(["mixed_sources"])
  })

  test("have warnings only for themselves, not for days between or before the windows", () => {
    const bad = { cut_off: true, imported_at: "2026-01-01T00:00:00Z", sources: ["bigquery"] }
    expect(codes([day("2026-02-28", bad), day("2026-03-01"), day("2026-03-05", bad), day("2026-03-10", bad)])).toEqual(
      []
    )
  })

  test("are named in a warning, five of them", () => {
    const days = ["01", "02"].map((number) => day(`2026-03-${number}`, { cut_off: true }))
    expect(importWarnings(days, windows)[0]?.sentence).toContain("On 2 days (2026-03-01, 2026-03-02)")
  })
})

describe("the result of an experiment", () => {
  it("warns of problems in the stored data: early imports, two formats, changed control pages", function* () {
    const sql = yield* SqlClient.SqlClient
    const of = yield* marketer(world)
    const id = yield* draft(of, { ...(yield* folders(of.site)) })
    yield* step(of, id, "start")
    const totals = yield* csvOf({ ...world, from: 30, to: 28 })
    const rows = totals.split("\n").slice(1, -1)
    const ndjson = rows.map((row) => {
      const [data_date, url, clicks, impressions] = row.split(",")
      const numbers = {
        clicks: Number(clicks),
        impressions: Number(impressions),
        sum_position: 3 * Number(impressions)
      }
      return JSON.stringify({
        country: "usa",
        data_date,
        device: "MOBILE",
        query: null,
        search_type: "WEB",
        url,
        ...numbers
      })
    })
    yield* importInto(of.site, "bigquery", [{ text: `${ndjson.join("\n")}\n` }])
    yield* sql`UPDATE ranking_days SET imported_at = day::timestamptz WHERE day = ${yield* ago(70)}::date`
    const run = (daysAgo: number, title: string) =>
      Effect.flatMap(ago(daysAgo), (day) => {
        const page = (path: string, title: string) => ({
          canonical_url: null,
          http_status: 200,
          title,
          url: `https://example.com${path}`
        })
        const result = {
          pages: [
            page("/shop/1", title),
            page("/shop/2", "same"),
            page("/%73hop/3", title),
            page("/blog/1", title),
            page("/other", title)
          ]
        }
        return sql`INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, finished_at, result)
          VALUES (${of.account}, ${of.site}, 'https://example.com/', 25, false, 'completed', 'finished', ${day}::timestamptz, ${JSON.stringify(result)}::json)`
      })
    yield* run(200, "long ago")
    yield* run(80, "before")
    yield* run(40, "after")
    const { body } = yield* step(of, id, "evaluate")
    const { warning_codes, warnings } = body.data.analysis
    expect(warning_codes).toEqual(expect.arrayContaining(["imported_early", "mixed_sources", "contamination"]))
    expect(warnings[warning_codes.indexOf("contamination")]).toContain(
      "2 control pages (/shop/3, /shop/1) changed title"
    )
    expect(warnings[warning_codes.indexOf("mixed_sources")]).toContain("(bigquery, gsc-csv)")
    expect(warnings[warning_codes.indexOf("imported_early")]).toContain(`1 day (${yield* ago(70)})`)
  })
})
