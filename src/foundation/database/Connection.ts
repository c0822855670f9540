import type * as SqlConnection from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Client, type Connection, Query } from "pg"
import { abandoned, type Running } from "./Cancel.ts"
import type { Pool, Ticket } from "./Pool.ts"
import * as Shares from "./Shares.ts"
import { isStalePlan } from "./SqlState.ts"

/** Platform adapter: sends large values of a statement in pieces. node-postgres copies a whole value several times in one turn of the thread, 93 ms for 4 MB. */

/** The size of the smallest large value, in bytes or in characters of a text. */
const large = 256 * 1024

/** Bytes that are written in one turn: as many as a socket's buffer holds. */
const piece = 64 * 1024

/** Values with a plain form on the wire: text, or unchanged bytes. */
type Plain = string | number | bigint | boolean | null | Uint8Array

const isPlain = (value: unknown): value is Plain =>
  value === null || value instanceof Uint8Array || ["string", "number", "bigint", "boolean"].includes(typeof value)

const isLarge = (value: unknown) => (typeof value === "string" || value instanceof Uint8Array) && value.length > large

/** The values of a statement with a large value; undefined without a large value, or when only the driver can send one of the values. */
const among = (values: ReadonlyArray<unknown>): ReadonlyArray<Plain> | undefined =>
  values.some(isLarge) && values.every(isPlain) ? values : undefined

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const int16s = (...values: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [at, value] of values.entries()) bytes.writeInt16BE(value, 2 * at)
  return bytes
}

const bytesOf = (value: Exclude<Plain, null>) => (value instanceof Uint8Array ? value : Buffer.from(String(value)))

/** The message `Bind` of the unnamed statement to the unnamed portal, with results as text (PostgreSQL: Message Formats), in parts. */
const bind = (values: ReadonlyArray<Plain>): ReadonlyArray<Uint8Array> => {
  const formats = values.map((value) => (value instanceof Uint8Array ? 1 : 0))
  const body = [
    Buffer.from("\0\0"),
    int16s(values.length, ...formats, values.length),
    ...values.flatMap((value) => {
      if (value === null) return [int32(-1)]
      const bytes = bytesOf(value)
      return [int32(bytes.length), bytes]
    }),
    int16s(1, 0)
  ]
  const length = body.reduce((sum, { length }) => sum + length, 4)
  return [Buffer.from("B"), int32(length), ...body]
}

function* pieces(parts: ReadonlyArray<Uint8Array>) {
  for (const part of parts)
    for (let at = 0; at < part.length; at += piece) yield part.subarray(at, Math.min(part.length, at + piece))
}

/**
 * A statement that writes its values one piece a turn, as the server takes them. Its last message follows the values even when the statement fails earlier: the
 * server discards the values up to that message, and the driver submits no other statement.
 */
const largeStatement = (
  text: string,
  values: ReadonlyArray<Plain>,
  done: (error: unknown, result?: unknown) => void
) => {
  const query = new Query({ text }, done)
  query.submit = (wire: Connection) => {
    const rest = pieces(bind(values))
    const next = () => {
      const { done, value } = rest.next()
      // A failed write ends the connection and so the statement.
      if (!done) return void wire.stream.write(value, (error) => error ?? setImmediate(next))
      wire.describe({ name: "", type: "P" }, true)
      wire.execute({}, true)
      wire.sync()
    }
    wire.parse({ name: "", text, types: [] }, true)
    next()
  }
  return query
}

/** The time limit of each statement in milliseconds, including the wait for a connection. Reads of the API have a limit; writes and workers have none. */
export class StatementLimit extends Context.Reference<StatementLimit>()("database/StatementLimit", {
  defaultValue: (): number => Number.POSITIVE_INFINITY
}) {}

/** A statement took longer than its limit, in seconds, and was cancelled. */
export class StatementTooSlow extends Data.TaggedError("StatementTooSlow")<{ readonly seconds: number }> {}

/** Calls `resume` at the end of a statement, and returns the effect that cancels the statement. */
type Register<A, E> = (resume: (end: Effect.Effect<A, E>) => void) => Effect.Effect<void>

