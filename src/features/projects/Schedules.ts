import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held, type LeaseLost, worker } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import { attemptsAtMost, type Held } from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import type { ListQuery } from "../../foundation/http/Paging.ts"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { LockRepo } from "../accounts/Accounts.ts"
import { AccountId } from "../accounts/Domain.ts"
import { answer, type Batch, byCreation, forCaller, listPage } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { Owned, OwnedId } from "../accounts/Owned.ts"
import { type Project, ProjectId } from "./Domain.ts"
import { Projects } from "./Projects.ts"
import { schedulesAtMost } from "./Schedule.ts"

/** A table of recurring work with the columns `account_id` and `next_at`; due rows are claimed as `C`. */
interface Due<C extends Held, I> extends Pick<LeaseQueue.Queue<C, I>, "claim" | "name" | "table"> {
  /** The columns of a claim beside `id` and `lease`. */
  readonly columns: string
  /** The id column, `id` by default. */
  readonly key?: string
  /** The condition for rows of this queue; all rows of the table by default. */
  readonly only?: Fragment
}

/** The queue of due rows of a table, with the ends of a claim. */
export const dueRows = <C extends Held, I>({ claim, columns, key = "id", name, only, table }: Due<C, I>) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const [rows, id] = [sql(table), sql(key)]

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost,
      claim,
      columns: sql.literal(columns),
      due: sql`next_at <= (SELECT clock_timestamp())`,
      key,
      name,
      oldest: "next_at",
      table,
      ...(only !== undefined && { only })
    })

    /** Ends a claim: frees the row, with the assignments of `set`. Fails with `LeaseLost` when another worker has the row. */
    const ending = <A, I>(From: Schema.Schema<A, I>, set: (from: I) => Fragment) => {
      const end = Query.first({
        Request: Schema.Struct({ from: From, id: Schema.UUID, lease: Schema.UUID }),
        Result: Schema.Struct({ id: Schema.UUID }),
        execute: (of) => sql`
          UPDATE ${rows} SET ${LeaseQueue.over(sql)}, ${set(of.from)} WHERE ${id} = ${of.id} AND lease = ${of.lease} RETURNING ${id} AS id`
      })
      return ({ id, lease }: C, from: A) => Effect.asVoid(held(end({ from, id, lease })))
    }

    return {
      ending,
      /** Moves to the next slot of `every_minutes`. Missed slots are not repeated. */
      nextSlot: sql`next_at = next_at + every_minutes * interval '1 minute'
        * (1 + floor(extract(epoch FROM clock_timestamp() - next_at) / (60 * every_minutes))::float8)`,
      queue
    }
  })

/** The fields of every schedule beside the terms of its work. */
interface Recurring {
  readonly id: string
  readonly every: string
}

/** A schema with fields, which name the columns of its table. */
interface Named {
  readonly fields: object
}

/** A table of schedules. The fields of `Terms`, the owner's settings of the work, and of `Schedule` are its columns. */
interface Table<S extends Recurring, SI, T, TI extends Record<string, unknown>, O, OI extends string> {
  readonly name: string
  readonly Id: Schema.Schema<S["id"], string>
  /** The owner for listing and limiting schedules. */
  readonly owner: { readonly column: string; readonly Owner: Schema.Schema<O, OI> }
  readonly Schedule: Schema.Schema<S, SI> & Named
  readonly Terms: Schema.Schema<T, TI> & Named
}

/** Schedules of an account. */
export const ofAccounts = { column: "account_id", Owner: AccountId }

/** Schedules of an account's project. */
export const ofProjects = { column: "project_id", Owner: OwnedId(ProjectId) }

/** SQL of fields that are no plain column. */
const shown: Readonly<Record<string, string>> = {
  created_at: "iso(created_at) AS created_at",
  last_skipped:
    "CASE WHEN skipped_at IS NOT NULL THEN json_build_object('at', iso(skipped_at), 'reason', skipped_reason) END AS last_skipped",
  next_at: "iso(next_at) AS next_at"
}

