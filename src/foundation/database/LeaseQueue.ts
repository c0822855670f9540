import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "./Query.ts"

/** Seconds that a lease holds. A worker that does not renew its lease is declared dead. */
export const leaseSeconds = 15

/** Seconds between two renewals: a lease outlives two failed renewals. */
export const renewalSeconds = 5

/**
 * A lease with a later end, in seconds from now, was renewed before the clock was set back. Without this bound a dead worker's lease would hold until that end.
 */
const impossible = 2 * leaseSeconds

/** Bounds of a debt in seconds: work shorter than `least` makes no debt, and `most` is the longest debt. */
const debt = { least: 1, most: 60 }

/** A claimed row. Every write names the lease, so a worker without its lease can change nothing. */
export const Held = <Id extends string>(id: Schema.Schema<Id, string>) => Schema.Struct({ id, lease: Schema.UUID })

/** The part of a claim that the queue needs. */
export interface Held {
  readonly id: string
  readonly lease: string
}

/** A table of work, one row a piece. The table has the columns `lease`, `leased_until` and `attempts`, and an index on `leased_until` of leased rows. */
export interface Queue<C extends Held, I> {
  /** The queue's key in `queue_turns`. */
  readonly name: string
  readonly table: string
  /** The condition for rows of this queue; all rows of the table by default. */
  readonly only?: Fragment
  /** The id column. */
  readonly key: string
  /** The schema of a claim: the fields of `Held`, and the columns that the work needs. */
  readonly claim: Schema.Schema<C, I>
  /** The columns of the rest of the claim. */
  readonly columns: Fragment
  /** The condition for rows that wait for a worker; the queue adds the condition that the row has no lease. */
  readonly due: Fragment
  /** The account of a row. Accounts take turns; after long work an account lets others go first. */
  readonly account: Fragment
  /** The column that orders an account's rows by their wait. */
  readonly oldest: string
  /** How many workers in succession may die on a row before it is given up. */
  readonly attemptsAtMost: number
  /** Further assignments when a row is claimed. */
  readonly whenClaimed?: Fragment
  /** Further assignments when a row is returned to the queue. */
  readonly whenHandedBack?: Fragment
}