/** Cancels a fiber's statement at the fiber's limit with the defect `StatementTooSlow`. The platform's timer adds 7 µs, a race of fibers 20. */
export const limited = <A, E>(fiber: Fiber.RuntimeFiber<unknown, unknown>, register: Register<A, E>) => {
  const limit = Context.get(fiber.currentContext, StatementLimit)
  if (limit === Number.POSITIVE_INFINITY) return Effect.async<A, E>(register)
  return Effect.async<A, E>((resume) => {
    let cancel: Effect.Effect<void> = Effect.void
    const tooSlow = () => resume(Effect.zipRight(cancel, Effect.die(new StatementTooSlow({ seconds: limit / 1000 }))))
    // The timer starts first, because a statement without a connection can end during `register`.
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(tooSlow, limit)
    cancel = register((end) => {
      clearTimeout(timer)
      resume(end)
    })
    return Effect.suspend(() => {
      clearTimeout(timer)
      return cancel
    })
  })
}

/** The most statements that a pool names. Texts beyond, such as inserts with a varying number of rows, stay unnamed. */
const namedAtMost = 1000

/** The names of a pool's prepared statements. A text has one name on all connections, and no name has two texts. */
export interface StatementNames {
  /** The name of a text, or none when 1,000 other texts have names. */
  readonly of: (text: string) => string | undefined
  /** Gives the text a new name at its next use. */
  readonly forget: (text: string) => void
}

export const statementNames = (): StatementNames => {
  const names = new Map<string, string>()
  let made = 0
  return {
    forget: (text) => {
      names.delete(text)
    },
    of: (text) => {
      const known = names.get(text)
      if (known !== undefined || names.size >= namedAtMost) return known
      const name = `findable_${made++}`
      names.set(text, name)
      return name
    }
  }
}

/** Platform adapter: the connections of `@effect/sql` over our own pool; the guide says why the library's are not used. */

type Done = (error: unknown, result?: unknown) => void

/** How a statement is handed to the driver. */
type Submit = (client: Client, done: Done) => void

type Values = ReadonlyArray<unknown>

const unnamed =
  (text: string, values: Values): Submit =>
  (client, done) =>
    client.query(text, values.slice(), done)

/**
 * Names a statement with parameters: the server then parses and plans it once per connection. A text without parameters may hold several statements, which
 * cannot be prepared. When another node's migration outdates the plan, the statement is sent again without a name; in a transaction, which has failed by then,
 * `Query.transaction` begins again.
 */
const named =
  (names: StatementNames) =>
  (text: string, values: Values): Submit =>
  (client, done) => {
    const name = values.length === 0 ? undefined : names.of(text)
    if (name === undefined) return unnamed(text, values)(client, done)
    client.query({ name, text, values: values.slice() }, (error: unknown, result: unknown) => {
      if (!isStalePlan(error)) return done(error, result)
      names.forget(text)
      if (client.getTransactionStatus() === "I") unnamed(text, values)(client, done)
      else done(error)
    })
  }

/** Sends large values in pieces, and statements without large values by `small`. */
const sized =
  (small: (text: string, values: Values) => Submit) =>
  (text: string, values: Values): Submit => {
    const large = among(values)
    return large === undefined ? small(text, values) : (client, done) => client.query(largeStatement(text, large, done))
  }

const arrays =
  (text: string, values: Values): Submit =>
  (client, done) =>
    client.query({ rowMode: "array", text, values: values.slice() }, done)

/** Sends a statement, and calls its `heir` at the end, or `done` without an heir. */
const send = (client: Client, submit: Submit, done: Done): Running => {
  const running: Running = { client, error: undefined, heir: undefined, isEnded: false }
  submit(client, (error, result) => {
    // The driver calls back twice when it could not encode a value.
    if (running.isEnded) return
    running.isEnded = true
    running.error = error
    if (running.heir === undefined) done(error, result)
    else running.heir()
  })
  return running
}

const failed = (cause: unknown) => new SqlError({ cause, message: "Failed to execute statement" })

const exitOf = (error: unknown, result: unknown): Effect.Effect<unknown, SqlError> =>
  error ? Effect.fail(failed(error)) : Effect.succeed(result)

