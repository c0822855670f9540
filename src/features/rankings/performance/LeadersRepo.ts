import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { MonthsRepo, type Range } from "./MonthsRepo.ts"

/** `isMany`: too many months have a key's share of `least` impressions for a look at each key. */
const Bound = Schema.Struct({ isMany: Schema.Boolean, least: Schema.Number })

/** Months of keys, from which on all are walked through instead of looked up key by key. */
const many = 50_000

/** Finds which pages or queries come first in a table, or next, without adding up all. */
export class LeadersRepo extends Effect.Service<LeadersRepo>()("rankings/performance/LeadersRepo", {
  dependencies: [MonthsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const months = yield* MonthsRepo

    /**
     * A lower bound for the sums of the next `count` keys, those below `below` (null: the first of all): at least `count` keys reach it.
     * They are sought among the keys that lead their months or, behind a place in the list, those that come after its mean of a month, or after
     * twice that; of these, among the ones that seem to come next when the days of a month are all alike.
     */
    const bound = (of: Range, count: number, below: number | null) => {
      const means = below === null ? [null] : [1, 2].map((times) => Math.ceil((times * below) / of.months.length))
      const seeds = means.map((mean) => months.leading(of, count, mean))
      const isNext = below === null ? sql`true` : sql`impressions < ${below}::bigint`
      const share = sql`(${`{${of.shares.join(",")}}`}::float8[])[array_position(${months.dates(of.months)}, month)]`
      const all = months.byMonth(of, null, of.months)
      return Query.one({
        Request: Schema.Void,
        Result: Bound,
        execute: () => sql`
          WITH seeds AS MATERIALIZED (SELECT DISTINCT key FROM (${sql.join(" UNION ALL ", false)(seeds)}) AS s),
          near AS MATERIALIZED (
            SELECT key FROM (
              SELECT key, sum(impressions * ${share}) AS impressions FROM ${months.byMonth(of, sql`seeds`, of.months)} GROUP BY key
            ) AS guess WHERE ${isNext} ORDER BY impressions DESC LIMIT ${2 * count}
          ),
          bound AS MATERIALIZED (
            SELECT greatest(1, (
              SELECT impressions FROM (${months.sums(of, sql`near`)}) AS s WHERE ${isNext} ORDER BY impressions DESC OFFSET ${count - 1} LIMIT 1
            )) AS least
          )
          SELECT least::float8 AS least, (
            SELECT count(*) = ${many} FROM (
              SELECT FROM ${all} AND impressions >= (SELECT ceil(least / ${of.months.length}::numeric)::bigint FROM bound) LIMIT ${many}
            ) AS reaching
          ) AS "isMany" FROM bound`
      })(undefined)
    }

    /**
     * The sums of the `count` most shown keys whose sums are below `below` (null: of all), of all that have as many impressions as the last of them,
     * and of some others. A key whose sum reaches `least` has, in one of its months, at least the mean of that sum; a key that has it in no month is
     * skipped. Example: a sum of 1,000 over ten months needs one month with 100. Where too many keys have it, the months of all keys are added up in one walk.
     */
    const most = Effect.fnUntraced(function* (of: Range, count: number, below: number | null) {
      const { isMany, least } = yield* bound(of, count, below)
      const mean = Math.ceil(least / of.months.length)
      const all = months.byMonth(of, null, of.months)
      const reaching = sql`(SELECT DISTINCT key FROM ${all} AND impressions >= ${mean}::bigint)`
      const sums = isMany ? all : months.byMonth(of, reaching, of.months)
      // A key has at least the impressions of the full months, and at most those of all.
      const isBefore =
        below === null
          ? sql`false`
          : sql`sum(CASE WHEN month = ANY(${months.dates(of.full)}) THEN impressions ELSE 0 END) > ${below}::bigint`
      const before = sql`candidates AS MATERIALIZED (
        SELECT key FROM ${sums} GROUP BY key HAVING sum(impressions) >= ${least}::bigint AND NOT ${isBefore}
      )`
      return { before, sums: months.sums(of, sql`candidates`) }
    })

    return { most }
  })
}) {}
