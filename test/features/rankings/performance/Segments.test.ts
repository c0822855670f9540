import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { DropDay } from "../../../../src/features/rankings/import/Imports.ts"
import type { PerformanceRow } from "../../../../src/features/rankings/performance/Api.ts"
import type { Slice } from "../../../../src/features/rankings/performance/Facts.ts"
import { PerformanceRepo } from "../../../../src/features/rankings/performance/PerformanceRepo.ts"
import { Retention } from "../../../../src/features/rankings/retention/Retention.ts"
import { SitesRepo } from "../../../../src/features/rankings/Site.ts"
import { suite } from "../../../harness.ts"
import { often } from "../../../often.ts"
import { csv, importInto, layer, owner, wrongSums } from "../storing.ts"

const it = suite(
  Layer.mergeAll(DropDay.Default, PerformanceRepo.Default, Retention.Default).pipe(Layer.provideMerge(layer)),
  { timeout: 180_000 }
)

/** Four months up to the previous one, because retention counts from the current month. */
const span = 110
const dayOf = (n: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 4, 8 + n)).toISOString().slice(0, 10)
}

const fact = fc.record({
  clicks: fc.nat(3),
  country: fc.constantFrom("deu", "fra", "usa"),
  date: fc.nat(span).map(dayOf),
  device: fc.constantFrom("MOBILE", "DESKTOP", "TABLET"),
  impressions: fc.integer({ max: 60, min: 3 }),
  page: fc.nat(7).map((n) => `https://example.com/${n}`),
  position: fc.integer({ max: 20, min: 1 }),
  query: fc.nat(9).map((n) => `q${n}`)
})
type Fact = typeof fact extends fc.Arbitrary<infer A> ? A : never

/** The dimensions of a row in API responses and tables. */
const grains = [
  ["date", "query", "page", "country", "device"],
  ["date", "query", "page", "country"],
  ["date", "query", "page", "device"],
  ["date", "query", "page"],
  ["date", "page", "country", "device"],
  ["date", "page", "device"],
  ["date", "page"],
  ["date", "country", "device"],
  ["date", "country"]
] as const

const facts = fc.array(fact, { maxLength: 40, minLength: 10 })
const step = fc.oneof(
  { arbitrary: fc.record({ facts, kind: fc.constant("bulk" as const) }), weight: 2 },
  { arbitrary: fc.record({ facts, grain: fc.constantFrom(...grains), kind: fc.constant("api" as const) }), weight: 4 },
  { arbitrary: fc.record({ facts, kind: fc.constant("table" as const) }), weight: 1 },
  { arbitrary: fc.record({ day: fc.nat(1000), kind: fc.constant("drop" as const) }), weight: 1 }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const unique = <A>(all: ReadonlyArray<A>, keyOf: (item: A) => string) => [
  ...new Map(all.map((item) => [keyOf(item), item])).values()
]

const bulk = (all: ReadonlyArray<Fact>) =>
  all
    .map(({ clicks, country, date, device, impressions, page, position, query }) => ({
      clicks,
      country,
      data_date: date,
      device,
      impressions,
      query: query === "q0" ? null : query,
      sum_position: impressions * (position - 1),
      url: page
    }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join("")

const api = (all: ReadonlyArray<Fact>, grain: (typeof grains)[number]) => {
  const keysOf = (row: Fact) => grain.map((dimension) => row[dimension])
  return JSON.stringify({
    rows: unique(all, (row) => keysOf(row).join(" ")).map((row) => ({
      clicks: row.clicks,
      impressions: row.impressions,
      keys: keysOf(row),
      position: row.position
    }))
  })
}

const table = (all: ReadonlyArray<Fact>) =>
  csv(
    ...unique(all, ({ date, page, query }) => `${date} ${query} ${page}`).map(
      ({ clicks, date, impressions, page, position, query }) =>
        [date, query, page, clicks, impressions, position].join(",")
    )
  )

const perform = (site: Effect.Effect.Success<typeof owner>["site"], step: Step) =>
  Effect.gen(function* () {
    if (step.kind === "bulk")
      return yield* importInto(site, "bigquery", [{ text: bulk(step.facts) }], { replaces: true })
    if (step.kind === "table") return yield* importInto(site, "gsc-csv", [{ text: table(step.facts) }])
    if (step.kind === "api")
      return yield* importInto(site, "gsc-api", [{ text: api(step.facts, step.grain) }], { dimensions: step.grain })
    const sql = yield* SqlClient.SqlClient
    const days = yield* sql<{ day: string }>`
      SELECT DISTINCT day::text AS day FROM ranking_days d JOIN ranking_sites s ON s.number = d.site WHERE s.site_id = ${site} ORDER BY 1`
    const day = days[step.day % Math.max(1, days.length)]
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site })))
    if (day !== undefined) yield* Effect.flatMap(DropDay, (drops) => drops.run(found, day.day))
  })

const filters = [
  { country: null, device: "MOBILE" },
  { country: null, device: "TABLET" },
  { country: "deu", device: null },
  { country: "usa", device: null },
  { country: "zzz", device: null },
  { country: "fra", device: "DESKTOP" },
  { country: null, device: null }
] as const

const asked = fc.record({
  by: fc.constantFrom("page" as const, "query" as const),
  days: fc
    .tuple(fc.nat(span), fc.nat(span))
    .map(([a, b]) => ({ end: dayOf(Math.max(a, b)), start: dayOf(Math.min(a, b)) })),
  filter: fc.constantFrom(...filters),
  limit: fc.integer({ max: 9, min: 1 })
})

