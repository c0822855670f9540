import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { DropDay } from "../../../../src/features/rankings/import/Imports.ts"
import { PerformanceRepo } from "../../../../src/features/rankings/performance/PerformanceRepo.ts"
import { SitesRepo } from "../../../../src/features/rankings/Site.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { importInto, layer, owner, wrongSums } from "../storing.ts"

const it = suite(layer, { timeout: 180_000 })

const dayOf = (n: number) => new Date(Date.UTC(2026, 4, 20) + n * 86_400_000).toISOString().slice(0, 10)

/** Four and a half months with gaps, in which every number differs; texts occur from daily to once, and share pages and queries. */
const facts = Array.from({ length: 700 }, (_, n) => ({
  clicks: n % 4,
  country: "deu",
  data_date: dayOf((n * 37) % 130),
  device: "MOBILE",
  impressions: 3 + ((n * n) % 97),
  query: n % 5 === 0 ? null : `q${(n * n) % 41}`,
  sum_position: n % 13,
  url: `https://example.com/${(n * n) % 23}`
}))

const ndjson = facts
  .filter(({ data_date }) => !data_date.endsWith("7"))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("")
const kept = facts.filter(({ data_date }) => !data_date.endsWith("7"))

const expected = (by: "page" | "query", start: string, end: string) => {
  const sums = new Map<string, { clicks: number; impressions: number; top: number }>()
  for (const row of kept.filter(({ data_date }) => data_date >= start && data_date <= end)) {
    const key = by === "page" ? new URL(row.url).pathname : row.query
    if (key === null) continue
    const { clicks, impressions, top } = sums.get(key) ?? { clicks: 0, impressions: 0, top: 0 }
    sums.set(key, {
      clicks: clicks + row.clicks,
      impressions: impressions + row.impressions,
      top: top + row.sum_position + row.impressions
    })
  }
  return [...sums]
    .map(([key, { clicks, impressions, top }]) => ({
      clicks,
      ctr: clicks / impressions,
      impressions,
      key,
      position: top / impressions
    }))
    .sort((a, b) => b.impressions - a.impressions || b.clicks - a.clicks || (a.key < b.key ? -1 : 1))
}

it("tables of any range of days, in pages of any length, equal the sums of the stored rows", () =>
  Effect.gen(function* () {
    const { account, site } = yield* owner
    yield* importInto(site, "bigquery", [{ text: ndjson }])
    const asked = fc.record({
      by: fc.constantFrom("page" as const, "query" as const),
      first: fc.nat(129),
      last: fc.nat(129),
      limit: fc.integer({ max: 12, min: 1 })
    })
    for (const { by, first, last, limit } of fc.sample(asked, { numRuns: 30, seed: 3 })) {
      const [start, end] = [dayOf(Math.min(first, last)), dayOf(Math.max(first, last))]
      // A different key for each walk: together they send more requests than one key may send within a second.
      const key = yield* Server.keyWith(account, ["*"])
      const seen: Array<unknown> = []
      let path: string | undefined =
        `/api/v1/projects/${site}/performance?by=${by}&start=${start}&end=${end}&limit=${limit}`
      for (let pages = 0; path !== undefined && pages < 3; pages++) {
        const { body }: Server.Reply = yield* Server.send("GET", path, { key })
        seen.push(...body.data)
        path = body.links.next
      }
      expect(seen).toEqual(expected(by, start, end).slice(0, limit * 3))
    }
    const sql = yield* SqlClient.SqlClient
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site })))
    yield* Effect.flatMap(DropDay, (days) => days.run(found, kept[0]?.data_date ?? ""))
    expect(yield* wrongSums).toEqual([])
    yield* sql`DELETE FROM projects WHERE id = ${site}`
    expect(yield* sql`SELECT key FROM ranking_query_months UNION ALL SELECT key FROM ranking_page_months`).toEqual([])
  }).pipe(Effect.provide(DropDay.Default)))

