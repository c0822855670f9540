import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held, worker } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { LockRepo } from "../../accounts/Accounts.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, pageForCaller, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import { Owned } from "../../accounts/Owned.ts"
import { Auditor } from "../Auditor.ts"
import { Audits, failureOutcome, type Outcome } from "../Audits.ts"
import { type AuditFailure, Auditing, Device } from "../Domain.ts"
import { checkEquipment } from "../run/Lighthouse.ts"
import {
  AuditSchedule,
  AuditSchedulesApi,
  EveryMinutes,
  type NewSchedule,
  resourceOf,
  ScheduleId,
  ScheduleResource,
  schedulesPerAccount
} from "./Api.ts"

const Held = LeaseQueue.Held(ScheduleId)

/** A due schedule under lease. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  url: Schema.String,
  device: Device,
  source: Auditing
})
type Claim = typeof Claim.Type

/** The schedules as a queue: claims by source, and the move to the next slot. */
export class DueRepo extends Effect.Service<DueRepo>()("audits/schedule/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queueOf = (source: Auditing) =>
      LeaseQueue.queue(sql, {
        claim: Claim,
        columns: sql`account_id AS account, url, device, source`,
        name: `audits by ${source}`,
        only: sql`source = ${source}`,
        table: "audit_schedules"
      })

    const finish = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ScheduleId }),
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET ${LeaseQueue.next(sql)} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      finish: (claim: Claim) => held(finish(claim)),
      queues: { lighthouse: queueOf("lighthouse"), psi: queueOf("psi") }
    }
  })
}) {}

