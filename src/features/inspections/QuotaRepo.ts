import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import * as Day from "../../foundation/schema/Day.ts"
import * as FinalDays from "../rankings/FinalDays.ts"

/** Requests about one property that Google answers a day and a minute: https://developers.google.com/webmaster-tools/limits#url-inspection */
export const quotas = { day: 2000, minute: 600 } as const

/** The first moment of tomorrow in Pacific time, at which Google counts a new day. */
const tomorrow = Effect.map(FinalDays.today, (today) => FinalDays.finalFrom(today + 1 - FinalDays.lag))

/** Requests to Google, counted by property over all nodes, projects and accounts before they are sent. */
export class QuotaRepo extends Effect.Service<QuotaRepo>()("inspections/QuotaRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const minute = sql`date_trunc('minute', clock_timestamp())`

    const count = Query.first({
      Request: Schema.Struct({ day: Schema.String, property: Schema.String }),
      Result: Schema.Struct({ property: Schema.String }),
      execute: ({ day, property }) => sql`
        INSERT INTO inspection_quotas AS q (property, day, of_day, minute, of_minute) VALUES (${property}, ${day}::date, 1, ${minute}, 1)
        ON CONFLICT (property) DO UPDATE SET paused_until = NULL,
          of_day = CASE WHEN q.day = excluded.day THEN q.of_day ELSE 0 END + 1, day = excluded.day,
          of_minute = CASE WHEN q.minute = excluded.minute THEN q.of_minute ELSE 0 END + 1, minute = excluded.minute
        WHERE (q.day <> excluded.day OR q.of_day < ${quotas.day}) AND (q.minute <> excluded.minute OR q.of_minute < ${quotas.minute})
          AND (q.paused_until IS NULL OR q.paused_until <= clock_timestamp())
        RETURNING property`
    })

    const state = Query.one({
      Request: Schema.Struct({ day: Schema.String, property: Schema.String }),
      Result: Schema.Struct({
        isDaySpent: Schema.Boolean,
        next: Schema.DateTimeUtc,
        paused: Schema.NullOr(Schema.DateTimeUtc)
      }),
      execute: ({ day, property }) => sql`
        SELECT day = ${day}::date AND of_day >= ${quotas.day} AS "isDaySpent", iso(${minute} + interval '1 minute') AS next,
          CASE WHEN paused_until > clock_timestamp() THEN iso(paused_until) END AS paused
        FROM inspection_quotas WHERE property = ${property}`
    })

    const pause = Query.none({
      Request: Schema.Struct({ property: Schema.String, until: Schema.DateTimeUtc }),
      execute: ({ property, until }) => sql`
        UPDATE inspection_quotas SET paused_until = ${until}::timestamptz WHERE property = ${property}`
    })

    /** Counts a request that is about to be sent; when none may be sent, answers from when on. */
    const take = Effect.fnUntraced(function* (property: string) {
      const of = { day: Day.format(yield* FinalDays.today), property }
      if (Option.isSome(yield* count(of))) return Option.none<DateTime.Utc>()
      const { isDaySpent, next, paused } = yield* state(of)
      return Option.some(paused ?? (isDaySpent ? yield* tomorrow : next))
    })

    /** Google itself says that a quota is used up: that of a minute, or of the day. Answers from when on it may be asked again. */
    const spent = Effect.fnUntraced(function* (property: string, isMinute: boolean) {
      const now = yield* DateTime.now
      const until = isMinute ? DateTime.add(now, { minutes: 1 }) : yield* tomorrow
      yield* pause({ property, until })
      return until
    })

    return { spent, take }
  })
}) {}
