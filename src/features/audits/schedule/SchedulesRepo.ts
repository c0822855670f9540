import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { LockRepo } from "../../accounts/Repo.ts"
import { Auditing, Device } from "../Domain.ts"
import { AuditSchedule, EveryMinutes, ScheduleId } from "./AuditSchedule.ts"

const OfAccount = Schema.Struct({ account: AccountId, id: ScheduleId })

/** Reading and writing schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("audits/schedule/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, account_id, url, device, source, every_minutes, iso(next_at) AS next_at,
      iso(created_at) AS created_at`)

    const { lockAccount } = yield* LockRepo

    const countOf = Query.first({
      Request: AccountId,
      Result: Schema.Struct({ schedules: Schema.Int }),
      execute: (account) => sql`
        SELECT (SELECT count(*)::int FROM audit_schedules WHERE account_id = accounts.id) AS schedules
        FROM accounts WHERE id = ${account}`
    })

    /** None when the account does not exist; an existing schedule of the page and device is changed. */
    const put = Query.first({
      Request: AuditSchedule.pick("account_id", "url", "device", "source", "every_minutes"),
      Result: AuditSchedule,
      execute: ({ account_id, device, every_minutes, source, url }) => sql`
        INSERT INTO audit_schedules (account_id, url, device, source, every_minutes)
        SELECT id, ${url}, ${device}, ${source}, ${every_minutes} FROM accounts WHERE id = ${account_id}
        ON CONFLICT (account_id, url, device)
          DO UPDATE SET source = excluded.source, every_minutes = excluded.every_minutes,
            next_at = ${Slots.within(sql, sql`audit_schedules.next_at`, sql`excluded.every_minutes`)}
        RETURNING ${columns}`
    })

    const list = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: AuditSchedule,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM audit_schedules WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY audit_schedules.created_at, id`
    })

    const remove = Query.first({
      Request: ScheduleId,
      Result: AuditSchedule,
      execute: (id) => sql`DELETE FROM audit_schedules WHERE id = ${id} RETURNING ${columns}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: AuditSchedule,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM audit_schedules WHERE id = ${id} AND account_id = ${account}`
    })

    const page = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: AuditSchedule,
      table: "audit_schedules",
      rows: ({ account }) => sql`SELECT ${columns} FROM audit_schedules WHERE account_id = ${account}`
    })

    /** Locks the account and counts its schedules, also those that were made while it waited for the lock. */
    const lock = (account: AccountId) => Effect.zipRight(lockAccount(account), countOf(account))

    const ofPage = Query.first({
      Request: Schema.Struct({ account: AccountId, device: Device, url: Schema.String }),
      Result: AuditSchedule,
      execute: ({ account, device, url }) => sql`
        SELECT ${columns} FROM audit_schedules WHERE account_id = ${account} AND url = ${url} AND device = ${device}`
    })

    const change = Query.first({
      Request: Schema.Struct({
        ...OfAccount.fields,
        every_minutes: Schema.UndefinedOr(EveryMinutes),
        source: Schema.UndefinedOr(Auditing)
      }),
      Result: AuditSchedule,
      execute: ({ account, every_minutes, id, source }) => sql`
        UPDATE audit_schedules SET source = coalesce(${source ?? null}::text, source),
          every_minutes = coalesce(${every_minutes ?? null}::int, every_minutes),
          next_at = ${Slots.within(sql, sql`next_at`, sql`coalesce(${every_minutes ?? null}::int, every_minutes)`)}
        WHERE id = ${id} AND account_id = ${account} RETURNING ${columns}`
    })

    return { change, find, list, lock, ofPage, page, put, remove, transaction: Query.transaction(sql) }
  })
}) {}
