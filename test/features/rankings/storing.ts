import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { FileFormat } from "../../../src/features/rankings/Domain.ts"
import * as Decode from "../../../src/features/rankings/decode/Decode.ts"
import { Imports } from "../../../src/features/rankings/import/Imports.ts"
import { untilComputed } from "../../../src/features/rankings/opportunities/Worker.ts"
import { SitesRepo } from "../../../src/features/rankings/Site.ts"
import * as Server from "../../server.ts"

/** The server with its own database, and imports into it. */
export const layer = Layer.mergeAll(Imports.Default, SitesRepo.Default).pipe(Layer.provideMerge(Server.layer))

/** One file of an import. */
export interface File {
  readonly name?: string
  readonly text: string
}

/** Imports files into a site like `rankings import`. */
export const importInto = (
  id: Effect.Effect.Success<ReturnType<typeof Server.projectOf>>["id"],
  format: FileFormat,
  files: ReadonlyArray<File>,
  {
    dimensions,
    piece = 1 << 16,
    replaces = false
  }: { readonly dimensions?: ReadonlyArray<string>; readonly piece?: number; readonly replaces?: boolean } = {}
) =>
  Effect.gen(function* () {
    const imports = yield* Imports
    const sites = yield* SitesRepo
    const site = Option.getOrThrow(yield* sites.find({ site: id }))
    const pieces = Stream.fromIterable(files.entries()).pipe(
      Stream.flatMap(([index, { name = `file ${index + 1}`, text }]) => {
        const bytes = new TextEncoder().encode(text)
        const parts = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
          bytes.subarray(index * piece, (index + 1) * piece)
        )
        return Decode.rows(format, name, { host: site.host, ...(dimensions === undefined ? {} : { dimensions }) })(
          Stream.fromIterable(parts)
        )
      })
    )
    return yield* imports.run({ renews: true, replaces, site, source: format }, pieces)
  })

/** Imports files, and waits until the opportunities are computed. */
export const computedInto = (...[id, format, files, options]: Parameters<typeof importInto>) =>
  Effect.zipLeft(importInto(id, format, files, options), untilComputed(id))

/** An account with a key for everything and a site on example.com. */
export const owner = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id: site } = yield* Server.projectOf(account)
  return { account, key, site }
})

/** Totals by query and page over a range of days, from the database. */
export const storedTotals = (site: string, from: string, to: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ query: string; page: string; impressions: number; clicks: number; sum_top: number }>`
      SELECT k.query, k.page, sum(impressions)::float8 AS impressions, sum(clicks)::float8 AS clicks, sum(sum_top)::float8 AS sum_top
      FROM ranking_query_facts r JOIN ranking_sites s ON s.number = r.site JOIN ranking_pairs k ON k.site = r.site AND k.id = r.key
      WHERE s.site_id = ${site} AND r.counts & 1 = 1 AND day BETWEEN ${from}::date AND ${to}::date GROUP BY k.query, k.page`
    const totals = rows.map(
      ({ clicks, impressions, page, query, sum_top }) =>
        [JSON.stringify([query, page]), { clicks, impressions, sumTop: sum_top }] as const
    )
    return new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1)))
  })

/** Everything that an import can leave behind. */
export const traces = (site: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Record<string, number>>`SELECT
      (SELECT count(*)::int FROM ranking_query_facts r JOIN ranking_sites s ON s.number = r.site WHERE s.site_id = ${site}) AS rows,
      (SELECT count(*)::int FROM ranking_pairs r JOIN ranking_sites s ON s.number = r.site WHERE s.site_id = ${site}) AS pairs,
      (SELECT count(*)::int FROM ranking_generations WHERE site_id = ${site}) AS generations,
      (SELECT count(*)::int FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = ${site})) AS records,
      (SELECT count(*)::int FROM ranking_imports WHERE site_id = ${site}) AS imports,
      (SELECT count(*)::int FROM events JOIN projects USING (account_id) WHERE projects.id = ${site}) AS events`
    return row
  })

