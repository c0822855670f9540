import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Fragment, Statement as SqlStatement } from "@effect/sql/Statement"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { isBrokenOff, isFull, isSqlError, isStalePlan, isUndone } from "./SqlState.ts"

/** A statement with the schemas of its request and of its rows. */
interface Statement<IA, II, A, AI, E> {
  readonly Request: Schema.Schema<IA, II>
  readonly Result: Schema.Schema<A, AI>
  readonly execute: (request: II) => Effect.Effect<ReadonlyArray<unknown>, E>
}

/**
 * Whether statements outside a transaction wait while the database takes none. Statements of leased work wait, because the work was paid for or sent.
 * Statements of requests fail, and the caller learns of the outage.
 */
export class Patience extends Context.Reference<Patience>()("database/Patience", { defaultValue: () => false }) {}

/** A stop does not wait for the database, even in an uninterruptible region. */
const pause = Effect.interruptible(Effect.sleep("1 second"))

/** The decoded rows of a statement; its error is a defect. */
const made = <A, E>(
  rows: Effect.Effect<ReadonlyArray<unknown>, E>,
  make: (rows: ReadonlyArray<unknown>) => A
): Effect.Effect<A> =>
  Effect.matchEffect(rows, {
    onFailure: (error) =>
      isSqlError(error) && isUndone(error)
        ? Effect.flatMap(Patience, (isPatient) =>
            isPatient ? Effect.zipRight(pause, made(rows, make)) : Effect.die(error)
          )
        : Effect.die(error),
    onSuccess: (rows) => Effect.succeed(make(rows))
  })

/** Retries a write every second while the database takes none. Any other failure goes to the caller. */
export const persisted = <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchAllCause(write, (cause) => {
    const error = Cause.squash(cause)
    return isSqlError(error) && isUndone(error) ? Effect.zipRight(pause, persisted(write)) : Effect.failCause(cause)
  })

// A failed statement is a defect above the repos, because no caller could fix it; the error envelope distinguishes an absent database from a bug. A row that
// does not fit its schema is a defect too.

/** All rows of a statement. */
export const all = <IA, II, A, AI, E>({ Request, Result, execute }: Statement<IA, II, A, AI, E>) => {
  const encode = Schema.encodeSync(Request)
  const decode = Schema.decodeUnknownSync(Schema.Array(Result))
  return (request: IA): Effect.Effect<ReadonlyArray<A>> => Effect.suspend(() => made(execute(encode(request)), decode))
}

/** The first row of a statement, if any. */
export const first = <IA, II, A, AI, E>({ Request, Result, execute }: Statement<IA, II, A, AI, E>) => {
  const encode = Schema.encodeSync(Request)
  const decode = Schema.decodeUnknownSync(Result)
  return (request: IA): Effect.Effect<Option.Option<A>> =>
    Effect.suspend(() =>
      made(execute(encode(request)), ([row]) => (row === undefined ? Option.none() : Option.some(decode(row))))
    )
}

/** The row of a statement that always returns one. */
export const one = <IA, II, A, AI, E>(statement: Statement<IA, II, A, AI, E>) => {
  const run = first(statement)
  return (request: IA): Effect.Effect<A> => Effect.map(run(request), Option.getOrThrow)
}

/** A statement that runs without reading its rows. */
export const none = <IA, II, E>({ Request, execute }: Omit<Statement<IA, II, unknown, unknown, E>, "Result">) => {
  const encode = Schema.encodeSync(Request)
  return (request: IA): Effect.Effect<void> => Effect.suspend(() => made(execute(encode(request)), () => undefined))
}

const decodeCount = Schema.decodeUnknown(Schema.Struct({ rowCount: Schema.Number }))

/** Runs a statement and returns the server's count of written rows. */
export const affected = (statement: SqlStatement<unknown>): Effect.Effect<number> =>
  statement.raw.pipe(
    Effect.flatMap((result) => decodeCount(result)),
    Effect.map(({ rowCount }) => rowCount),
    Effect.orDie
  )

/** Few records, a page and one more record, and a batch of an export. */
const sizes = [10, 101, 1000]

/**
 * The first `count` of ordered rows. For `LIMIT $1` PostgreSQL expects a tenth of all rows; in a large table a custom plan then looks cheaper than the generic
 * one, and PostgreSQL plans at each execution. With a number in the text PostgreSQL expects a tenth of that number, which is less than the limit.
 */
