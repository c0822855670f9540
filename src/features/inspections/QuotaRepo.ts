import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"

/** Requests about one property that Google answers a day and a minute: https://developers.google.com/webmaster-tools/limits#url-inspection */
export const quotas = { day: 2000, minute: 600 } as const

const OfProperty = Schema.Struct({ property: Schema.String })

/** A request in the count of its day and minute. */
const Reserved = Schema.Struct({ day: Schema.String, minute: Schema.String })
export type Reserved = typeof Reserved.Type

/** Requests to Google, counted by property over all nodes, projects and accounts. Days are Google's, by the database's clock: nodes may disagree about midnight. */
export class QuotaRepo extends Effect.Service<QuotaRepo>()("inspections/QuotaRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const zone = sql.literal("'America/Los_Angeles'")
    const today = sql`(clock_timestamp() AT TIME ZONE ${zone})::date`
    const tomorrow = sql`((${today} + 1)::timestamp AT TIME ZONE ${zone})`
    const minute = sql`date_trunc('minute', clock_timestamp())`
    const hasRoom = sql`(q.day <> ${today} OR q.of_day < ${quotas.day}) AND (q.minute <> ${minute} OR q.of_minute < ${quotas.minute})`
    const counted = ({ property }: typeof OfProperty.Type) => sql`
      INSERT INTO inspection_quotas AS q (property, day, of_day, minute, of_minute) VALUES (${property}, ${today}, 1, ${minute}, 1)
      ON CONFLICT (property) DO UPDATE SET
        of_day = CASE WHEN q.day = excluded.day THEN q.of_day ELSE 0 END + 1, day = excluded.day,
        of_minute = CASE WHEN q.minute = excluded.minute THEN q.of_minute ELSE 0 END + 1, minute = excluded.minute`

    /** Counts a request that is about to be sent, if the quotas have room for it. */
    const reserve = Query.first({
      Request: OfProperty,
      Result: Reserved,
      execute: (of) => sql`${counted(of)} WHERE ${hasRoom} RETURNING day::text AS day, iso(minute) AS minute`
    })

    /** Counts a request that was answered without a reservation. */
    const count = Query.none({ Request: OfProperty, execute: counted })

    /** From when on requests may be sent again; none where the quotas have room now. */
    const fullUntil = Query.first({
      Request: OfProperty,
      Result: Schema.Struct({ until: Schema.DateTimeUtc }),
      execute: ({ property }) => sql`
        SELECT iso(CASE WHEN day = ${today} AND of_day >= ${quotas.day} THEN ${tomorrow} ELSE ${minute} + interval '1 minute' END) AS until
        FROM inspection_quotas q WHERE property = ${property} AND NOT (${hasRoom})`
    })

    /** Takes a request out of the count that Google did not count; answers the day's end where the day had no room before. */
    const giveBack = Query.first({
      Request: Schema.Struct({ ...OfProperty.fields, ...Reserved.fields }),
      Result: Schema.Struct({ wasFullUntil: Schema.NullOr(Schema.DateTimeUtc) }),
      execute: (reserved) => sql`
        UPDATE inspection_quotas SET of_day = of_day - 1,
          of_minute = of_minute - CASE WHEN minute = ${reserved.minute}::timestamptz THEN 1 ELSE 0 END
        WHERE property = ${reserved.property} AND day = ${reserved.day}::date
        RETURNING CASE WHEN of_day + 1 >= ${quotas.day} THEN iso(${tomorrow}) END AS "wasFullUntil"`
    })

    /** When a used-up quota has room again: that of a minute, or that of the day. */
    const renewed = Query.one({
      Request: Schema.Struct({ isMinute: Schema.Boolean }),
      Result: Schema.Struct({ until: Schema.DateTimeUtc }),
      execute: ({ isMinute }) => sql`
        SELECT iso(CASE WHEN ${isMinute} THEN clock_timestamp() + interval '1 minute' ELSE ${tomorrow} END) AS until`
    })

    return { count, fullUntil, giveBack, renewed, reserve }
  })
}) {}
