import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held, type LeaseLost, worker } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import { attemptsAtMost, type Held, type LeaseQueue as ScheduleQueue } from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import type { ListQuery } from "../../foundation/http/Paging.ts"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { LockRepo } from "../accounts/Accounts.ts"
import { AccountId } from "../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, listPage } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { type Project, ProjectId } from "./Domain.ts"
import { Projects } from "./Projects.ts"
import { type Recurring, schedulesAtMost } from "./Schedule.ts"

/** A table of schedules whose due ones are claimed as `C`. */
interface Due<C extends LeaseQueue.Held, I> extends Pick<LeaseQueue.Queue<C, I>, "claim" | "name" | "table"> {
  /** The columns of the terms of its runs. */
  readonly terms: string
}

/** The schedules of a table as a queue: claims, and the move to the next slot. */
export const dueSchedules = <C extends LeaseQueue.Held, I>({ claim, name, table, terms }: Due<C, I>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const next = LeaseQueue.next(sql)
    const rows = sql(table)
    const Held = { id: Schema.UUID, lease: Schema.UUID }
    const Row = Schema.Struct({ id: Schema.UUID })

    const queue = LeaseQueue.queue(sql, {
      claim,
      columns: sql`account_id AS account, project_id AS project, ${sql.literal(terms)}`,
      name,
      table
    })

    const started = Query.first({
      Request: Schema.Struct({ ...Held, run: Schema.UUID }),
      Result: Row,
      execute: ({ id, lease, run }) => sql`
        UPDATE ${rows} SET ${next}, last_run_id = ${run} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const skipped = Query.first({
      Request: Schema.Struct({ ...Held, reason: Schema.String }),
      Result: Row,
      execute: ({ id, lease, reason }) => sql`
        UPDATE ${rows} SET ${next}, skipped_at = clock_timestamp(), skipped_reason = ${reason}
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      queue,
      skipped: ({ id, lease }: C, reason: string) => Effect.asVoid(held(skipped({ id, lease, reason }))),
      started: ({ id, lease }: C, run: string) => Effect.asVoid(held(started({ id, lease, run })))
    }
  })

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
        next_at = ${LeaseQueue.within(sql, sql`next_at`, sql`${every_minutes}`)}
      WHERE id = ${schedule} RETURNING ${columns}`
  })

  const remove = Query.none({
    Request: OwnedId(Id),
    execute: (schedule) => sql`DELETE FROM ${table} WHERE id = ${schedule}`
  })

  return { change, count, find, insert, list, lockAccount, remove, transaction: Query.transaction(sql) }
})

/** The statements on a table whose schedules are `S`, on the terms `T`. */
type ScheduleTable<S extends Recurring, T> = Effect.Effect.Success<
  ReturnType<typeof scheduleTable<S, unknown, T, Record<string, unknown>>>
>

/** What every kind of schedules is asked for. */
interface Interval {
  readonly every: string
}

/** One kind of schedules: `Asked` is what an owner asks for, and what a schedule stands for; `T` are the terms that are stored of it. */
interface Kind<S extends Recurring & Asked, Asked extends Interval, T, E> {
  /** The name of its spans. */
  readonly name: string
  /** What its limits call them. */
  readonly plural: string
  readonly table: ScheduleTable<S, T>
  readonly termsOf: (project: Project, asked: Asked) => Effect.Effect<T, E>
}

/** The use cases of a kind of schedules of an account's projects. */
export const schedulesOf = Effect.fnUntraced(function* <S extends Recurring & Asked, Asked extends Interval, T, E>({
  name,
  plural,
  table,
  termsOf
}: Kind<S, Asked, T, E>) {
  const projects = yield* Projects
  const mine = Owned.by(table.find, "schedule")
  const tooMany = (owner: keyof typeof schedulesAtMost) => LeaseQueue.tooMany(owner, schedulesAtMost[owner], plural)

  /** The schedule of the project that the path names. */
  const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: S["id"]) {
    const schedule = yield* mine(account, id)
    return schedule.value.project_id === project ? schedule : yield* NotFound.of("schedule")
  })

  const inserted = Effect.fnUntraced(function* (project: Owned<Project>, asked: Asked) {
    const { account, value } = project
    const { every } = asked
    const terms = yield* termsOf(value, asked)
    return yield* table.insert({ account, every, every_minutes: minutesOf(every), project, terms })
  })

  /** Schedules runs without a limit; the first run is due at once. */
  const add = Traced.fn(`${name}.add`)(function* (account: AccountId, id: ProjectId, asked: Asked) {
    return yield* inserted(yield* projects.own(account, id), asked)
  })

  /** The same within the limits. The account's row is locked, so that concurrent requests cannot pass them. */
  const create = Traced.fn(`${name}.create`)(function* (account: AccountId, id: ProjectId, asked: Asked) {
    yield* table.lockAccount(account)
    const project = yield* projects.own(account, id)
    const has = yield* table.count(project)
    if (has.project >= schedulesAtMost.project) return yield* tooMany("project")
    if (has.account >= schedulesAtMost.account) return yield* tooMany("account")
    return yield* inserted(project, asked)
  }, table.transaction)

  const list = Traced.fn(`${name}.list`)(function* (account: AccountId, project: ProjectId, batch: Batch) {
    return yield* table.list({ ...batch, project: yield* projects.own(account, project) })
  })

  const get = (account: AccountId, project: ProjectId, id: S["id"]) =>
    Effect.map(own(account, project, id), ({ value }) => value)

  const change = Traced.fn(`${name}.change`)(function* (
    account: AccountId,
    project: ProjectId,
    id: S["id"],
    patch: Partial<Asked>
  ) {
    const schedule = yield* own(account, project, id)
    const asked = { ...schedule.value, ...patch }
    const terms = yield* termsOf(yield* projects.get(account, project), asked)
    return yield* table.change({ every: asked.every, every_minutes: minutesOf(asked.every), schedule, terms })
  })

  /** Its runs stay. */
  const remove = Traced.fn(`${name}.remove`)(function* (account: AccountId, project: ProjectId, id: S["id"]) {
    yield* table.remove(yield* own(account, project, id))
  })

  return { add, change, create, get, list, plural, remove }
})

/** The use cases of the schedules `S`. */
type Schedules<S extends Recurring & Asked, Asked extends Interval, T, E> = Effect.Effect.Success<
  ReturnType<typeof schedulesOf<S, Asked, T, E>>
>

interface OfProject {
  readonly path: { readonly project_id: ProjectId }
}

interface OfSchedule<Id> {
  readonly path: { readonly project_id: ProjectId; readonly schedule_id: Id }
}

/** How the endpoints of a kind of schedules are answered; `room` is the part of their path that names the kind. */
export const scheduleHandlers = <
  S extends Recurring & Asked & { readonly created_at: string },
  Asked extends Interval,
  T,
  E
>(
  schedules: Schedules<S, Asked, T, E>,
  room: string
) =>
  Effect.map(IdempotentCreate, ({ creating }) => ({
    change: ({ path, payload }: OfSchedule<S["id"]> & { readonly payload: Partial<Asked> }) =>
      answer((account) => schedules.change(account, path.project_id, path.schedule_id, payload)),
    create: (
      asked: OfProject & { readonly headers: { readonly "idempotency-key"?: string }; readonly payload: Asked }
    ) =>
      creating(asked, (account) =>
        Effect.map(schedules.create(account, asked.path.project_id, asked.payload), (schedule) => ({
          data: schedule,
          location: `/api/v1/projects/${schedule.project_id}/${room}/schedules/${schedule.id}`
        }))
      ),
    get: ({ path }: OfSchedule<S["id"]>) =>
      answer((account) => schedules.get(account, path.project_id, path.schedule_id)),
    list: ({ path: { project_id: project }, urlParams }: OfProject & { readonly urlParams: Omit<ListQuery, "of"> }) =>
      listPage(
        { ...urlParams, of: [schedules.plural, project] },
        (account, batch) => schedules.list(account, project, batch),
        byCreation
      ),
    remove: ({ path }: OfSchedule<S["id"]>) =>
      forCaller((account) => schedules.remove(account, path.project_id, path.schedule_id))
  }))

/** Why a slot is skipped without a start; usually none. */
type SkipReason = Option.Option<string>

const skip = (reason: string) => (): SkipReason => Option.some(reason)

/** Schedules that are due, and what becomes of a slot. */
interface DueWork<C extends Held, E, R> {
  /** Starts the run of a slot, as its account would, or skips the slot. */
  readonly begin: (claim: C) => Effect.Effect<void, E, R>
  readonly name: string
  readonly queue: ScheduleQueue<C>
  readonly skipped: (claim: C, reason: string) => Effect.Effect<void, E>
}

/** Starts the runs of the schedules that are due until its scope ends. */
export const startingDue = <C extends Held, R>({ begin, name, queue, skipped }: DueWork<C, LeaseLost, R>) =>
  worker({
    broken: skip("The server failed to start a run; see its log"),
    lost: skip(`The worker of this schedule stopped ${attemptsAtMost} times in a row`),
    name,
    outcome: Option.match({ onNone: () => "completed", onSome: () => "skipped" }),
    queue,
    // The run, its notification and the next slot are one transaction: a slot starts one run even if the worker dies in between.
    store: (claim, reason: SkipReason) =>
      Option.match(reason, { onNone: () => begin(claim), onSome: (reason) => skipped(claim, reason) }),
    work: () => Effect.succeedNone
  })