const rowsIn = (result: unknown): ReadonlyArray<unknown> =>
  typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows) ? result.rows : []

// Several statements in one text return a list of results.
const rowsOf = (result: unknown): ReadonlyArray<unknown> =>
  Array.isArray(result) ? result.map(rowsIn) : rowsIn(result)

const isList = (row: unknown): row is ReadonlyArray<unknown> => Array.isArray(row)

type Run = (submit: Submit) => Effect.Effect<unknown, SqlError>

const connectionOf = (run: Run, names: StatementNames | undefined) => {
  const statement = sized(names === undefined ? unnamed : named(names))
  // The rows stay as they are, because the client has no transformation of names.
  const execute = (text: string, values: Values) => Effect.map(run(statement(text, values)), rowsOf)
  return {
    execute,
    executeRaw: (text: string, values: Values) => run(statement(text, values)),
    // All rows are in memory before the first is emitted: large readers page, or use COPY.
    executeStream: (text: string, values: Values) => Stream.fromIterableEffect(execute(text, values)),
    executeUnprepared: execute,
    executeValues: (text: string, values: Values) =>
      Effect.map(run(arrays(text, values)), (result) => rowsIn(result).filter(isList))
  }
}

/**
 * The connection of single statements: each statement takes a connection of the pool. A statement that is interrupted during its wait leaves the queue. A
 * running one is abandoned, and its connection is reused only after the statement and the cancellation have ended.
 */
export const pooled = (pool: Pool, names: StatementNames | undefined): SqlConnection.Connection =>
  connectionOf(
    (submit) =>
      Effect.withFiberRuntime((fiber) => {
        const share = fiber.getFiberRef(Shares.current)
        return limited(fiber, (resume) => {
          let running: Running | undefined
          const asked = pool.ask(
            share,
            (ticket, client) => {
              running = send(client, submit, (error, result) => {
                pool.giveBack(ticket)
                resume(exitOf(error, result))
              })
            },
            (error) => resume(Effect.fail(error))
          )
          return Effect.suspend(() => {
            if (running === undefined) return Effect.sync(() => pool.leave(asked))
            if (running.isEnded) return Effect.void
            // The sender does not wait for the end of the abandoned statement.
            return Effect.forkDaemon(
              Effect.map(abandoned(running, Shares.graceOf(share)), (isUsable) => pool.giveBack(asked, isUsable))
            )
          })
        })
      }),
    names
  )

/** A connection reserved for one fiber, with the driver's client for `COPY`. */
interface Reserved extends SqlConnection.Connection {
  readonly pg: Client
}

/** A connection of the pool for a transaction: `acquire` waits for the connection; `release` gives the connection, or the place in the queue, back. */
export const reservation = (pool: Pool, names: StatementNames | undefined, share: Shares.Share) => {
  let asked: Ticket | undefined
  let held: Client | undefined
  // A cancellation may still be under way, so we close the connection, and with it the transaction.
  let isLost = false

  const run =
    (client: Client): Run =>
    (submit) =>
      Effect.withFiberRuntime((fiber) =>
        limited(fiber, (resume) => {
          if (isLost) {
            resume(Effect.fail(failed(new Error("The connection was given up"))))
            return Effect.void
          }
          const running = send(client, submit, (error, result) => resume(exitOf(error, result)))
          return Effect.map(
            Effect.flatMap(Effect.forkDaemon(abandoned(running, Shares.graceOf(share))), Fiber.join),
            (isUsable) => {
              isLost = !isUsable
            }
          )
        })
      )

  const of = (client: Client): Reserved => ({ ...connectionOf(run(client), names), pg: client })

  return {
    acquire: Effect.async<Reserved, SqlError>((resume) => {
      asked = pool.ask(
        share,
        (_, client) => {
          held = client
          resume(Effect.succeed(of(client)))
        },
        (error) => resume(Effect.fail(error))
      )
    }),
    /** Whether the connection is lost: further statements fail, and the server rolls the changes back. */
    isLost: () => isLost,
    release: Effect.sync(() => {
      if (asked === undefined) return
      if (held === undefined) pool.leave(asked)
      else pool.giveBack(asked, !isLost && held.getTransactionStatus() === "I")
    })
  }
}
