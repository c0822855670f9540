import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { ProjectId } from "../../projects/Domain.ts"
import { affected } from "./Affected.ts"
import type { Part } from "./Parts.ts"

/** What the staged rows are merged into. */
export interface Target {
  readonly site: ProjectId
  readonly firstDay: string
  readonly lastDay: string
  /** The parts of the import, of one exactness. */
  readonly parts: ReadonlyArray<Part>
}

/** Merges staged rows into the facts. All of it runs in the import's transaction, under the lock of the site. */
export class MergeRepo extends Effect.Service<MergeRepo>()("rankings/import/MergeRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The parts' shapes: as a constant, since an import nearly always has one. */
    const shapeOf = (parts: ReadonlyArray<Part>) => {
      const shapes = parts.map(({ shape }) => shape)
      return new Set(shapes).size < 2
        ? sql`${shapes[0] ?? "search"}::text`
        : sql`(${JSON.stringify(shapes)}::json ->> part)`
    }

    /** Query and page are written once a pair, in the order of their index. Under the lock of the site nobody else adds any. */
    const addKeys = (site: ProjectId) => sql`
      INSERT INTO ranking_keys (site_id, key, query, page, folded)
      SELECT DISTINCT ON (key) ${site}::uuid, key, query, page, folded FROM ranking_staging s
      WHERE NOT EXISTS (SELECT FROM ranking_keys k WHERE k.site_id = ${site} AND k.key = s.key) ORDER BY key`

    /**
     * One row a fact. Rows of the bulk export that are repeated in a part are parts of a sum, and of several files the one that counts most
     * stands; of other formats the last file stands, and in it the larger row.
     */
    const consolidated = (parts: ReadonlyArray<Part>) => {
      const summed = sql`
        SELECT part, day, key, variant, sum(impressions)::bigint AS impressions, sum(clicks)::bigint AS clicks, sum(sum_top) AS sum_top
        FROM ranking_staging GROUP BY part, day, key, variant`
      const [rows, order] = parts.some(({ shape }) => shape.startsWith("bulk"))
        ? [sql`(${summed})`, sql`impressions DESC, clicks DESC, sum_top, part DESC`]
        : [sql`ranking_staging`, sql`part DESC, impressions DESC, clicks DESC, sum_top`]
      return sql`
        SELECT DISTINCT ON (day, key, variant) day, key, variant, impressions, clicks, sum_top, part, ${shapeOf(parts)} AS shape
        FROM ${rows} AS row ORDER BY day, key, variant, ${order}`
    }

    /** Rows of different shapes count the same searches in different ways: of one fact only those of the last part's shape stay. */
    const keepLastShape = sql`
      DELETE FROM ranking_incoming i USING (
        SELECT DISTINCT ON (day, key) day, key, shape FROM ranking_incoming ORDER BY day, key, part DESC
      ) AS last
      WHERE i.day = last.day AND i.key = last.key AND i.shape <> last.shape`

    const ofSite = ({ firstDay, lastDay, site }: Target) =>
      sql`r.site_id = ${site} AND r.day BETWEEN ${firstDay}::date AND ${lastDay}::date`

    /** Rounded rows have nothing to say where exact ones are. */
    const yieldToExact = (target: Target) => sql`
      DELETE FROM ranking_incoming i USING ranking_rows r
      WHERE ${ofSite(target)} AND r.day = i.day AND r.key = i.key AND r.exact`

    /** What the new rows displace as a whole: other shapes, and rounded rows where exact ones come. */
    const displace = (target: Target, exact: boolean) => sql`
      DELETE FROM ranking_rows r USING (SELECT DISTINCT day, key, shape FROM ranking_incoming) AS i
      WHERE ${ofSite(target)} AND r.day = i.day AND r.key = i.key AND (r.shape <> i.shape OR r.exact <> ${exact})`

    const insert = (site: ProjectId, exact: boolean, rows: Fragment) => sql`
      INSERT INTO ranking_rows (site_id, day, key, variant, impressions, clicks, sum_top, exact, shape)
      SELECT ${site}, day, key, variant, impressions, clicks, sum_top, ${exact}, shape FROM ${rows}`

    const upsert = (site: ProjectId, exact: boolean) => sql`
      ${insert(site, exact, sql`ranking_incoming`)}
      ON CONFLICT (site_id, day, key, variant) DO UPDATE
      SET impressions = excluded.impressions, clicks = excluded.clicks, sum_top = excluded.sum_top
      WHERE (ranking_rows.impressions, ranking_rows.clicks, ranking_rows.sum_top)
          IS DISTINCT FROM (excluded.impressions, excluded.clicks, excluded.sum_top)
        AND (ranking_rows.shape NOT LIKE 'bulk%' OR excluded.impressions >= ranking_rows.impressions)`

    const hasRows = (target: Target) =>
      Effect.map(sql`SELECT FROM ranking_rows r WHERE ${ofSite(target)} LIMIT 1`, (rows) => rows.length > 0)

    /** Answers how many facts are new, changed or gone. */
    const merge = Effect.fn("MergeRepo.merge")(function* (target: Target) {
      const { firstDay, lastDay, parts, site } = target
      const exact = parts.every((part) => part.exact)
      const isOfOneShape = new Set(parts.map(({ shape }) => shape)).size < 2
      yield* sql`SELECT ensure_ranking_partitions(${firstDay}::date, ${lastDay}::date)`
      yield* addKeys(site)
      // Days without any rows yet: nothing can be in the way.
      if (isOfOneShape && !(yield* hasRows(target))) {
        return yield* affected(insert(site, exact, sql`(${consolidated(parts)}) AS incoming`))
      }
      yield* sql`CREATE TEMPORARY TABLE ranking_incoming ON COMMIT DROP AS ${consolidated(parts)}`
      yield* sql`ANALYZE ranking_incoming`
      if (!isOfOneShape) yield* keepLastShape
      if (!exact) yield* yieldToExact(target)
      const gone = yield* affected(displace(target, exact))
      return gone + (yield* affected(upsert(site, exact)))
    }, Effect.orDie)

    return { merge }
  })
}) {}
