/** Platform adapter: the connections of `@effect/sql` over our own pool; the guide says why the library's are not used. */
import type * as SqlConnection from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Client } from "pg"
import { abandoned, type Running } from "./Cancel.ts"
import * as LargeValues from "./LargeValues.ts"
import type { Pool, Ticket } from "./Pool.ts"
import * as Shares from "./Shares.ts"
import { isStalePlan } from "./SqlState.ts"
import { limited } from "./StatementLimit.ts"
import type { StatementNames } from "./StatementNames.ts"

type Done = (error: unknown, result?: unknown) => void

/** How a statement is handed to the driver. */
type Submit = (client: Client, done: Done) => void

type Values = ReadonlyArray<unknown>

const unnamed =
  (text: string, values: Values): Submit =>
  (client, done) =>
    client.query(text, values.slice(), done)

/**
 * Names a statement that has parameters, so that the server parses and plans it once per connection; a text without parameters may hold several
 * statements, which cannot be prepared. When another node's migration outdated it, it is sent again without a name. In a transaction, which has failed by
 * then, `Query.transaction` begins again instead.
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

/** Sends large values in pieces, and what has none as `small` does. */
const sized =
  (small: (text: string, values: Values) => Submit) =>
  (text: string, values: Values): Submit => {
    const large = LargeValues.among(values)
    return large === undefined
      ? small(text, values)
      : (client, done) => client.query(LargeValues.statement(text, large, done))
  }

const arrays =
  (text: string, values: Values): Submit =>
  (client, done) =>
    client.query({ rowMode: "array", text, values: values.slice() }, done)

/** Sends a statement. At its end its `heir` is called if it has one, else `done`. */
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

// Several statements in one text answer a list of results.
const rowsOf = (result: unknown): ReadonlyArray<unknown> =>
  Array.isArray(result) ? result.map(rowsIn) : rowsIn(result)

const isList = (row: unknown): row is ReadonlyArray<unknown> => Array.isArray(row)

type Run = (submit: Submit) => Effect.Effect<unknown, SqlError>

const connectionOf = (run: Run, names: StatementNames | undefined) => {
  const statement = sized(names === undefined ? unnamed : named(names))
  // Rows are what they are: the client has no transformation of names.
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
 * The connection of single statements: each takes one of the pool's. A statement that is interrupted while it waits leaves the queue. One that is
 * interrupted while it runs is abandoned, and its connection is reused only after the statement and its cancellation have ended.
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
            // The sender does not wait for that.
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

/** A connection of the pool for a transaction: `acquire` waits for it, `release` gives it, or the place in the queue, back. */
export const reservation = (pool: Pool, names: StatementNames | undefined, share: Shares.Share) => {
  let asked: Ticket | undefined
  let held: Client | undefined
  // A cancellation may still be under way, so the connection is closed, which ends the transaction.
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
    /** Whether its statements fail from now on and its changes are rolled back. */
    isLost: () => isLost,
    release: Effect.sync(() => {
      if (asked === undefined) return
      if (held === undefined) pool.leave(asked)
      else pool.giveBack(asked, !isLost && held.getTransactionStatus() === "I")
    })
  }
}