/** The queue of projects' schedules that start runs, with the terms `T`. */
export const dueRuns = <Id extends string, T, TI extends Record<string, unknown>>(
  {
    Id,
    name: table,
    Terms
  }: Pick<Table<Recurring & { readonly id: Id }, unknown, T, TI, unknown, string>, "Id" | "name" | "Terms">,
  name: string
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const Claim = Schema.Struct({ ...LeaseQueue.Held(Id).fields, account: AccountId, project: ProjectId })
    const { ending, nextSlot, queue } = yield* dueRows({
      claim: Schema.extend(Claim, Terms),
      columns: ["account_id AS account", "project_id AS project", ...Object.keys(Terms.fields)].join(", "),
      name,
      table
    })
    return {
      queue,
      skipped: ending(
        Schema.String,
        (reason) => sql`${nextSlot}, skipped_at = clock_timestamp(), skipped_reason = ${reason}`
      ),
      started: ending(Schema.UUID, (run) => sql`${nextSlot}, last_run_id = ${run}`)
    }
  })

/** Statements over the schedules of one table. */
export const scheduleTable = Effect.fnUntraced(function* <
  S extends Recurring,
  SI,
  T,
  TI extends Record<string, unknown>,
  O,
  OI extends string
>({ Id, name, owner: { column, Owner }, Schedule, Terms }: Table<S, SI, T, TI, O, OI>) {
  const sql = yield* SqlClient.SqlClient
  const { lockAccount } = yield* LockRepo
  const table = sql(name)
  const columns = sql.literal(
    Object.keys(Schedule.fields)
      .map((field) => shown[field] ?? field)
      .join(", ")
  )

  const OfOwner = { account: AccountId, owner: Owner }
  const Asked = { every: Schema.String, terms: Terms }
  const values = (every: string, terms: TI) => ({ every, every_minutes: minutesOf(every), ...terms })

  /** The number of schedules of an account, and of the owner. */
  const count = Query.one({
    Request: Schema.Struct(OfOwner),
    Result: Schema.Struct({ account: Schema.Int, owner: Schema.Int }),
    execute: ({ account, owner }) => sql`
      SELECT count(*)::int AS account, count(*) FILTER (WHERE ${sql(column)} = ${owner})::int AS owner
      FROM ${table} WHERE account_id = ${account}`
  })

  const insert = Query.one({
    Request: Schema.Struct({ ...OfOwner, ...Asked }),
    Result: Schedule,
    execute: ({ account, every, owner, terms }) => sql`
      INSERT INTO ${table} ${sql.insert({ account_id: account, ...values(every, terms), [column]: owner })} RETURNING ${columns}`
  })

  const find = Query.first({
    Request: Schema.Struct({ account: AccountId, id: Id }),
    Result: Schedule,
    execute: ({ account, id }) => sql`SELECT ${columns} FROM ${table} WHERE id = ${id} AND account_id = ${account}`
  })

  const list = Query.oldestFirst(sql, {
    Request: Schema.Struct({ owner: Owner }),
    Result: Schedule,
    table: "s",
    rows: ({ owner }) => sql`SELECT ${columns} FROM ${table} s WHERE ${sql(column)} = ${owner}`
  })

  /** Changes a schedule. The next slot is due within one new interval from now. */
  const change = Query.first({
    Request: Schema.Struct({ schedule: OwnedId(Id), ...Asked }),
    Result: Schedule,
    execute: ({ every, schedule, terms }) => sql`
      UPDATE ${table} SET ${sql.update(values(every, terms))},
        next_at = least(next_at, clock_timestamp() + ${minutesOf(every)} * interval '1 minute')
      WHERE id = ${schedule} RETURNING ${columns}`
  })

  const remove = Query.none({
    Request: OwnedId(Id),
    execute: (schedule) => sql`DELETE FROM ${table} WHERE id = ${schedule}`
  })

  return { change, columns, count, find, insert, list, lockAccount, remove, transaction: Query.transaction(sql) }
})

