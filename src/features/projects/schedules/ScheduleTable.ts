import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { LockRepo } from "../../accounts/Repo.ts"
import { ProjectId } from "../Domain.ts"
import type { Recurring } from "./Schedule.ts"

/** A table of schedules. The names of the fields of `Terms`, those of its runs that an owner sets, are columns of it. */
interface Table<S extends Recurring, SI, T, TI extends Record<string, unknown>> {
  readonly name: string
  readonly Id: Schema.Schema<S["id"], string>
  readonly Schedule: Schema.Schema<S, SI>
  readonly Terms: Schema.Schema<T, TI> & { readonly fields: object }
}

/** Reading and writing the schedules of one table. */
export const scheduleTable = Effect.fnUntraced(function* <
  S extends Recurring,
  SI,
  T,
  TI extends Record<string, unknown>
>({ Id, name, Schedule, Terms }: Table<S, SI, T, TI>) {
  const sql = yield* SqlClient.SqlClient
  const { lockAccount } = yield* LockRepo
  const table = sql(name)
  const columns =
    sql.literal(`id, project_id, every, ${Object.keys(Terms.fields).join(", ")}, iso(next_at) AS next_at, last_run_id,
    CASE WHEN skipped_at IS NOT NULL THEN json_build_object('at', iso(skipped_at), 'reason', skipped_reason) END
      AS last_skipped, iso(created_at) AS created_at`)

  const interval = { every: Schema.String, every_minutes: Schema.Int }

  /** How many schedules a project and its account have. */
  const count = Query.one({
    Request: OwnedId(ProjectId),
    Result: Schema.Struct({ account: Schema.Int, project: Schema.Int }),
    execute: (project) => sql`
      SELECT count(*)::int AS account, count(*) FILTER (WHERE s.project_id = p.id)::int AS project
      FROM projects p JOIN ${table} s USING (account_id) WHERE p.id = ${project}`
  })

  const insert = Query.one({
    Request: Schema.Struct({ account: AccountId, project: OwnedId(ProjectId), terms: Terms, ...interval }),
    Result: Schedule,
    execute: ({ account: account_id, every, every_minutes, project: project_id, terms }) => sql`
      INSERT INTO ${table} ${sql.insert({ account_id, every, every_minutes, project_id, ...terms })} RETURNING ${columns}`
  })

  const find = Query.first({
    Request: Schema.Struct({ account: AccountId, id: Id }),
    Result: Schedule,
    execute: ({ account, id }) => sql`SELECT ${columns} FROM ${table} WHERE id = ${id} AND account_id = ${account}`
  })

  const list = Query.oldestFirst(sql, {
    Request: Schema.Struct({ project: OwnedId(ProjectId) }),
    Result: Schedule,
    table: "s",
    rows: ({ project }) => sql`SELECT ${columns} FROM ${table} s WHERE project_id = ${project}`
  })

  /** The next slot is due no later than one new interval from now. */
  const change = Query.one({
    Request: Schema.Struct({ schedule: OwnedId(Id), terms: Terms, ...interval }),
    Result: Schedule,
    execute: ({ every, every_minutes, schedule, terms }) => sql`
      UPDATE ${table} SET ${sql.update({ every, every_minutes, ...terms })},
        next_at = ${Slots.within(sql, sql`next_at`, sql`${every_minutes}`)}
      WHERE id = ${schedule} RETURNING ${columns}`
  })

  const remove = Query.none({
    Request: OwnedId(Id),
    execute: (schedule) => sql`DELETE FROM ${table} WHERE id = ${schedule}`
  })

  return { change, count, find, insert, list, lockAccount, remove, transaction: Query.transaction(sql) }
})

/** The statements on a table whose schedules are `S`, on the terms `T`. */
export type ScheduleTable<S extends Recurring, T> = Effect.Effect.Success<
  ReturnType<typeof scheduleTable<S, unknown, T, Record<string, unknown>>>
>
