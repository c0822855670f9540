import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage } from "../Domain.ts"
import { Dropped } from "../RawRow.ts"
import { Extent } from "./Loads.ts"

const Level = Schema.Literal("queries", "pages", "property")

/**
 * Knowledge of a day's queries by country and device. From the API, beside the queries themselves: "complete", or "partial" after a cut by the limit of rows.
 * "bulk": from a bulk export, with sums equal to the whole.
 */
export const Segments = Schema.Literal("complete", "partial", "bulk")
export type Segments = typeof Segments.Type

/** A day, and its levels that no synchronisation has fetched. */
export const MissingDay = Schema.Struct({ day: Schema.String, levels: Schema.Array(Level) })
export type MissingDay = typeof MissingDay.Type

/** The days of a site with data. */
export class DaysRepo extends Effect.Service<DaysRepo>()("rankings/import/DaysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * A whole day stays whole when a part arrives; `segments` is null when an import does not cover them. The stored time is the newest import's, and a whole
     * import replaces earlier sources. `cutOff` has the days that the API's limit of rows cut off.
     */
    const cover = Query.none({
      Request: Schema.Struct({
        cutOff: Schema.Array(Schema.String),
        days: Schema.Array(Schema.String),
        level: Level,
        segments: Schema.NullOr(Segments),
        site: Schema.Int,
        source: Schema.String,
        synced: Schema.Boolean,
        whole: Schema.Boolean
      }),
      execute: ({ cutOff, days, level, segments, site, source, synced, whole }) => sql`
        INSERT INTO ranking_days AS d (site, level, day, whole, synced, segments, sources, cut_off)
        SELECT ${site}::integer, ${level}, day::date, ${whole}::boolean, ${synced}::boolean, ${segments}::text, ARRAY[${source}::text],
          day::date = ANY(${`{${cutOff.join(",")}}`}::date[])
        FROM json_array_elements_text(${JSON.stringify(days)}::json) AS day
        ON CONFLICT (site, level, day) DO UPDATE
        SET whole = d.whole OR excluded.whole, synced = d.synced OR excluded.synced, segments = coalesce(excluded.segments, d.segments),
          imported_at = excluded.imported_at, cut_off = excluded.cut_off OR (d.cut_off AND NOT excluded.whole),
          sources = CASE WHEN excluded.whole THEN excluded.sources WHEN d.sources @> excluded.sources THEN d.sources
            ELSE d.sources || excluded.sources END`
    })

    /** Days with both query totals and segments; segments are not summed into totals for them. */
    const segmented = Query.all({
      Request: Schema.Struct({ days: Schema.Array(Schema.String), site: Schema.Int }),
      Result: Schema.Struct({ day: Schema.String }),
      execute: ({ days, site }) => sql`
        SELECT day::text FROM ranking_days WHERE site = ${site} AND level = 'queries' AND segments IN ('complete', 'partial')
          AND day = ANY(${`{${days.join(",")}}`}::date[])`
    })

    /** The newest day with queries. */
    const newest = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ day: Schema.NullOr(Schema.String) }),
      execute: (site) => sql`SELECT max(day)::text AS day FROM ranking_days WHERE site = ${site} AND level = 'queries'`
    })

    /**
     * The days of a range with levels that no synchronisation has fetched, the oldest first, with these levels. Queries without fetched segments count as
     * missing too.
     */
    const missing = Query.all({
      Request: Schema.Struct({ first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: MissingDay,
      execute: ({ first, last, site }) => sql`
        SELECT wanted::date::text AS day, json_agg(level ORDER BY place) AS levels
        FROM generate_series(${first}::date, ${last}::date, interval '1 day') AS wanted
        CROSS JOIN unnest(ARRAY['queries', 'pages', 'property']) WITH ORDINALITY AS l (level, place)
        WHERE NOT EXISTS (
          SELECT FROM ranking_days d JOIN ranking_sites s ON s.number = d.site
          WHERE s.site_id = ${site} AND d.level = l.level AND d.day = wanted::date AND d.synced
            AND (d.level <> 'queries' OR d.segments IS NOT NULL)
        ) GROUP BY wanted ORDER BY day`
    })

    return { cover, missing, newest, segmented }
  })
}) {}

/** The source of imported facts: a file in one of the formats, or a synchronisation with the API. */
export const Source = Schema.Literal("gsc-csv", "gsc-api", "bigquery", "sync")
export type Source = typeof Source.Type

