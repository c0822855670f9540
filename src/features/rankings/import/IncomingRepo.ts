import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import type { Level } from "../RawRow.ts"

/** One level of an import: the site's number, and the parts that have rows for it. */
interface Staged {
  readonly site: number
  readonly level: Level
  readonly parts: ReadonlyArray<number>
}

const Row = Schema.Struct({ part: Schema.Int, line: Schema.Int, numbers: Schema.String })

/** The facts of the staged rows, one row each, in the table `ranking_incoming`. */
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

    /** Rows that repeat a fact are parts of a sum in the bulk export; elsewhere they must say the same. They lie in the order of the facts' key. */
    const open = (staged: Staged, adds: boolean) =>
      Effect.orDie(sql`
        CREATE TEMPORARY TABLE ranking_incoming ON COMMIT DROP AS
        SELECT s.day, k.id AS key, v.id AS variant, v.grain, ${
          adds
            ? sql`sum(s.impressions)::bigint AS impressions, sum(s.clicks)::bigint AS clicks, sum(s.sum_top) AS sum_top, false AS conflicts`
            : sql`max(s.impressions) AS impressions, max(s.clicks) AS clicks, max(s.sum_top) AS sum_top,
                (min(s.impressions), min(s.clicks), min(s.sum_top)) <> (max(s.impressions), max(s.clicks), max(s.sum_top)) AS conflicts`
        } FROM ${numbered(staged)} GROUP BY s.day, k.id, v.id, v.grain ORDER BY s.day, k.id, v.id`)

    const close = Effect.orDie(sql`DROP TABLE ranking_incoming`)

    /** The rows of one fact that has several numbers, in their order; none when each fact has one. */
    const conflicting = (staged: Staged) =>
      Query.all({
        Request: Schema.Void,
        Result: Row,
        execute: () => sql`
          SELECT s.part, s.line, concat_ws(' ', s.impressions, s.clicks, s.sum_top) AS numbers FROM ${numbered(staged)}
            AND (s.day, k.id, v.id) = (SELECT day, key, variant FROM ranking_incoming WHERE conflicts ORDER BY day, key, variant LIMIT 1)
          ORDER BY s.part, s.line LIMIT 1000`
      })(undefined)

    /** The days that there are rows of, with their number, whether or not a fact came of them. */
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