/** The statements that claim rows, renew their leases, return them to the queue and take them from dead workers. */
export const make = <C extends Held, I>(sql: SqlClient.SqlClient, queue: Queue<C, I>) => {
  const { account, attemptsAtMost, columns, name, only = sql`true`, whenClaimed, whenHandedBack } = queue
  const [table, key, oldest] = [sql(queue.table), sql(queue.key), sql(queue.oldest)]
  const also = (further: Fragment | undefined) => (further === undefined ? sql`` : sql`, ${further}`)
  const until = sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`
  const taken = sql`attempts = attempts + 1, lease = gen_random_uuid(), leased_until = ${until}`
  const free = sql`lease = NULL, leased_until = NULL${also(whenHandedBack)}`
  const due = sql`${only} AND ${queue.due}`
  const expired = sql`${only} AND lease IS NOT NULL AND (leased_until < clock_timestamp()
    OR leased_until > clock_timestamp() + ${impossible} * interval '1 second')`
  const row = Schema.Struct({ id: Schema.String })
  const held = Schema.Struct({ id: Schema.String, lease: Schema.String })
  const claimed = sql`${key} AS id, lease, ${columns}`

  const served = sql`(SELECT last FROM served)`
  const firstOf = (accounts: Fragment) => sql`
    (SELECT ${key} FROM ${table} WHERE ${due} AND lease IS NULL AND ${accounts}
       AND ${account} <> ALL (ARRAY(SELECT debtor FROM debts))
     ORDER BY ${account}, ${oldest} FOR UPDATE SKIP LOCKED LIMIT 1)`
  const firstOfDebtors = sql`
    (SELECT ${key} FROM ${table} JOIN debts ON debtor = ${account} WHERE ${due} AND lease IS NULL
     ORDER BY in_debt_until, ${oldest} FOR UPDATE OF ${table} SKIP LOCKED LIMIT 1)`

  let isOpen = false
  const open = Query.none({
    Request: Schema.Void,
    execute: () => sql`
      INSERT INTO queue_turns (queue, last) VALUES (${name}, '00000000-0000-0000-0000-000000000000')
      ON CONFLICT DO NOTHING`
  })
  /** Makes the row that claims lock, before the first claim: without the row, nodes would claim at the same time. */
  const opened = Effect.unless(
    Effect.tap(open(undefined), () =>
      Effect.sync(() => {
        isOpen = true
      })
    ),
    () => isOpen
  )

  /**
   * Claims the longest-waiting row of the account that has the turn, and counts the attempt. An account in debt gets a turn when no other account waits, the
   * least debt first. One node at a time claims from a queue, so no two nodes serve the same account in a row.
   */
  const claim = Query.first({
    Request: Schema.Void,
    Result: queue.claim,
    execute: () => sql`
      WITH served AS MATERIALIZED (SELECT last FROM queue_turns WHERE queue = ${name} FOR UPDATE),
      debts AS MATERIALIZED (
        SELECT account AS debtor, until AS in_debt_until FROM queue_debts
        WHERE queue = ${name} AND until > clock_timestamp()
      ),
      claimed AS (
        UPDATE ${table} SET ${taken}${also(whenClaimed)}
        WHERE ${key} = coalesce(
          ${firstOf(sql`${account} > ${served}`)}, ${firstOf(sql`${account} <= ${served}`)}, ${firstOfDebtors})
        RETURNING ${claimed}, ${account} AS whose
      ),
      turn AS (UPDATE queue_turns SET last = whose FROM claimed WHERE queue = ${name})
      SELECT * FROM claimed`
  })

  /** Renews a lease. Returns none after a lost lease: the row is gone, or its worker was declared dead. */
  const renew = Query.first({
    Request: held,
    Result: row,
    execute: ({ id, lease }) => sql`
      UPDATE ${table} SET leased_until = ${until} WHERE ${key} = ${id} AND lease = ${lease} RETURNING ${key} AS id`
  })

  /** Puts the account of a row in debt for as long as its work took. */
  const charge = Query.none({
    Request: Schema.Struct({ id: Schema.String, seconds: Schema.Number }),
    execute: ({ id, seconds }) => sql`
      INSERT INTO queue_debts (queue, account, until)
      SELECT ${name}, ${account}, clock_timestamp() + ${seconds} * interval '1 second' FROM ${table} WHERE ${key} = ${id}
      ON CONFLICT (queue, account) DO UPDATE SET until = least(
        excluded.until + greatest(queue_debts.until - clock_timestamp(), interval '0'),
        clock_timestamp() + ${debt.most} * interval '1 second')`
  })

  /** Returns a row to the queue without counting the attempt. */
  const handBack = Query.none({
    Request: held,
    execute: ({ id, lease }) => sql`
      UPDATE ${table} SET attempts = greatest(attempts - 1, 0), ${free} WHERE ${key} = ${id} AND lease = ${lease}`
  })

  /** Returns a row to the queue until the work is possible. None when the lease is lost, or when the row has waited longer than a day and must end. */
  const postpone = Query.first({
    Request: held,
    Result: row,
    execute: ({ id, lease }) => sql`
      UPDATE ${table} SET attempts = greatest(attempts - 1, 0), ${free}
      WHERE ${key} = ${id} AND lease = ${lease} AND ${oldest} > clock_timestamp() - interval '1 day' RETURNING ${key} AS id`
  })

  /** Releases the rows of dead workers that another worker may try. */
  const release = Query.all({
    Request: Schema.Void,
    Result: row,
    execute: () => sql`
      UPDATE ${table} SET ${free}
      WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${expired}
                         AND attempts < ${attemptsAtMost} FOR UPDATE SKIP LOCKED)
      RETURNING ${key} AS id`
  })

  /** Claims a row on which the last allowed worker died, to end it. */
  const bury = Query.first({
    Request: Schema.Void,
    Result: queue.claim,
    execute: () => sql`
      UPDATE ${table} SET ${taken}
      WHERE ${key} = (SELECT ${key} FROM ${table} WHERE ${expired}
                        AND attempts >= ${attemptsAtMost} ORDER BY leased_until FOR UPDATE SKIP LOCKED LIMIT 1)
      RETURNING ${claimed}`
  })

  return {
    /** Whether a row may be tried again after its worker died. */
    isRepeatable: attemptsAtMost > 1,
    bury: bury(undefined),
    /** Lets other accounts go first for `seconds`, the length of the work that has just ended. */
    charge: ({ id }: C, seconds: number) =>
      seconds < debt.least ? Effect.void : charge({ id, seconds: Math.min(seconds, debt.most) }),
    claim: Effect.zipRight(opened, claim(undefined)),
    handBack: (claim: C) => handBack(claim),
    postpone: (claim: C) => postpone(claim),
    release: Effect.map(release(undefined), (rows) => rows.map(({ id }) => id)),
    renew: (claim: C) => renew(claim),
    /** The rows of dead workers and the waiting rows, for a statement over several queues. */
    rows: {
      expired: sql`FROM ${table} WHERE ${expired}`,
      oldest,
      waiting: sql`FROM ${table} WHERE ${due} AND lease IS NULL`
    }
  }
}

/** The statements over the rows of one kind of work. */
export type LeaseQueue<C extends Held> = ReturnType<typeof make<C, unknown>>

/** Workers that may die on one slot, or one synchronisation, before it is given up. */
export const attemptsAtMost = 3

/** Frees a row after the end of its work. */
export const over = (sql: SqlClient.SqlClient) => sql`attempts = 0, lease = NULL, leased_until = NULL`