export const limit = (sql: SqlClient.SqlClient, count: number, rows: Fragment) => {
  const most = sizes.find((size) => count <= size)
  return most === undefined
    ? sql`${rows} LIMIT ${count}`
    : sql`SELECT * FROM (${rows} LIMIT ${sql.literal(String(most))}) AS bounded LIMIT ${count}`
}

/** How the rows of a list compare with a position: `<` with the newest rows first. */
type Order = `(${string}created_at, id) ${"<" | ">"}`

/** The keyset condition of a list: rows that follow `after`, the times and id of the last row read. Without a position, all rows. */
export const keyset = (sql: SqlClient.SqlClient, order: Order, after: ReadonlyArray<string> | undefined) => {
  if (after === undefined) return sql`true`
  const [, ...times] = order.split(",")
  const position = [...times.map((_, at) => sql`${after[at]}::timestamptz`), sql`${after[times.length]}`]
  return sql`${sql.literal(order)} (${sql.csv(position)})`
}

/** Fields of the request for a page: the position before its first row, undefined at the start, and the number of rows. */
export const Batch = { after: Schema.UndefinedOr(Schema.Array(Schema.String)), count: Schema.Int }

type Batch = Schema.Struct.Type<typeof Batch>

/** A list by time of creation. `rows` is a statement that ends with a condition; `table` is the listed table's name or alias in this statement. */
interface List<IA, II, A, AI> {
  readonly Request: Schema.Schema<IA, II>
  readonly Result: Schema.Schema<A, AI>
  readonly table: string
  /** The column of another time that orders rows before the time of creation. */
  readonly first?: `${string}_at`
  readonly rows: (request: II) => Fragment
}

const listed =
  (sign: "<" | ">") =>
  <IA, II, A, AI>(sql: SqlClient.SqlClient, { first, Request, Result, rows, table }: List<IA, II, A, AI>) => {
    const encode = Schema.encodeSync(Request)
    const decode = Schema.decodeUnknownSync(Schema.Array(Result))
    const way = sign === "<" ? "DESC" : "ASC"
    const lead = first === undefined ? "" : `${table}.${first}`
    const order = sql.literal(`${lead && `${lead} ${way}, `}${table}.created_at ${way}, id ${way}`)
    const page = (request: II, { after, count }: Batch) => {
      const following = keyset(sql, `(${lead && `${lead}, `}${table}.created_at, id) ${sign}`, after)
      return limit(sql, count, sql`${rows(request)} AND ${following} ORDER BY ${order}`)
    }
    return (request: IA & Batch): Effect.Effect<ReadonlyArray<A>> =>
      Effect.suspend(() => made(page(encode(request), request), decode))
  }

/** The pages of a list, the newest rows first (`created_at`, then `id`). */
export const newestFirst = listed("<")
/** The pages of a list, the oldest rows first. */
export const oldestFirst = listed(">")

const isStale = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof SqlError && isStalePlan(error.cause)
}

/**
 * Runs an effect in one transaction (a savepoint inside another); a failure rolls it back. When another node's migration outdates a prepared statement, the
 * transaction runs once more.
 */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) => {
    const alone = Effect.provideService(effect, Patience, false)
    const attempt = Effect.catchTag(sql.withTransaction(alone), "SqlError", (error) => Effect.die(error))
    return Effect.catchAllCause(attempt, (cause) => (isStale(cause) ? attempt : Effect.failCause(cause)))
  }

/** Waits of 1, 4 and 16 s between the attempts: enough for a server to restart. */
const repetitions = Schedule.exponential("1 second", 4).pipe(Schedule.intersect(Schedule.recurs(3)))

class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly defect: SqlError }> {}

/**
 * Repeats work when one of its statements was cancelled from outside or lost its connection, three times at most, and calls `report` each time. Only for work
 * that may safely run twice, because the outcome of a transaction may be unknown. A full disk causes no repetition: the work itself may fill the disk.
 */
export const repeated =
  (report: (error: SqlError) => Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    work.pipe(
      Effect.catchSomeDefect((defect) =>
        defect instanceof SqlError && isBrokenOff(defect) && !isFull(defect)
          ? Option.some(new BrokenOff({ defect }))
          : Option.none()
      ),
      Effect.tapError((error) => (error instanceof BrokenOff ? report(error.defect) : Effect.void)),
      Effect.retry({ schedule: repetitions, while: (error) => error instanceof BrokenOff }),
      Effect.catchIf(
        (error) => error instanceof BrokenOff,
        ({ defect }) => Effect.die(defect)
      )
    )