/** A table as a person would write it. */
export const csv = (...lines: ReadonlyArray<string>) =>
  ["Date,Query,Page,Clicks,Impressions,Position", ...lines, ""].join("\n")

/** Stored sums by day and by month, total and by segment, that differ from the sums of the rows: none, after any imports. */
export const wrongSums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wrong = (kept: string, facts: string) =>
    sql.unsafe(
      `(SELECT 'kept' AS what, * FROM (${kept} EXCEPT ${facts}) AS a) UNION ALL (SELECT 'facts', * FROM (${facts} EXCEPT ${kept}) AS b) LIMIT 5`
    )
  const sums = "sum(f.impressions) AS impressions, sum(f.clicks) AS clicks, sum(f.sum_top) AS sum_top"
  const byDay = (level: string, table: string) =>
    `SELECT f.site, '${level}', f.day, ${sums} FROM ${table} f WHERE f.counts & 1 = 1 GROUP BY 1, 2, 3`
  /** Rows in each of their segments: a device by bit 4 of their `counts`, a country by bit 2. */
  const segmented = (table: string) =>
    `(SELECT f.*, 'device ' || v.device AS segment FROM ${table} f JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant
      WHERE f.counts & 4 = 4 AND v.device IS NOT NULL
      UNION ALL SELECT f.*, 'country ' || v.country FROM ${table} f JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant
      WHERE f.counts & 2 = 2 AND v.country IS NOT NULL) AS f`
  const daysOf = (level: string, table: string) =>
    `SELECT f.site, f.segment, '${level}', f.day, ${sums} FROM ${segmented(table)} GROUP BY 1, 2, 3, 4`
  const keptSegments = (columns: string, table: string) =>
    `SELECT k.site, coalesce('device ' || s.device, 'country ' || s.country), ${columns}, impressions, clicks, sum_top
     FROM ${table} k LEFT JOIN ranking_segments s ON s.site = k.site AND s.id = k.segment`
  const kept = "SELECT site, key, month, impressions, clicks, sum_top"
  return [
    ...(yield* wrong(
      "SELECT site, level, day, impressions, clicks, sum_top FROM ranking_days WHERE impressions > 0",
      `(${byDay("queries", "ranking_query_facts")} UNION ${byDay("pages", "ranking_page_facts")} UNION ${byDay("property", "ranking_property_facts")})`
    )),
    ...(yield* wrong(
      `${kept} FROM ranking_page_months`,
      `SELECT f.site, f.key, date_trunc('month', f.day)::date, ${sums} FROM ranking_page_facts f WHERE f.counts & 1 = 1 GROUP BY 1, 2, 3`
    )),
    ...(yield* wrong(
      `${kept} FROM ranking_query_months`,
      `SELECT f.site, ranking_query_number(p.query), date_trunc('month', f.day)::date, ${sums}
       FROM ranking_query_facts f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 = 1 GROUP BY 1, 2, 3`
    )),
    ...(yield* wrong(
      keptSegments("level, day", "ranking_segment_days"),
      `(${daysOf("queries", "ranking_query_facts")} UNION ${daysOf("pages", "ranking_page_facts")} UNION ${daysOf("property", "ranking_property_facts")})`
    )),
    ...(yield* wrong(
      keptSegments("key, month", "ranking_page_segments"),
      `SELECT f.site, f.segment, f.key, date_trunc('month', f.day)::date, ${sums} FROM ${segmented("ranking_page_facts")} GROUP BY 1, 2, 3, 4`
    )),
    ...(yield* wrong(
      keptSegments("key, month", "ranking_query_segments"),
      `SELECT f.site, f.segment, ranking_query_number(p.query), date_trunc('month', f.day)::date, ${sums}
       FROM ${segmented("ranking_query_facts")} JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key GROUP BY 1, 2, 3, 4`
    ))
  ]
})