/** Audits the pages of claimed schedules, and records the outcome together with the next slot. */
export class ExecuteAudit extends Effect.Service<ExecuteAudit>()("audits/schedule/ExecuteAudit", {
  dependencies: [Auditor.Default, Audits.Default, DueRepo.Default],
  effect: Effect.gen(function* () {
    const auditor = yield* Auditor
    const audits = yield* Audits
    const due = yield* DueRepo

    const work = ({ device, source, url }: Claim) =>
      Effect.catchAll(auditor.audit(source, url, device), ({ failure }) =>
        Effect.succeed<Outcome>(failureOutcome(url, device, failure))
      )

    /** The outcome, its event and the next slot are one transaction; nothing is recorded without the lease. */
    const store = (claim: Claim, outcome: Outcome) => {
      const { account, id, source } = claim
      return Effect.zipRight(
        due.finish(claim),
        Effect.asVoid(Effect.orDie(audits.record({ account, schedule: id, source }, outcome)))
      )
    }

    return { store, work }
  })
}) {}

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
            next_at = ${LeaseQueue.within(sql, sql`audit_schedules.next_at`, sql`excluded.every_minutes`)}
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
          next_at = ${LeaseQueue.within(sql, sql`next_at`, sql`coalesce(${every_minutes ?? null}::int, every_minutes)`)}
        WHERE id = ${id} AND account_id = ${account} RETURNING ${columns}`
    })

    return { change, find, list, lock, ofPage, page, put, remove, transaction: Query.transaction(sql) }
  })
}) {}

/** Changes to a schedule; undefined leaves a field as it is. */
interface ScheduleChange {
  readonly every_minutes: AuditSchedule["every_minutes"] | undefined
  readonly source: AuditSchedule["source"] | undefined
}

const noAccount = NotFound.of("account")

const taken = new Conflict({ message: "The page already has a schedule for this device: change that one" })

const tooMany = LeaseQueue.tooMany("account", schedulesPerAccount, "audit schedules")

/** The audit schedules of accounts. */
export class Schedules extends Effect.Service<Schedules>()("audits/schedule/Schedules", {
  dependencies: [SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* SchedulesRepo

    /** Schedules a page: the first audit is due at once. Scheduled again, the page keeps its slots and gets the new interval and source. */
    const add = Traced.fn("Schedules.add")(function* (account: AccountId, { url, ...schedule }: NewSchedule) {
      return yield* Effect.mapError(
        Effect.flatten(repo.put({ account_id: account, url: new URL(url).href, ...schedule })),
        () => noAccount
      )
    })

    const own = Owned.by(repo.find, "schedule")

    /** The account's schedule; the same error when it is missing or another account's. */
    const get = (account: AccountId, id: ScheduleId) => Effect.map(own(account, id), ({ value }) => value)

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    /**
     * Schedules a page for its account. An identical schedule is returned, a different one is a conflict. The account's row is locked, so that
     * concurrent requests cannot pass the limit.
     */
    const create = Traced.fn("Schedules.create")(function* (account: AccountId, { url, ...schedule }: NewSchedule) {
      const address = new URL(url).href
      const { schedules } = yield* Effect.mapError(Effect.flatten(repo.lock(account)), () => noAccount)
      const known = yield* repo.ofPage({ account, device: schedule.device, url: address })
      if (Option.isSome(known)) {
        const { every_minutes, source } = known.value
        if (every_minutes !== schedule.every_minutes || source !== schedule.source) return yield* taken
        return { existing: true, schedule: known.value }
      }
      if (schedules >= schedulesPerAccount) return yield* tooMany
      return { existing: false, schedule: yield* add(account, { url: address, ...schedule }) }
    }, repo.transaction)

    const change = Traced.fn("Schedules.change")(function* (account: AccountId, id: ScheduleId, to: ScheduleChange) {
      return yield* Effect.mapError(Effect.flatten(repo.change({ account, id, ...to })), () => NotFound.of("schedule"))
    })

    /** Ends a schedule; the audits that it made stay, and one under way is not recorded. */
    const remove = Traced.fn("Schedules.remove")(function* (id: ScheduleId) {
      return yield* Effect.mapError(Effect.flatten(repo.remove(id)), () => NotFound.of("schedule"))
    })

    /** Ends a schedule of the account, as `remove` does. */
    const end = Traced.fn("Schedules.end")(function* (account: AccountId, id: ScheduleId) {
      yield* remove((yield* own(account, id)).id)
    })

    return { add, change, create, end, get, list: repo.list, page, remove }
  })
}) {}

const encode = Schema.encodeSync(ScheduleResource)

export const layer = HttpApiBuilder.group(apiRoot.add(AuditSchedulesApi), "audit-schedules", (handlers) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams }) =>
        pageForCaller(
          { ...urlParams, of: ["audit-schedules"] },
          (account, batch) => Effect.map(schedules.page(account, batch), (rows) => rows.map(resourceOf)),
          byCreation
        )
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) => {
            const { every, ...schedule } = asked.payload
            return Effect.map(schedules.create(account, { ...schedule, every_minutes: every }), (made) => ({
              data: encode(resourceOf(made.schedule)),
              existing: made.existing,
              location: `/api/v1/audit-schedules/${made.schedule.id}`
            }))
          }),
        whole
      )
      .handle("get", ({ path }) =>
        answer((account) => Effect.map(schedules.get(account, path.schedule_id), resourceOf))
      )
      .handle(
        "patch",
        ({ path, payload: { every, source } }) =>
          answer((account) =>
            Effect.map(schedules.change(account, path.schedule_id, { every_minutes: every, source }), resourceOf)
          ),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => schedules.end(account, path.schedule_id)), whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))

const lost: AuditFailure = {
  code: "worker_lost",
  message: `The worker of this audit stopped ${LeaseQueue.attemptsAtMost} times in a row.`,
  lighthouse_code: null
}

const broken: AuditFailure = {
  code: "lighthouse_error",
  message: "The audit failed unexpectedly; see the server log.",
  lighthouse_code: null
}

/** Runs the due audits of one source. Slots are minutes apart, so one look a second is enough. */
const auditing = Effect.fnUntraced(function* (source: Auditing) {
  const { queues } = yield* DueRepo
  const { store, work } = yield* ExecuteAudit
  const failing = (failure: AuditFailure) => (claim: Claim) => failureOutcome(claim.url, claim.device, failure)
  yield* worker({
    broken: failing(broken),
    lost: failing(lost),
    name: "audit",
    outcome: ({ verdict }) => (Either.isLeft(verdict) ? verdict.left.code : "completed"),
    queue: queues[source],
    store,
    work
  })
})

/** The sources that this node can serve. */
const equipment = checkEquipment.pipe(
  Effect.as<ReadonlyArray<Auditing>>(["lighthouse", "psi"]),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This node does not run scheduled Lighthouse audits. ${message}`), ["psi"] as const)
  )
)

/** Runs scheduled audits until its scope ends. */
export const workerLayer = Layer.scopedDiscard(
  Effect.flatMap(equipment, (sources) => Effect.forEach(sources, auditing, { discard: true }))
).pipe(Layer.provide([ExecuteAudit.Default, DueRepo.Default]), Layer.provide(BunContext.layer))