/** The error for one more schedule than allowed. */
export const tooMany = (owner: "account" | "site", limit: number, plural: string) =>
  Invalid.of("body", `The ${owner} has ${limit} ${plural}, which is the limit: delete one first`)

/** A schedule of a project. */
interface OfProject extends Recurring {
  readonly project_id: ProjectId
}

/** The statements over a table of projects' schedules `S` with the terms `T`. */
type ProjectTable<S extends OfProject, T> = Effect.Effect.Success<
  ReturnType<typeof scheduleTable<S, unknown, T, Record<string, unknown>, typeof ofProjects.Owner.Type, ProjectId>>
>

/** The requested interval of any kind of schedule. */
interface Interval {
  readonly every: string
}

/** One kind of schedules: `Asked` is the owner's request, which a schedule includes; `T` has the stored terms. */
interface Kind<S extends OfProject & Asked, Asked extends Interval, T, E> {
  /** The name of its spans. */
  readonly name: string
  /** The noun in messages of its limits. */
  readonly plural: string
  readonly table: ProjectTable<S, T>
  /** `sent` are the fields of the request: all that is asked for, or those that change. */
  readonly termsOf: (project: Project, asked: Asked, sent: Partial<Asked>) => Effect.Effect<T, E>
}

const missing = NotFound.of("schedule")

/** The use cases of a kind of schedules of an account's projects. */
export const schedulesOf = Effect.fnUntraced(function* <S extends OfProject & Asked, Asked extends Interval, T, E>({
  name,
  plural,
  table,
  termsOf
}: Kind<S, Asked, T, E>) {
  const projects = yield* Projects
  const mine = Owned.by(table.find, "schedule")

  /** The schedule of the project in the path. */
  const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: S["id"]) {
    const schedule = yield* mine(account, id)
    return schedule.value.project_id === project ? schedule : yield* missing
  })

  const inserted = Effect.fnUntraced(function* (project: Owned<Project>, asked: Asked) {
    const terms = yield* termsOf(project.value, asked, asked)
    return yield* table.insert({ account: project.account, every: asked.every, owner: project, terms })
  })

  /** Schedules runs without a limit; the first run is due immediately. */
  const add = Traced.fn(`${name}.add`)(function* (account: AccountId, id: ProjectId, asked: Asked) {
    return yield* inserted(yield* projects.own(account, id), asked)
  })

  /** Schedules runs within the limits. The account's row is locked, so concurrent requests cannot exceed them. */
  const create = Traced.fn(`${name}.create`)(function* (account: AccountId, id: ProjectId, asked: Asked) {
    yield* table.lockAccount(account)
    const project = yield* projects.own(account, id)
    const has = yield* table.count({ account, owner: project })
    if (has.owner >= schedulesAtMost.project) return yield* tooMany("site", schedulesAtMost.project, plural)
    if (has.account >= schedulesAtMost.account) return yield* tooMany("account", schedulesAtMost.account, plural)
    return yield* inserted(project, asked)
  }, table.transaction)

  const list = Traced.fn(`${name}.list`)(function* (account: AccountId, project: ProjectId, batch: Batch) {
    return yield* table.list({ ...batch, owner: yield* projects.own(account, project) })
  })

  const get = (account: AccountId, project: ProjectId, id: S["id"]) =>
    Effect.map(own(account, project, id), ({ value }) => value)

  /** Changes a schedule. Changes of an account's schedules run one after the other, each on the result of the previous one. */
  const change = Traced.fn(`${name}.change`)(function* (
    account: AccountId,
    project: ProjectId,
    id: S["id"],
    patch: Partial<Asked>
  ) {
    yield* table.lockAccount(account)
    const schedule = yield* own(account, project, id)
    const asked = { ...schedule.value, ...patch }
    const terms = yield* termsOf(yield* projects.get(account, project), asked, patch)
    const changed = table.change({ every: asked.every, schedule, terms })
    return yield* Effect.mapError(Effect.flatten(changed), () => missing)
  }, table.transaction)

  /** Removes a schedule; its runs stay. */
  const remove = Traced.fn(`${name}.remove`)(function* (account: AccountId, project: ProjectId, id: S["id"]) {
    yield* table.remove(yield* own(account, project, id))
  })

  return { add, change, create, get, list, plural, remove }
})

