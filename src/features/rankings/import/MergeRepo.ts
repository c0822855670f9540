import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Level } from "../RawRow.ts"

/** What `ranking_incoming` is merged into: the facts of a site at one level, on the days that the import covers. */
interface Target {
  readonly site: number
  readonly level: Level
  readonly days: ReadonlyArray<string>
  readonly exact: boolean
  /** Whether the import has all of its days, so that what it does not have is gone. */
  readonly whole: boolean
}

/** The same, and those of its days whose queries are known beside their segments by country and device. */
interface Merge extends Target {
  readonly segmented: ReadonlyArray<string>
}

const tables = {
  pages: "ranking_page_facts",
  property: "ranking_property_facts",
  queries: "ranking_query_facts"
} as const

const Shrunk = Schema.Struct({ day: Schema.String, stored: Schema.String, incoming: Schema.String })

/** Merges facts. All of it runs in the import's transaction, under the lock of the site. */
export class MergeRepo extends Effect.Service<MergeRepo>()("rankings/import/MergeRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const facts = ({ level }: Target) => sql(tables[level])
    const dayList = (days: ReadonlyArray<string>) =>
      sql`(${sql.literal(days.map((day) => `'${day}'::date`).join(", "))})`
    const stored = ({ days, site }: Target) => sql`r.site = ${site} AND r.day IN ${dayList(days)}`
    const same = sql`r.day = i.day AND r.key = i.key`

    const partitions = ({ days }: Target) =>
      sql`SELECT ensure_ranking_partitions(${days.at(0) ?? ""}::date, ${days.at(-1) ?? ""}::date)`

    /** The order is that of the primary key: without it any row will do, which the planner seeks in the facts of all sites, one after the other. */
    const hasRows = (target: Target) =>
      Effect.map(
        sql`SELECT FROM ${facts(target)} r WHERE ${stored(target)} ORDER BY r.site, r.day, r.key, r.variant LIMIT 1`,
        (rows) => rows.length > 0
      )

    /** A bit for each grain of a day and text. What has segments alone, where queries are known beside them, counts for no whole. */
    const grains = ({ segmented }: Merge, of: Fragment, day: Fragment, key: Fragment): Fragment =>
      sql`(bit_or(1 << ${of}) OVER (PARTITION BY ${day}, ${key}))
        ${segmented.length === 0 ? sql`` : sql`| CASE WHEN ${day} IN ${dayList(segmented)} THEN 1 ELSE 0 END`}`

    const insert = (target: Merge, several: boolean) => sql`
      INSERT INTO ${facts(target)} AS r (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
      SELECT ${target.site}::integer, day, key, variant, impressions, clicks,
        ranking_counts(grain, ${several ? grains(target, sql`grain`, sql`day`, sql`key`) : sql`1 << grain`}), ${target.exact}::boolean, sum_top
      FROM ranking_incoming`

    const upsert = (target: Merge, several: boolean) => sql`
      ${insert(target, several)}
      ON CONFLICT (site, day, key, variant) DO UPDATE
      SET impressions = excluded.impressions, clicks = excluded.clicks, sum_top = excluded.sum_top, exact = excluded.exact
      WHERE (r.impressions, r.clicks, r.sum_top, r.exact)
        IS DISTINCT FROM (excluded.impressions, excluded.clicks, excluded.sum_top, excluded.exact)`

    /** Deletes the facts that a day no longer has. */
    const forget = (target: Target) => sql`
      DELETE FROM ${facts(target)} r WHERE ${stored(target)}
        AND NOT EXISTS (SELECT FROM ranking_incoming i WHERE ${same} AND i.variant = r.variant)`

    /** Rounded numbers are dropped where exact ones are stored. */
    const yieldToExact = (target: Target) => sql`
      DELETE FROM ranking_incoming i USING ${facts(target)} r WHERE ${stored(target)} AND ${same} AND r.exact`

    /** Exact numbers displace rounded ones, and any number those whose address was not kept. */
    const displace = (target: Target) => sql`
      DELETE FROM ${facts(target)} r USING (SELECT DISTINCT day, key FROM ranking_incoming) AS i
      WHERE ${stored(target)} AND ${same} AND (r.variant = 0 OR ${target.exact ? sql`NOT r.exact` : sql`false`})`

    const severalGrains = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ several: Schema.Boolean }),
      execute: (site) => sql`SELECT count(DISTINCT grain) > 1 AS several FROM ranking_variants WHERE site = ${site}`
    })

    /** Decides anew which of several grains counts, for the texts and days of the import. */
    const recount = (target: Merge) => sql`
      UPDATE ${facts(target)} r SET counts = c.counts FROM (
        SELECT r.day, r.key, r.variant, r.counts AS before, ranking_counts(v.grain, ${grains(target, sql`v.grain`, sql`r.day`, sql`r.key`)}) AS counts
        FROM ${facts(target)} r JOIN (SELECT DISTINCT day, key FROM ranking_incoming) AS i ON ${same}
        JOIN ranking_variants v ON v.site = r.site AND v.id = r.variant WHERE ${stored(target)}
      ) AS c
      WHERE ${stored(target)} AND r.day = c.day AND r.key = c.key AND r.variant = c.variant AND c.counts <> c.before`

    /** Answers how many facts are new, changed or gone. */
    const merge = Traced.fn("MergeRepo.merge")(function* (target: Merge) {
      if (target.days.length === 0) return 0
      yield* partitions(target)
      const isFresh = !(yield* hasRows(target))
      if (!isFresh) yield* sql`ANALYZE ranking_incoming`
      const gone = isFresh ? 0 : target.whole ? yield* Query.affected(forget(target)) : 0
      if (!isFresh && !target.exact) yield* yieldToExact(target)
      const displaced = isFresh || target.whole ? 0 : yield* Query.affected(displace(target))
      const several = target.segmented.length > 0 || (yield* severalGrains(target.site)).several
      const written = yield* Query.affected(isFresh ? insert(target, several) : upsert(target, several))
      if (several && !isFresh) yield* recount(target)
      return gone + displaced + written
    }, Effect.orDie)

    /** A day of which less than half of the impressions would be left, if there is one. */
    const shrunk = (target: Target) =>
      Query.first({
        Request: Schema.Void,
        Result: Shrunk,
        execute: () => sql`
          SELECT d.day::text, d.stored::text, coalesce(i.incoming, 0)::text AS incoming FROM (
            SELECT r.day, sum(r.impressions) AS stored FROM ${facts(target)} r WHERE ${stored(target)} AND r.counts & 1 = 1 GROUP BY r.day
          ) AS d LEFT JOIN (SELECT day, sum(impressions) AS incoming FROM ranking_incoming GROUP BY day) AS i USING (day)
          WHERE coalesce(i.incoming, 0) * 2 < d.stored ORDER BY d.day LIMIT 1`
      })(undefined)

    return { merge, shrunk }
  })
}) {}
