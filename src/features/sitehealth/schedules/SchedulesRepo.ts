import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { LockRepo } from "../../accounts/Repo.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { ScheduleId, SiteHealthSchedule } from "./Schedule.ts"

const OfAccount = Schema.Struct({ account: AccountId, id: ScheduleId })

/** The fields of a schedule that its owner sets. */
const Terms = {
  every: Schema.String,
  every_minutes: Schema.Int,
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean
}

/** Reading and writing schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("sitehealth/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns =
      sql.literal(`id, project_id, every, url, max_pages, check_dead_links, check_external_links, iso(next_at) AS next_at, last_run_id,
      CASE WHEN skipped_at IS NOT NULL THEN json_build_object('at', iso(skipped_at), 'reason', skipped_reason) END
        AS last_skipped, iso(created_at) AS created_at`)

    const { lockAccount } = yield* LockRepo

    /** How many schedules a project and its account have. */
    const count = Query.one({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ account: Schema.Int, project: Schema.Int }),
      execute: (project) => sql`
        SELECT count(*)::int AS account, count(*) FILTER (WHERE s.project_id = p.id)::int AS project
        FROM projects p JOIN site_health_schedules s USING (account_id) WHERE p.id = ${project}`
    })

    const insert = Query.one({
      Request: Schema.Struct({ account_id: AccountId, project_id: ProjectId, ...Terms }),
      Result: SiteHealthSchedule,
      execute: (schedule) => sql`
        INSERT INTO site_health_schedules ${sql.insert(schedule)} RETURNING ${columns}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: SiteHealthSchedule,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM site_health_schedules WHERE id = ${id} AND account_id = ${account}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: SiteHealthSchedule,
      table: "s",
      rows: ({ project }) => sql`SELECT ${columns} FROM site_health_schedules s WHERE project_id = ${project}`
    })

    /** The next slot is due no later than one new interval from now. */
    const change = Query.one({
      Request: Schema.Struct({ schedule: OwnedId(ScheduleId), ...Terms }),
      Result: SiteHealthSchedule,
      execute: ({ check_dead_links, check_external_links, every, every_minutes, max_pages, schedule, url }) => sql`
        UPDATE site_health_schedules SET every = ${every}, every_minutes = ${every_minutes}, url = ${url},
          max_pages = ${max_pages}, check_dead_links = ${check_dead_links},
          check_external_links = ${check_external_links},
          next_at = ${Slots.within(sql, sql`next_at`, sql`${every_minutes}`)}
        WHERE id = ${schedule} RETURNING ${columns}`
    })

    const remove = Query.none({
      Request: OwnedId(ScheduleId),
      execute: (schedule) => sql`DELETE FROM site_health_schedules WHERE id = ${schedule}`
    })

    return { change, count, find, insert, list, lockAccount, remove, transaction: Query.transaction(sql) }
  })
}) {}
