import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import * as Slots from "../../../../foundation/database/Slots.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { LockRepo } from "../../../accounts/Repo.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Engine } from "../Domain.ts"
import { GeoSchedule, ScheduleId } from "./Schedule.ts"

/** The fields of a schedule that its owner sets. */
const Terms = {
  engines: Schema.Array(Engine),
  every: Schema.String,
  every_minutes: Schema.Int,
  repeats: Schema.Int
}

/** Reading and writing schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("visibility/schedules/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, project_id, every, engines, repeats, iso(next_at) AS next_at, last_run_id,
      CASE WHEN skipped_at IS NOT NULL THEN json_build_object('at', iso(skipped_at), 'reason', skipped_reason) END
        AS last_skipped, iso(created_at) AS created_at`)

    const { lockAccount } = yield* LockRepo

    /** How many schedules a project and its account have. */
    const count = Query.one({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ account: Schema.Int, project: Schema.Int }),
      execute: (project) => sql`
        SELECT count(*)::int AS account, count(*) FILTER (WHERE s.project_id = p.id)::int AS project
        FROM projects p JOIN geo_schedules s USING (account_id) WHERE p.id = ${project}`
    })

    const insert = Query.one({
      Request: Schema.Struct({ project: OwnedId(ProjectId), ...Terms }),
      Result: GeoSchedule,
      execute: ({ engines, every, every_minutes, project, repeats }) => sql`
        INSERT INTO geo_schedules (account_id, project_id, every, every_minutes, engines, repeats)
        SELECT account_id, id, ${every}, ${every_minutes}, ${engines}::text[], ${repeats} FROM projects WHERE id = ${project}
        RETURNING ${columns}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: ScheduleId }),
      Result: GeoSchedule,
      execute: ({ account, id }) =>
        sql`SELECT ${columns} FROM geo_schedules WHERE id = ${id} AND account_id = ${account}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: GeoSchedule,
      table: "s",
      rows: ({ project }) => sql`SELECT ${columns} FROM geo_schedules s WHERE project_id = ${project}`
    })

    /** The next slot is due no later than one new interval from now. */
    const change = Query.one({
      Request: Schema.Struct({ schedule: OwnedId(ScheduleId), ...Terms }),
      Result: GeoSchedule,
      execute: ({ engines, every, every_minutes, repeats, schedule }) => sql`
        UPDATE geo_schedules SET every = ${every}, every_minutes = ${every_minutes}, engines = ${engines}::text[],
          repeats = ${repeats}, next_at = ${Slots.within(sql, sql`next_at`, sql`${every_minutes}`)}
        WHERE id = ${schedule} RETURNING ${columns}`
    })

    const remove = Query.none({
      Request: OwnedId(ScheduleId),
      execute: (schedule) => sql`DELETE FROM geo_schedules WHERE id = ${schedule}`
    })

    return { change, count, find, insert, list, lockAccount, remove, transaction: Query.transaction(sql) }
  })
}) {}
