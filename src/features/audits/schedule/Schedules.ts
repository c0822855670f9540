import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { worker } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { LockRepo } from "../../accounts/Accounts.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, listPage, whole } from "../../accounts/Handlers.ts"
import { IdempotentCreate } from "../../accounts/Idempotency.ts"
import { Owned } from "../../accounts/Owned.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { dueRows, ofAccounts, scheduleTable, tooMany } from "../../projects/Schedules.ts"
import { Auditor } from "../Auditor.ts"
import { Audits, failureOutcome, type Outcome } from "../Audits.ts"
import { type AuditFailure, Auditing, Device } from "../Domain.ts"
import { checkEquipment } from "../run/Lighthouse.ts"
import { AuditSchedule, AuditSchedulesApi, type NewSchedule, ScheduleId, schedulesPerAccount } from "./Api.ts"

/** The page to audit, and the method; an account has one schedule per page and device. */
const Terms = Schema.Struct({ url: Schema.String, device: Device, source: Auditing })

/** Reading and writing schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("audits/schedule/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { columns, ...table } = yield* scheduleTable({
      Id: ScheduleId,
      name: "audit_schedules",
      owner: ofAccounts,
      Schedule: AuditSchedule,
      Terms
    })
    const Accounted = Schema.Struct({ ...AuditSchedule.fields, account_id: AccountId })

    /** The schedules of an account or, for the administrator, of all. */
    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Accounted,
      execute: ({ account }) => sql`
        SELECT ${columns}, account_id FROM audit_schedules WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY audit_schedules.created_at, id`
    })

    const end = Query.first({
      Request: ScheduleId,
      Result: Accounted,
      execute: (id) => sql`DELETE FROM audit_schedules WHERE id = ${id} RETURNING ${columns}, account_id`
    })

    const ofPage = Query.first({
      Request: Schema.Struct({ account: AccountId, device: Device, url: Schema.String }),
      Result: AuditSchedule,
      execute: ({ account, device, url }) => sql`
        SELECT ${columns} FROM audit_schedules WHERE account_id = ${account} AND url = ${url} AND device = ${device}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId, site: Schema.UndefinedOr(Schema.String) }),
      Result: AuditSchedule,
      table: "s",
      rows: ({ account, site }) => sql`
        SELECT ${columns} FROM audit_schedules s
        WHERE account_id = ${account} AND ${site === undefined ? sql`true` : sql`site_of_address(url) = ${site}`}`
    })

    return { ...table, all, end, list, ofPage }
  })
}) {}

const missing = NotFound.of("schedule")

const taken = new Conflict({ message: "The page already has a schedule for this device. Update that schedule instead" })

/** The audit schedules of accounts. */
export class Schedules extends Effect.Service<Schedules>()("audits/schedule/Schedules", {
  dependencies: [Projects.Default, SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* SchedulesRepo
    const own = Owned.by(repo.find, "schedule")

    /** The schedule of the page and device, if there is one. The account's row is locked, which serializes concurrent requests. */
    const known = (account: AccountId, { device, url }: NewSchedule) =>
      Effect.zipRight(repo.lockAccount(account), repo.ofPage({ account, device, url: new URL(url).href }))

    /** Inserts a schedule; its first audit is due immediately. */
    const inserted = (account: AccountId, { every, url, ...terms }: NewSchedule) =>
      repo.insert({ account, every, owner: account, terms: { ...terms, url: new URL(url).href } })

    const changed = Effect.fnUntraced(function* (account: AccountId, id: ScheduleId, to: Partial<NewSchedule>) {
      const schedule = yield* own(account, id)
      const { device, every, source, url } = { ...schedule.value, ...to }
      const change = repo.change({ every, schedule, terms: { device, source, url } })
      return yield* Effect.mapError(Effect.flatten(change), () => missing)
    })

    /** Schedules a page without a limit. A scheduled page keeps its slots and gets the new interval and source. */
    const add = Traced.fn("Schedules.add")(function* (account: AccountId, asked: NewSchedule) {
      const found = yield* known(account, asked)
      if (Option.isNone(found)) return yield* inserted(account, asked)
      return yield* changed(account, found.value.id, { every: asked.every, source: asked.source })
    }, repo.transaction)

    /** The account's schedule; a missing or foreign schedule gives one error. */
    const get = (account: AccountId, id: ScheduleId) => Effect.map(own(account, id), ({ value }) => value)

    /** The account's schedules, for pages on the host of a site or of all; fails when the site is missing or another account's. */
    const list = Effect.fnUntraced(function* (account: AccountId, project: ProjectId | undefined, batch: Batch) {
      return yield* repo.list({ account, site: yield* projects.hostOf(account, project), ...batch })
    })

    /** Schedules a page for its account, within the limit. An identical schedule is returned, a different one is a conflict. */
    const create = Traced.fn("Schedules.create")(function* (account: AccountId, asked: NewSchedule) {
      const found = yield* known(account, asked)
      if (Option.isSome(found)) {
        const { every, source } = found.value
        if (every !== asked.every || source !== asked.source) return yield* taken
        return { existing: true, schedule: found.value }
      }
      const has = yield* repo.count({ account, owner: account })
      if (has.account >= schedulesPerAccount) return yield* tooMany("account", schedulesPerAccount, "audit schedules")
      return { existing: false, schedule: yield* inserted(account, asked) }
    }, repo.transaction)

    /** Serializes changes of an account's schedules: each starts from the previous result. */
    const change = Traced.fn("Schedules.change")(function* (
      account: AccountId,
      id: ScheduleId,
      to: Partial<NewSchedule>
    ) {
      yield* repo.lockAccount(account)
      return yield* changed(account, id, to)
    }, repo.transaction)

    /** Ends a schedule of the account; its past audits stay, and a running one is not recorded. */
    const remove = Traced.fn("Schedules.remove")(function* (account: AccountId, id: ScheduleId) {
      yield* repo.remove(yield* own(account, id))
    })

    /** Ends a schedule of any account, for the administrator. */
    const end = Traced.fn("Schedules.end")(function* (id: ScheduleId) {
      return yield* Effect.mapError(Effect.flatten(repo.end(id)), () => missing)
    })

    return { add, all: repo.all, change, create, end, get, list, remove }
  })
}) {}

export const layer = HttpApiBuilder.group(apiRoot.add(AuditSchedulesApi), "audit-schedules", (handlers) =>
  Effect.gen(function* () {
    const schedules = yield* Schedules
    const { creating } = yield* IdempotentCreate
    return handlers
      .handle("list", ({ urlParams: { cursor, limit, project_id: project } }) =>
        listPage(
          { cursor, limit, of: ["audit-schedules", ...(project === undefined ? [] : ["project", project])] },
          (account, batch) => schedules.list(account, project, batch),
          byCreation
        )
      )
      .handle(
        "create",
        (asked) =>
          creating(asked, (account) =>
            Effect.map(schedules.create(account, asked.payload), ({ existing, schedule }) => ({
              data: schedule,
              existing,
              location: `/api/v1/audit-schedules/${schedule.id}`
            }))
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => schedules.get(account, path.schedule_id)))
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => schedules.change(account, path.schedule_id, payload)),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => schedules.remove(account, path.schedule_id)), whole)
  })
).pipe(Layer.provide([IdempotentCreate.Default, Schedules.Default]))

/** A due, locked schedule. */
const Claim = Schema.Struct({ ...LeaseQueue.Held(ScheduleId).fields, ...Terms.fields, account: AccountId })
type Claim = typeof Claim.Type

/** The schedules as queues, one per source. */
export class DueRepo extends Effect.Service<DueRepo>()("audits/schedule/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const of = Effect.fnUntraced(function* (source: Auditing) {
      const { ending, nextSlot, queue } = yield* dueRows({
        claim: Claim,
        columns: "account_id AS account, url, device, source",
        name: `audits by ${source}`,
        only: sql`source = ${source}`,
        table: "audit_schedules"
      })
      return { audited: ending(Schema.Void, () => nextSlot), queue }
    })
    return { lighthouse: yield* of("lighthouse"), psi: yield* of("psi") }
  })
}) {}

const lost: AuditFailure = {
  code: "worker_lost",
  message: `The audit stopped unexpectedly ${LeaseQueue.attemptsAtMost} times in a row. See the server's log.`,
  lighthouse_code: null
}

const broken: AuditFailure = {
  code: "lighthouse_error",
  message: "The audit failed with a server error. See the server's log.",
  lighthouse_code: null
}

/** Runs the due audits of one source. Slots are minutes apart, so one poll per second suffices. */
const auditing = Effect.fnUntraced(function* (source: Auditing) {
  const auditor = yield* Auditor
  const audits = yield* Audits
  const { audited, queue } = (yield* DueRepo)[source]
  const failing = (failure: AuditFailure) => (claim: Claim) => failureOutcome(claim.url, claim.device, failure)
  yield* worker({
    broken: failing(broken),
    lost: failing(lost),
    name: "audit",
    outcome: ({ verdict }) => (Either.isLeft(verdict) ? verdict.left.code : "completed"),
    queue,
    // Outcome, event and next slot are one transaction; nothing is recorded without the lock.
    store: (claim, outcome: Outcome) =>
      Effect.zipRight(
        audited(claim, undefined),
        Effect.asVoid(Effect.orDie(audits.record({ account: claim.account, schedule: claim.id, source }, outcome)))
      ),
    work: (claim) =>
      Effect.catchAll(auditor.audit(source, claim.url, claim.device), ({ failure }) =>
        Effect.succeed(failing(failure)(claim))
      )
  })
})

/** The sources that this server supports. */
const equipment = checkEquipment.pipe(
  Effect.as<ReadonlyArray<Auditing>>(["lighthouse", "psi"]),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This server does not run scheduled Lighthouse audits: ${message}`), ["psi"] as const)
  )
)

/** Runs scheduled audits until its scope ends. */
export const workerLayer = Layer.scopedDiscard(
  Effect.flatMap(equipment, (sources) => Effect.forEach(sources, auditing, { discard: true }))
).pipe(Layer.provide([Auditor.Default, Audits.Default, DueRepo.Default]), Layer.provide(BunContext.layer))
