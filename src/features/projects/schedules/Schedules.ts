import * as Effect from "effect/Effect"
import * as Slots from "../../../foundation/database/Slots.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../../foundation/schema/Recurrence.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import type { Project, ProjectId } from "../Domain.ts"
import { Projects } from "../Projects.ts"
import { type Recurring, schedulesAtMost } from "./Schedule.ts"
import type { ScheduleTable } from "./ScheduleTable.ts"

/** What every kind of schedules is asked for. */
export interface Interval {
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
  const tooMany = (owner: keyof typeof schedulesAtMost) => Slots.tooMany(owner, schedulesAtMost[owner], plural)

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
export type Schedules<S extends Recurring & Asked, Asked extends Interval, T, E> = Effect.Effect.Success<
  ReturnType<typeof schedulesOf<S, Asked, T, E>>
>