/** The use cases of the schedules `S`. */
type Schedules<S extends OfProject & Asked, Asked extends Interval, T, E> = Effect.Effect.Success<
  ReturnType<typeof schedulesOf<S, Asked, T, E>>
>

interface ToProject {
  readonly path: { readonly project_id: ProjectId }
}

interface ToSchedule<Id> {
  readonly path: { readonly project_id: ProjectId; readonly schedule_id: Id }
}

/** The handlers of a kind of schedules; `room` is the kind's name in the path. */
export const scheduleHandlers = <
  S extends OfProject & Asked & { readonly created_at: string },
  Asked extends Interval,
  T,
  E
>(
  schedules: Schedules<S, Asked, T, E>,
  room: string
) =>
  Effect.map(IdempotentCreate, ({ creating }) => ({
    change: ({ path, payload }: ToSchedule<S["id"]> & { readonly payload: Partial<Asked> }) =>
      answer((account) => schedules.change(account, path.project_id, path.schedule_id, payload)),
    create: (
      asked: ToProject & { readonly headers: { readonly "idempotency-key"?: string }; readonly payload: Asked }
    ) =>
      creating(asked, (account) =>
        Effect.map(schedules.create(account, asked.path.project_id, asked.payload), (schedule) => ({
          data: schedule,
          location: `/api/v1/projects/${schedule.project_id}/${room}/schedules/${schedule.id}`
        }))
      ),
    get: ({ path }: ToSchedule<S["id"]>) =>
      answer((account) => schedules.get(account, path.project_id, path.schedule_id)),
    list: ({ path: { project_id: project }, urlParams }: ToProject & { readonly urlParams: Omit<ListQuery, "of"> }) =>
      listPage(
        { ...urlParams, of: [schedules.plural, project] },
        (account, batch) => schedules.list(account, project, batch),
        byCreation
      ),
    remove: ({ path }: ToSchedule<S["id"]>) =>
      forCaller((account) => schedules.remove(account, path.project_id, path.schedule_id))
  }))

/** Why a slot is skipped without a start; usually none. */
type SkipReason = Option.Option<string>

const skip = (reason: string) => (): SkipReason => Option.some(reason)

/** Due schedules, and the handling of a slot. */
interface DueWork<C extends Held, E, R> {
  /** Starts the run of a slot, like a request of its account, or skips the slot. */
  readonly begin: (claim: C) => Effect.Effect<void, E, R>
  readonly name: string
  readonly queue: LeaseQueue.LeaseQueue<C>
  readonly skipped: (claim: C, reason: string) => Effect.Effect<void, E>
}

/** Starts the runs of due schedules until the scope closes. */
export const startingDue = <C extends Held, R>({ begin, name, queue, skipped }: DueWork<C, LeaseLost, R>) =>
  worker({
    broken: skip("The scheduled start failed with a server error; see the server's log"),
    lost: skip(`The scheduled start failed ${attemptsAtMost} times in a row; see the server's log`),
    name,
    outcome: Option.match({ onNone: () => "completed", onSome: () => "skipped" }),
    queue,
    // The run, its notification and the next slot are one transaction, so a slot starts one run even if the worker dies.
    store: (claim, reason: SkipReason) =>
      Option.match(reason, { onNone: () => begin(claim), onSome: (reason) => skipped(claim, reason) }),
    work: () => Effect.succeedNone
  })
