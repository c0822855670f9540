import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { every } from "./Outages.ts"

/** Rows in a batch. A small batch holds its locks briefly, and other statements hardly wait. */
export const rowsAtOnce = 100

/** The last row of the previous batch. The next batch starts after it and skips rows that stay. */
const Place = Schema.Struct({ at: Schema.String, id: Schema.String })
type Place = typeof Place.Type

/** The request of a batch: the next rows after a place that are older than `days`. */
export const Asked = Schema.Struct({ after: Place, days: Schema.Int })
type Asked = typeof Asked.Type

/** The outcome of a batch: the number of removed rows, and the last row that the batch looked at, or null without rows. */
export const Done = Schema.Struct({ removed: Schema.Int, last: Schema.NullOr(Place) })
type Done = typeof Done.Type

/** The statement that removes a batch from a table that no foreign key refers to; `time` is the column with a row's age. */
export const removal = (sql: SqlClient.SqlClient, table: string, time: string) => ({
  Request: Asked,
  Result: Done,
  execute: ({ after, days }: Asked) => sql`
    WITH old AS (
      SELECT id, ${sql(time)} AS at FROM ${sql(table)}
      WHERE ${sql(time)} < statement_timestamp() - ${days} * interval '1 day'
        AND (${sql(time)}, id) > (${after.at}::timestamptz, ${after.id}::uuid)
      ORDER BY ${sql(time)}, id LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED
    ), removed AS (DELETE FROM ${sql(table)} WHERE id IN (SELECT id FROM old) RETURNING id)
    SELECT (SELECT count(*)::int FROM removed) AS removed,
      (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
})

const start: Place = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" }

/** Removes rows older than `days` in batches, one statement per batch, and returns the number of rows. Several nodes can purge at a time and share the rows. */
export const purge = (batch: (asked: Asked) => Effect.Effect<Done>, days: number) =>
  Stream.runSum(
    Stream.paginateEffect(start, (after) =>
      Effect.map(batch({ after, days }), ({ last, removed }) => [removed, Option.fromNullable(last)] as const)
    )
  )

/** Removes the old rows of a kind every ten minutes until the scope closes. Without a number of days nothing is removed. */
export const worker = (kind: string, days: Option.Option<number>, batch: (asked: Asked) => Effect.Effect<Done>) =>
  Option.match(days, {
    onNone: () => Effect.void,
    onSome: (days) =>
      purge(batch, days).pipe(
        Effect.tap((removed) => (removed > 0 ? Effect.logInfo(`Removed ${removed} old ${kind}`) : Effect.void)),
        every("10 minutes", `Old ${kind} could not be removed`)
      )
  })