/** Rows that a slice adds up, by the definition of `counts`. */
const factsOf = ({ country, days, device, site }: Slice, level: "page" | "property" | "query") =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const bit = (country === null ? 0 : 1) + (device === null ? 0 : 2)
    return sql`${sql(`ranking_${level}_facts`)} f LEFT JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant
      WHERE f.site = ${site} AND f.day BETWEEN ${days.start}::date AND ${days.end}::date AND f.counts & ${1 << bit} = ${1 << bit}
        AND (${country}::text IS NULL OR v.country = ${country}) AND (${device}::text IS NULL OR v.device = ${device})`
  })

const tableOf = (slice: Slice, by: "page" | "query") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const texts = sql(by === "page" ? "ranking_pages" : "ranking_pairs")
    return yield* sql<typeof PerformanceRow.Type>`
      SELECT key, impressions::float8, clicks::float8, clicks::float8 / impressions::float8 AS ctr, ranking_ratio(sum_top, impressions) AS position
      FROM (
        SELECT t.${sql(by)} AS key, sum(a.impressions) AS impressions, sum(a.clicks) AS clicks, sum(a.sum_top) AS sum_top
        FROM (SELECT f.key, f.impressions, f.clicks, f.sum_top FROM ${yield* factsOf(slice, by)}) AS a
        JOIN ${texts} t ON t.site = ${slice.site} AND t.id = a.key GROUP BY 1
      ) AS s ORDER BY impressions DESC, clicks DESC, key COLLATE "C"`
  })

const sumsOf = (slice: Slice) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ queries: number | null; totals: number | null }>`
      SELECT (SELECT sum(f.impressions)::float8 FROM ${yield* factsOf(slice, "query")}) AS queries,
        (SELECT sum(impressions)::float8 FROM (
          SELECT f.impressions FROM ${yield* factsOf(slice, "property")}
          UNION ALL SELECT f.impressions FROM ${yield* factsOf(slice, "page")}
            AND f.day NOT IN (SELECT day FROM ranking_days WHERE site = ${slice.site} AND level = 'property')
        ) AS t) AS totals`
    return row
  })

/** Pages of a table in a walk, four at most. */
const walk = (slice: Slice, by: "page" | "query", limit: number) =>
  Effect.gen(function* () {
    const repo = yield* PerformanceRepo
    const seen: Array<typeof PerformanceRow.Type> = []
    for (let pages = 0; pages < 4; pages++) {
      const rows = yield* repo.rows(by, slice, seen.at(-1), limit)
      seen.push(...rows)
      if (rows.length < limit) break
    }
    return seen
  })

const compare = (site: string, questions: ReadonlyArray<typeof asked extends fc.Arbitrary<infer A> ? A : never>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PerformanceRepo
    const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${site}`
    let found = 0
    for (const { by, days, filter, limit } of questions) {
      const slice = { apartBy: null, days, page: null, query: null, site: row?.number ?? 0, ...filter }
      const expected = yield* tableOf(slice, by)
      expect(yield* walk(slice, by, limit)).toEqual(expected.slice(0, 4 * limit))
      expect(yield* repo.rows(by, slice, undefined, null)).toEqual(expected)
      const [totals, queries] = [yield* repo.totals(slice), yield* repo.queries(slice)]
      expect(yield* sumsOf(slice)).toEqual({ queries: queries.impressions, totals: totals.impressions })
      const byDate = yield* repo.byDate(slice)
      expect(byDate.reduce((sum, { impressions }) => sum + impressions, 0)).toBe(totals.impressions ?? 0)
      found += filter.country === null && filter.device === null ? 0 : expected.length
    }
    return found
  })

it("tables of a device or a country equal the sums of their rows, after any imports, corrections and removals", function* () {
  let found = 0
  for (let seed = 1; seed <= often(1); seed++) {
    const sites = [(yield* owner).site, (yield* owner).site] as const
    for (const [index, steps] of sites.map((_, n) => fc.sample(step, { numRuns: 8, seed: 10 * seed + n })).entries()) {
      for (const one of steps) yield* perform(sites[index] ?? sites[0], one)
    }
    expect(yield* wrongSums).toEqual([])
    for (const [n, site] of sites.entries()) {
      found += yield* compare(site, fc.sample(asked, { numRuns: 12, seed: 100 * seed + n }))
    }
    yield* Effect.flatMap(Retention, (retention) => retention.run(3))
    expect(yield* wrongSums).toEqual([])
    found += yield* compare(sites[0], fc.sample(asked, { numRuns: 6, seed: 1000 * seed }))
  }
  // Most questions have a nonempty answer.
  expect(found).toBeGreaterThan(often(50))
})

it("sums of segments are deleted with their site", function* () {
  const sql = yield* SqlClient.SqlClient
  const { site } = yield* owner
  const [all = []] = fc.sample(facts, { numRuns: 1, seed: 7 })
  yield* importInto(site, "bigquery", [{ text: bulk(all) }])
  const ofSite = sql`site = (SELECT number FROM ranking_sites WHERE site_id = ${site})`
  const [row] = yield* sql<{ number: number }>`SELECT number FROM ranking_sites WHERE site_id = ${site}`
  expect(yield* sql`SELECT FROM ranking_segments WHERE ${ofSite}`).toHaveLength(6)
  yield* sql`DELETE FROM projects WHERE id = ${site}`
  const tables = ["ranking_segments", "ranking_segment_days", "ranking_query_segments", "ranking_page_segments"]
  for (const table of tables)
    expect([table, yield* sql`SELECT FROM ${sql(table)} WHERE site = ${row?.number ?? 0}`]).toEqual([table, []])
})
