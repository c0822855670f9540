import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DaysRepo } from "../../../../src/features/rankings/import/Log.ts"
import { suite } from "../../../harness.ts"
import { importInto, layer, owner } from "../storing.ts"

const it = suite(Layer.merge(layer, Layer.provide(DaysRepo.Default, layer)), { timeout: 180_000 })

const daysOf = (site: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ cut_off: boolean; day: string; sources: ReadonlyArray<string> }>`
      SELECT d.day::text, d.sources, d.cut_off FROM ranking_days d JOIN ranking_sites s ON s.number = d.site
      WHERE s.site_id = ${site} AND d.level = 'pages' ORDER BY d.day`
  )

const table = (...days: ReadonlyArray<string>) =>
  ["Date,Page,Clicks,Impressions,Position", ...days.map((day) => `${day},https://example.com/a,1,10,2`), ""].join("\n")

const answer = (day: string, rows: number) =>
  JSON.stringify({
    rows: Array.from({ length: rows }, (_, index) => ({
      clicks: 1,
      ctr: 0.5,
      impressions: 2,
      keys: [day, `https://example.com/${index}`],
      position: 1
    }))
  })

const bulk = (day: string) =>
  `${JSON.stringify({ clicks: 1, country: "usa", data_date: day, device: "MOBILE", impressions: 10, query: null, search_type: "WEB", sum_position: 3, url: "https://example.com/a" })}\n`

it("a day keeps the formats of its page totals, and a complete format replaces the others", function* () {
  const { site } = yield* owner
  yield* importInto(site, "gsc-csv", [{ text: table("2026-10-01", "2026-10-02") }])
  yield* importInto(site, "gsc-api", [{ text: answer("2026-10-02", 3) }], { dimensions: ["date", "page"] })
  yield* importInto(site, "gsc-api", [{ text: answer("2026-10-02", 2) }], { dimensions: ["date", "page"] })
  expect(yield* daysOf(site)).toEqual([
    { cut_off: false, day: "2026-10-01", sources: ["gsc-csv"] },
    { cut_off: false, day: "2026-10-02", sources: ["gsc-csv", "gsc-api"] }
  ])
  yield* importInto(site, "bigquery", [{ text: bulk("2026-10-02") }])
  expect((yield* daysOf(site)).at(-1)).toEqual({ cut_off: false, day: "2026-10-02", sources: ["bigquery"] })
})

it("a day truncated by the API's limit stays truncated after a partial import, until a complete one", function* () {
  const days = yield* DaysRepo
  const sql = yield* SqlClient.SqlClient
  const { site } = yield* owner
  yield* importInto(site, "gsc-csv", [{ text: table("2026-10-01") }])
  const [known] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${site}`
  const cover = (cutOff: ReadonlyArray<string>, whole: boolean) =>
    Effect.zipRight(
      days.cover({
        cutOff,
        days: ["2026-10-01"],
        level: "pages",
        segments: null,
        site: known?.number ?? 0,
        source: "gsc-api",
        synced: false,
        whole
      }),
      Effect.map(daysOf(site), (found) => found.map(({ cut_off }) => cut_off))
    )
  expect(yield* cover(["2026-10-01"], false)).toEqual([true])
  expect(yield* cover([], false)).toEqual([true])
  expect(yield* cover([], true)).toEqual([false])
  expect(yield* cover(["2026-10-01"], true)).toEqual([true])
})

it("a day has the time of its latest import", function* () {
  const sql = yield* SqlClient.SqlClient
  const { site } = yield* owner
  const old = sql`SELECT bool_and(imported_at < clock_timestamp() - interval '1 day') AS old FROM ranking_days d
    JOIN ranking_sites s ON s.number = d.site WHERE s.site_id = ${site}`
  yield* importInto(site, "gsc-csv", [{ text: table("2026-10-01") }])
  yield* sql`UPDATE ranking_days SET imported_at = '2026-10-01' WHERE site = (SELECT number FROM ranking_sites WHERE site_id = ${site})`
  expect(yield* old).toEqual([{ old: true }])
  yield* importInto(site, "gsc-csv", [{ text: table("2026-10-01") }])
  expect(yield* old).toEqual([{ old: false }])
})
