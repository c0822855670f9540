import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import { CallId, RunId } from "../Domain.ts"

const Id = Schema.Struct({ id: CallId })
const Charged = Schema.Struct({ usd: Schema.Number })

/**
 * The budget of a UTC day, one for the database. A call is charged its upper price in the statement that marks it as sent, before it is sent; the real cost
 * takes the place of that when it is known. What is in doubt stays charged.
 */
export class BudgetRepo extends Effect.Service<BudgetRepo>()("visibility/runs/BudgetRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const today = sql`(clock_timestamp() AT TIME ZONE 'UTC')::date`
    const transaction = Query.transaction(sql)

    /** What is charged today. */
    const charged = Query.one({
      Request: Schema.Void,
      Result: Charged,
      execute: () => sql`SELECT coalesce((SELECT charged_usd FROM geo_budgets WHERE day = ${today}), 0)::float8 AS usd`
    })

    /** Whether the day has no room for a price, and none can come back: no call is under way whose cost would take the place of its upper price. */
    const isOver = Query.one({
      Request: Schema.Struct({ daily: Schema.Number, usd: Schema.Number }),
      Result: Schema.Struct({ over: Schema.Boolean }),
      execute: ({ daily, usd }) => sql`
        SELECT coalesce((SELECT charged_usd FROM geo_budgets WHERE day = ${today}), 0) + ${usd}::numeric > ${daily}::numeric
          AND NOT EXISTS (
            SELECT FROM geo_calls c JOIN geo_runs r ON r.id = c.run_id WHERE c.status = 'sent' AND r.leased_until > clock_timestamp()
          ) AS over`
    })

    const holding = Query.first({
      Request: LeaseQueue.Held(RunId),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ id, lease }) => sql`SELECT id FROM geo_runs WHERE id = ${id} AND lease = ${lease} FOR SHARE`
    })

    const charge = Query.first({
      Request: Schema.Struct({ daily: Schema.Number, usd: Schema.Number }),
      Result: Schema.Struct({ day: Schema.String }),
      execute: ({ daily, usd }) => sql`
        INSERT INTO geo_budgets AS b (day, charged_usd) SELECT ${today}, ${usd}::numeric WHERE ${usd}::numeric <= ${daily}::numeric
        ON CONFLICT (day) DO UPDATE SET charged_usd = b.charged_usd + excluded.charged_usd
        WHERE b.charged_usd + excluded.charged_usd <= ${daily}::numeric
        RETURNING day::text`
    })

    /** The cost of a call takes the place of what its first day reserved: of a further try after midnight the new day keeps the upper price, so that neither day is passed. */
    const send = Query.first({
      Request: Schema.Struct({ day: Schema.String, id: CallId, usd: Schema.Number }),
      Result: Id,
      execute: ({ day, id, usd }) => sql`
        UPDATE geo_calls SET status = 'sent', reserved_usd = reserved_usd + ${usd}::numeric, reserved_on = coalesce(reserved_on, ${day}::date)
        WHERE id = ${id} AND status IN ('planned', 'sent') RETURNING id`
    })

    /** Takes back what is not due of a call that was refused before the engine worked on it. */
    const release = Query.none({
      Request: Schema.Struct({ id: CallId, usd: Schema.Number }),
      execute: ({ id, usd }) => sql`
        WITH call AS (
          UPDATE geo_calls SET reserved_usd = reserved_usd - ${usd}::numeric WHERE id = ${id} AND status = 'sent' RETURNING reserved_on
        )
        UPDATE geo_budgets SET charged_usd = greatest(charged_usd - ${usd}::numeric, 0) WHERE day = (SELECT reserved_on FROM call)`
    })

    return { charge, charged: charged(undefined), holding, isOver, release, send, transaction }
  })
}) {}