it("tables of very many queries equal the sums of the stored rows, after any place", () =>
  Effect.gen(function* () {
    const { site } = yield* owner
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PerformanceRepo
    const days = { end: "2026-10-15", start: "2026-08-20" }
    yield* sql`INSERT INTO ranking_sites (site_id, newest_day, is_stale) VALUES (${site}, ${days.end}, true)`
    const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${site}`
    const number = row?.number ?? 0
    yield* sql`
      INSERT INTO ranking_pairs (site, id, key, query, page)
      SELECT ${number}::int, id, gen_random_uuid(), 'query ' || id, '/' FROM generate_series(1, 21000) AS id`
    yield* sql`
      INSERT INTO ranking_variants (site, id, key, address) VALUES (${number}, 1, gen_random_uuid(), '')`
    yield* sql`SELECT ensure_ranking_partitions('2026-08-01', '2026-10-31')`
    yield* sql`
      INSERT INTO ranking_query_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${number}::int, day::date, key, 1, 1 + (key * extract(day FROM day)::int) % 97 % (1 + key / 300), 0, 1, true, 200
      FROM generate_series(1, 21000) AS key, unnest('{2026-08-10,2026-08-25,2026-09-05,2026-10-02,2026-10-20}'::date[]) AS day`
    // Statistics from before, when the tables were empty, would let the plans of this test loop for minutes.
    yield* sql`ANALYZE`
    const all = yield* sql<{ impressions: number; key: string }>`
      SELECT query AS key, sum(impressions)::float8 AS impressions FROM ranking_query_facts f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key
      WHERE f.site = ${number} AND day BETWEEN ${days.start}::date AND ${days.end}::date GROUP BY query ORDER BY 2 DESC, query COLLATE "C"`
    const slice = { apartBy: null, country: null, days, device: null, page: null, query: null, site: number }
    for (const place of [0, 1, 50, 400, 3000, 12_000, 20_000, 20_990]) {
      const last = all[place - 1]
      const after = last === undefined ? undefined : { ...last, clicks: 0 }
      const rows = yield* repo.rows("query", slice, after, 15)
      expect(rows.map(({ impressions, key }) => ({ impressions, key }))).toEqual(
        all.slice(place, place + 15).map(({ impressions, key }) => ({ impressions, key }))
      )
    }
  }).pipe(Effect.provide(PerformanceRepo.Default)))

it("tables that are too large for another order are refused, and listed by impressions", function* () {
  const { key, site } = yield* owner
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO ranking_sites (site_id, newest_day) VALUES (${site}, '2026-09-30')`
  const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${site}`
  const number = row?.number ?? 0
  yield* sql`
    INSERT INTO ranking_days (site, level, day, whole, impressions, clicks, sum_top)
    SELECT ${number}::int, level, day, true, 300000, 0, 300000
    FROM unnest('{queries,pages}'::text[]) AS level, generate_series('2026-08-02'::date, '2026-09-30', interval '1 day') AS day`
  yield* sql`
    INSERT INTO ranking_query_months (site, key, month, impressions, clicks, sum_top)
    SELECT ${number}::int, key, '2026-09-01', 3, 0, 3 FROM generate_series(1, 100001) AS key`
  yield* sql`ANALYZE ranking_query_months`
  const asked = (parameters: Record<string, string>) =>
    Server.send(
      "GET",
      `/api/v1/projects/${site}/performance?${new URLSearchParams({ end: "2026-09-30", start: "2026-09-01", ...parameters })}`,
      { key }
    )
  const wrong: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ["sort", { by: "query", sort: "clicks" }],
    ["sort", { by: "query", order: "asc" }],
    ["sort", { by: "query", compare: "previous", sort: "clicks_change" }],
    ["query_contains", { by: "query", query_contains: "a" }]
  ]
  for (const [path, parameters] of wrong) {
    const { body, status } = yield* asked(parameters)
    expect([status, body.error.details[0].path]).toEqual([422, path])
    expect(body.error.message).toContain("Ask for fewer days")
  }
  const early = { by: "query", compare: "year", end: "2027-09-29", start: "2027-08-31" }
  expect((yield* asked({ ...early, sort: "clicks_change" })).status).toBe(422)
  for (const parameters of [{ sort: "clicks" }, { query: "shoes" }, { query: "shoes", sort: "clicks" }, {}])
    expect((yield* asked({ by: "query", compare: "previous", ...parameters })).status).toBe(
      "sort" in parameters && !("query" in parameters) ? 422 : 200
    )
  expect((yield* asked({ by: "page", sort: "clicks" })).status).toBe(200)
})
