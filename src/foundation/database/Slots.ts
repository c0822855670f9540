import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { Invalid } from "../schema/DomainError.ts"
import * as LeaseQueue from "./LeaseQueue.ts"

/** Workers that may die over one slot, or one synchronisation, before it is given up. */
export const attemptsAtMost = 3

/** A table of recurring work: a queue with the columns `id`, `account_id`, `every_minutes` and `next_at`. */
interface Schedules<C extends LeaseQueue.Held, I>
  extends Pick<LeaseQueue.Queue<C, I>, "claim" | "columns" | "name" | "table"> {
  /** The schedules of this queue; all of the table by default. */
  readonly only?: Fragment
}

/** The queue of the schedules that are due. */
export const queue = <C extends LeaseQueue.Held, I>(
  sql: SqlClient.SqlClient,
  { only, ...schedules }: Schedules<C, I>
) =>
  LeaseQueue.make(sql, {
    account: sql`account_id`,
    attemptsAtMost,
    due: sql`${only ?? sql`true`} AND next_at <= (SELECT clock_timestamp())`,
    key: "id",
    oldest: "next_at",
    ...schedules
  })

/** Frees a row whose work is over. */
export const over = (sql: SqlClient.SqlClient) => sql`attempts = 0, lease = NULL, leased_until = NULL`

/** Frees a schedule and moves it to its next slot. Missed slots are not repeated. */
export const next = (sql: SqlClient.SqlClient) => sql`${over(sql)},
  next_at = next_at + every_minutes * interval '1 minute'
    * (1 + floor(extract(epoch FROM clock_timestamp() - next_at) / (60 * every_minutes))::float8)`

/** The next slot under a changed interval: no later than one such interval from now. */
export const within = (sql: SqlClient.SqlClient, slot: Fragment, minutes: Fragment) =>
  sql`least(${slot}, clock_timestamp() + ${minutes} * interval '1 minute')`

/** The refusal of a schedule above the limit of an account or a project; `schedules` names them. */
export const tooMany = (owner: "account" | "project", limit: number, schedules: string) =>
  Invalid.of("body", `the ${owner} is at its limit of ${limit} ${schedules}: change one, or delete one first`)
