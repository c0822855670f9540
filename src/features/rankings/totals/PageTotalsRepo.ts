import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"

const Day = Schema.String

/** Days of a site, from the first to the last, both inclusive. */
const OfDays = { first: Day, last: Day, site: Schema.Int }

/** Paths as one parameter: the driver sends a long text faster than a list. */
const Paths = Schema.parseJson(Schema.Array(Schema.String))

/** A day whose page totals were imported, and what is known of that import. */
export const TotalsDay = Schema.Struct({
  day: Day,
  imported_at: Schema.DateTimeUtc,
  sources: Schema.Array(Schema.String),
  cut_off: Schema.Boolean
})
export type TotalsDay = typeof TotalsDay.Type

/** A page with its clicks over some days. */
export const ClickedPage = Schema.Struct({ path: Schema.String, clicks: Schema.Number })
export type ClickedPage = typeof ClickedPage.Type

/** The place of the row that has the days. */
const daysPlace = 0

/** A path pattern in which `*` stands for any text, as `LIKE` takes it. */
const likeOf = (pattern: string) => pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")

/** Which pages are meant: of a pattern, of a list, or all. */
export type PagesOf = { readonly pattern: string } | { readonly pages: ReadonlyArray<string> } | "all"

/** The totals of pages by week and over days; anonymised queries are in them. */
export class PageTotalsRepo extends Effect.Service<PageTotalsRepo>()("rankings/totals/PageTotalsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Weeks of pages in one statement, so that the days and the numbers are of one state. A page's row has its place in the list, from 1, and for each
     * week that it was seen in the week, clicks and impressions; the row of place 0 has the days as JSON. The facts are read once: a loop over pages
     * would read all days again for each. Sums of four-byte integers need no memory beside their group, so that hundreds of thousands of groups fit;
     * no page has as many impressions in a day.
     */
    const weeks = Query.all({
      Request: Schema.Struct({ ...OfDays, paths: Paths }),
      Result: Schema.Struct({ place: Schema.Int, text: Schema.String }),
      execute: ({ first, last, paths, site }) => sql`
        WITH asked AS MATERIALIZED (
          SELECT p.id, a.place FROM json_array_elements_text(${paths}::json) WITH ORDINALITY AS a (path, place)
          JOIN ranking_pages p ON p.site = ${site} AND p.key = md5(a.path)::uuid
        ), weeks AS (
          SELECT f.key, (f.day - ${first}::date) / 7 AS week, sum(least(f.clicks, 2147483647)::integer) AS clicks,
            sum(least(f.impressions, 2147483647)::integer) AS impressions
          FROM ranking_page_facts f
          WHERE f.site = ${site} AND f.day BETWEEN ${first}::date AND ${last}::date AND f.counts & 1 = 1
            AND (f.key IN (SELECT id FROM asked)) IS TRUE
          GROUP BY f.key, week
        )
        SELECT a.place::integer AS place, string_agg(w.week || ' ' || w.clicks || ' ' || w.impressions, ' ') AS text
        FROM weeks w JOIN asked a ON a.id = w.key GROUP BY a.place
        UNION ALL
        SELECT ${daysPlace}::integer, coalesce(json_agg(json_build_object('day', d.day, 'imported_at', iso(d.imported_at), 'sources', d.sources,
          'cut_off', d.cut_off) ORDER BY d.day), '[]')::text
        FROM ranking_days d WHERE d.site = ${site} AND d.level = 'pages' AND d.day BETWEEN ${first}::date AND ${last}::date`
    })

    /** The first and the newest day, up to `last`, that page totals are known of; null where there is none. */
    const span = Query.one({
      Request: Schema.Struct({ last: Day, site: Schema.Int }),
      Result: Schema.Struct({ first: Schema.NullOr(Day), newest: Schema.NullOr(Day) }),
      execute: ({ last, site }) => sql`
        SELECT min(day)::text AS first, (max(day) FILTER (WHERE day <= ${last}::date))::text AS newest
        FROM ranking_days WHERE site = ${site} AND level = 'pages'`
    })

    const meant = (of: PagesOf, site: number): Fragment =>
      of === "all"
        ? sql`p.site = ${site}`
        : "pattern" in of
          ? sql`p.site = ${site} AND p.page LIKE ${likeOf(of.pattern)}`
          : sql`p.site = ${site} AND p.key IN (SELECT md5(a.path)::uuid FROM json_array_elements_text(${JSON.stringify(of.pages)}::json) AS a (path))`

    /** Pages that the data know, with their clicks, the most clicked first, then in code-point order. */
    const clicked = Query.all({
      Request: Schema.Struct({
        ...OfDays,
        count: Schema.Int,
        least: Schema.Int,
        of: Schema.Union(
          Schema.Struct({ pattern: Schema.String }),
          Schema.Struct({ pages: Schema.Array(Schema.String) }),
          Schema.Literal("all")
        )
      }),
      Result: ClickedPage,
      execute: ({ count, first, last, least, of, site }) => sql`
        SELECT p.page AS path, coalesce(f.clicks, 0)::float8 AS clicks FROM ranking_pages p LEFT JOIN (
          SELECT key, sum(clicks) AS clicks FROM ranking_page_facts
          WHERE site = ${site} AND day BETWEEN ${first}::date AND ${last}::date AND counts & 1 = 1 GROUP BY key
        ) AS f ON f.key = p.id
        WHERE ${meant(of, site)} AND coalesce(f.clicks, 0) >= ${least}
        ORDER BY coalesce(f.clicks, 0) DESC, p.page COLLATE "C" LIMIT ${count}`
    })

    /** Pages that share a query with one of `paths`: each of the two has a tenth of the query's impressions or more. */
    const sharing = Query.all({
      Request: Schema.Struct({ ...OfDays, paths: Paths }),
      Result: Schema.Struct({ path: Schema.String }),
      execute: ({ first, last, paths, site }) => sql`
        WITH shown AS (
          SELECT k.query_number, k.page, sum(f.impressions) AS impressions
          FROM ranking_query_facts f JOIN ranking_pairs k ON k.site = f.site AND k.id = f.key
          WHERE f.site = ${site} AND f.day BETWEEN ${first}::date AND ${last}::date AND f.counts & 1 = 1 GROUP BY k.query_number, k.page
        ), held AS (
          SELECT query_number, page FROM (
            SELECT *, sum(impressions) OVER (PARTITION BY query_number) AS whole FROM shown
          ) AS s WHERE impressions * 10 >= whole
        )
        SELECT DISTINCT h.page AS path FROM held h WHERE h.query_number IN (
          SELECT t.query_number FROM held t WHERE t.page IN (SELECT json_array_elements_text(${paths}::json))
        )`
    })

    /** Groups are hashed in this transaction: the planner expects few of them, and would sort millions of facts. */
    const hashing = Effect.orDie(sql`SELECT set_config('enable_sort', 'off', true)`)

    return { clicked, hashing, sharing, span, transaction: Query.transaction(sql), weeks }
  })
}) {}
