import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import type { Level } from "../RawRow.ts"

/** One level of an import: the site's number, and the parts with rows of this level. */
interface Staged {
  readonly site: number
  readonly level: Level
  readonly parts: ReadonlyArray<number>
  /** Whether times of rows are hours, which add up. */
  readonly isHourly: boolean
  /** Whether tables may come from tools with different spellings of pages. */
  readonly isMixed: boolean
}

const Row = Schema.Struct({ part: Schema.Int, line: Schema.Int, numbers: Schema.String, piece: Schema.String })

/** The facts of the staged rows, one row per fact, in the table `ranking_incoming`. */
export class IncomingRepo extends Effect.Service<IncomingRepo>()("rankings/import/IncomingRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Staged rows of a level with the numbers of their texts and variants. */
    const numbered = ({ level, parts, site }: Staged): Fragment => {
      const texts = {
        pages: sql`JOIN ranking_pages k ON k.site = ${site} AND k.page = s.page`,
        property: sql`CROSS JOIN (SELECT 0 AS id) AS k`,
        queries: sql`JOIN ranking_pairs k ON k.site = ${site} AND k.key = s.key`
      }
      return sql`ranking_staging s ${texts[level]} JOIN ranking_staged_grains v ON v.number = s.variant
        WHERE s.part IN (${sql.literal(parts.join(", "))})`
    }

    const ofParts = ({ parts }: Staged) => sql`part IN (${sql.literal(parts.join(", "))})`

    const added = sql`sum(s.impressions)::bigint AS impressions, sum(s.clicks)::bigint AS clicks, sum(s.sum_top) AS sum_top`
    const repeated = sql`max(s.impressions) AS impressions, max(s.clicks) AS clicks, max(s.sum_top) AS sum_top`
    const differ = sql`(min(s.impressions), min(s.clicks), min(s.sum_top)) <> (max(s.impressions), max(s.clicks), max(s.sum_top))`

    const hourOf = ({ isHourly }: Staged) => (isHourly ? sql`s.second` : sql`NULL::integer`)

    /** Whether several rows may be parts of one fact: hours, or different spellings of one page. */
    const inPieces = (staged: Staged) =>
      staged.isHourly
        ? Effect.succeed(true)
        : Effect.map(
            sql`SELECT FROM ranking_staging WHERE ${ofParts(staged)} AND spelling IS NOT NULL LIMIT 1`,
            (rows) => rows.length > 0
          )

    /**
     * Two tables may come from two tools, one with readable URLs of pages and one with escapes. A page in canonical form in one table and with escapes in the
     * other has one number.
     */
    const ofOneTool = sql`, marked AS (
        SELECT *, min(part) FILTER (WHERE spelling IS NULL) OVER fact <> min(part) FILTER (WHERE spelling IS NOT NULL) OVER fact AS is_twice
        FROM pieces WINDOW fact AS (PARTITION BY day, key, variant, hour)
      ), tools AS (
        SELECT s.day, s.key, s.variant, s.grain, s.hour, s.is_twice IS TRUE AND s.spelling IS NOT NULL AS again, ${added},
          bool_or(s.conflicts) AS conflicts
        FROM marked s GROUP BY s.day, s.key, s.variant, s.grain, s.hour, again
      ), once AS (
        SELECT s.day, s.key, s.variant, s.grain, ${repeated}, bool_or(s.conflicts) OR ${differ} AS conflicts
        FROM tools s GROUP BY s.day, s.key, s.variant, s.grain, s.hour
      )`

    /** A fact is the sum of its hours, and of the URLs of its page. */
    const sums = (staged: Staged) => sql`
      WITH pieces AS (
        SELECT s.day, k.id AS key, v.id AS variant, v.grain, ${hourOf(staged)} AS hour, s.spelling, min(s.part) AS part, ${repeated}, ${differ} AS conflicts
        FROM ${numbered(staged)} GROUP BY s.day, k.id, v.id, v.grain, hour, s.spelling
      )${staged.isMixed ? ofOneTool : sql``}
      SELECT s.day, s.key, s.variant, s.grain, ${added}, bool_or(s.conflicts) AS conflicts
      FROM ${sql.literal(staged.isMixed ? "once" : "pieces")} s GROUP BY s.day, s.key, s.variant, s.grain ORDER BY s.day, s.key, s.variant`

    /** Rows that repeat a fact are parts of a sum in the bulk export; in other sources they must be equal. The rows are in the order of the facts' key. */
    const open = (staged: Staged, adds: boolean) =>
      Effect.gen(function* () {
        const isSum = !adds && (yield* inPieces(staged))
        const facts = sql`SELECT s.day, k.id AS key, v.id AS variant, v.grain,
          ${adds ? sql`${added}, false AS conflicts` : sql`${repeated}, ${differ} AS conflicts`}
          FROM ${numbered(staged)} GROUP BY s.day, k.id, v.id, v.grain ORDER BY s.day, k.id, v.id`
        yield* sql`CREATE TEMPORARY TABLE ranking_incoming ON COMMIT DROP AS ${isSum ? sums(staged) : facts}`
      }).pipe(Effect.orDie)

    const close = Effect.orDie(sql`DROP TABLE ranking_incoming`)

    /** The rows of a fact with several numbers, in their order; empty when each fact has one number. */
    const conflicting = (staged: Staged) =>
      Query.all({
        Request: Schema.Void,
        Result: Row,
        execute: () => sql`
          SELECT s.part, s.line, concat_ws(' ', s.impressions, s.clicks, s.sum_top) AS numbers, concat_ws(' ', ${hourOf(staged)}, s.spelling) AS piece
          FROM ${numbered(staged)}
            AND (s.day, k.id, v.id) = (SELECT day, key, variant FROM ranking_incoming WHERE conflicts ORDER BY day, key, variant LIMIT 1)
          ORDER BY s.part, s.line LIMIT 1000`
      })(undefined)

    /** The days of the rows with their number of rows, including rows without a fact. */
    const days = (staged: Staged) =>
      Query.all({
        Request: Schema.Void,
        Result: Schema.Struct({ day: Schema.String, rows: Schema.Number }),
        execute: () => sql`
          SELECT d.day::text AS day, d.rows::float8 AS rows
          FROM (SELECT day, count(*) AS rows FROM ranking_staging WHERE ${ofParts(staged)} GROUP BY day) AS d ORDER BY d.day`
      })(undefined)

    return { close, conflicting, days, open }
  })
}) {}