/** The kinds of entries in the log, including removals of days and snapshots. */
const Entry = Schema.Literal(...Source.literals, "drop-day", "drop-snapshot")

const Record = Schema.Struct({
  ...Extent.fields,
  changed: Schema.Number,
  dropped: Schema.parseJson(Dropped),
  /** The hash of the files; null for files that need not be recognised. */
  hash: Schema.NullOr(Schema.String),
  /** Days that were left out. */
  incomplete_days: Schema.parseJson(Schema.Array(Schema.String)),
  site: ProjectId,
  source: Entry
})

/** The log of imports. */
export class ImportsRepo extends Effect.Service<ImportsRepo>()("rankings/import/ImportsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const record = Query.none({
      Request: Record,
      execute: ({ changed, dropped, first_day, hash, incomplete_days, last_day, rows, site, source }) => sql`
        INSERT INTO ranking_imports (site_id, source, first_day, last_day, rows, changed, dropped, hash, incomplete_days)
        VALUES (${site}, ${source}, ${first_day}::date, ${last_day}::date, ${rows}, ${changed}, ${dropped}::json, ${hash},
          ${incomplete_days}::json)`
    })

    /** The outcome of the files' earlier import, if no fact of the site has changed since, with the coverage of the site's list. */
    const same = Query.first({
      Request: Schema.Struct({ hash: Schema.String, site: ProjectId }),
      Result: Schema.Struct({
        ...Extent.fields,
        coverage: Schema.NullOr(Coverage),
        dropped: Dropped,
        incomplete_days: Schema.Array(Schema.String)
      }),
      execute: ({ hash, site }) => sql`
        SELECT first_day::text, last_day::text, rows::float8 AS rows, dropped, incomplete_days,
          (SELECT coverage FROM ranking_generations WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL) AS coverage
        FROM ranking_imports i WHERE site_id = ${site} AND hash = ${hash}
          AND NOT EXISTS (SELECT FROM ranking_imports later WHERE later.site_id = ${site} AND later.id > i.id AND later.changed > 0)
        ORDER BY id DESC LIMIT 1`
    })

    return { record, same }
  })
}) {}

/** Tables that imports write. Partitions are analysed with their parent table, which autovacuum never analyses. */
const tables = [
  "ranking_query_facts",
  "ranking_page_facts",
  "ranking_property_facts",
  "ranking_pairs",
  "ranking_pages",
  "ranking_variants",
  "ranking_days",
  "ranking_query_months",
  "ranking_page_months",
  "ranking_segment_days",
  "ranking_query_segments",
  "ranking_page_segments"
]

/** A table below this many pages of 8 KB is fast with any plan. */
const small = 10

/** The planner's statistics of facts and their sums. */
export class StatisticsRepo extends Effect.Service<StatisticsRepo>()("rankings/import/StatisticsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Tables that have doubled since their last statistics, or have such a partition. So statistics cost a fixed share of imports. */
    const grown = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ name: Schema.String }),
      execute: () => sql`
        SELECT DISTINCT t.oid::regclass::text AS name
        FROM unnest(${sql.literal(`ARRAY[${tables.map((table) => `'${table}'::regclass`).join(", ")}]`)}) AS t (oid)
        LEFT JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = coalesce(i.inhrelid, t.oid)
        WHERE c.relkind = 'r' AND pg_relation_size(c.oid) > 2 * 8192 * greatest(c.relpages, ${small}::int)`
    })

    /**
     * Renews statistics. Until autovacuum runs, the planner takes a just filled table for a small one, after one large import or after hundreds, such as the
     * days of a site's synchronised months. Runs after the commit of an import, because uncommitted rows do not count. Locked tables are left to the next
     * import, and a failure does not fail the import.
     */
    const renew = Traced.fn("StatisticsRepo.renew")(function* (changed: number) {
      if (changed === 0) return
      const names = (yield* grown(undefined)).map(({ name }) => name)
      if (names.length === 0) return
      yield* sql`ANALYZE (SKIP_LOCKED) ${sql.literal(names.join(", "))}`.pipe(
        Effect.catchAll((error) =>
          Effect.logWarning("PostgreSQL statistics of ranking tables could not be updated", error)
        )
      )
    })

    return { renew }
  })
}) {}
