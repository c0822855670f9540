import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { AccountId } from "../../../accounts/Domain.ts"

/** The pages that accounts may look at in a day, by UTC, as their plans have it. */
export class AllowanceRepo extends Effect.Service<AllowanceRepo>()("backlinks/AllowanceRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Counts a page against the looks of its account's day; none where they are used up. */
    const take = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ pages: Schema.Int }),
      execute: (account) => sql`
        INSERT INTO backlink_looks AS l (account_id, day, pages)
        SELECT a.id, (clock_timestamp() AT TIME ZONE 'UTC')::date, 1 FROM accounts a JOIN plans p ON p.id = a.plan
        WHERE a.id = ${account} AND p.looks_per_day > 0
        ON CONFLICT (account_id) DO UPDATE SET day = excluded.day, pages = CASE WHEN l.day = excluded.day THEN l.pages + 1 ELSE 1 END
        WHERE l.day <> excluded.day OR l.pages < (SELECT looks_per_day FROM accounts a JOIN plans p ON p.id = a.plan WHERE a.id = l.account_id)
        RETURNING pages`
    })

    /** The looks that a plan allows in a day, those that are left of it, and the seconds until the next day. */
    const allowance = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ left: Schema.Int, limit: Schema.Int, untilTomorrow: Schema.Int }),
      execute: (account) => sql`
        SELECT looks_per_day AS limit, greatest(0, looks_per_day - coalesce(pages, 0)) AS left,
          ceil(extract(epoch FROM today + interval '1 day' - now))::int AS "untilTomorrow"
        FROM (SELECT now, date_trunc('day', now) AS today FROM (SELECT clock_timestamp() AT TIME ZONE 'UTC' AS now) AS moment) AS moment,
          accounts a JOIN plans p ON p.id = a.plan LEFT JOIN backlink_looks l ON l.account_id = a.id AND l.day = (clock_timestamp() AT TIME ZONE 'UTC')::date
        WHERE a.id = ${account}`
    })

    return { allowance, take }
  })
}) {}
