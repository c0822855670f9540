/** Platform adapter: PostgreSQL's `COPY … FROM STDIN` on the connection of the transaction at hand; the driver below has the messages but no statement for it. */
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"

/** The driver's connection, as far as copying needs it. */
interface Wire {
  readonly query: (statement: string) => void
  readonly sendCopyFromChunk: (bytes: Buffer) => void
  readonly endCopyFrom: () => void
}

/** What the driver's queue runs: it is called back with each message of the server. */
interface Command {
  readonly submit: (wire: Wire) => void
  readonly handleCopyInResponse: (wire: Wire) => void
  readonly handleCommandComplete: () => void
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void
}

interface Driver {
  readonly query: (command: Command) => unknown
}

const isDriver = (value: unknown): value is Driver =>
  Predicate.hasProperty(value, "query") && Predicate.isFunction(value.query)

const driver = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) => {
  const connection = Option.getOrUndefined(transaction)?.[0]
  return Predicate.hasProperty(connection, "pg") && isDriver(connection.pg)
    ? Effect.succeed(connection.pg)
    : Effect.dieMessage("COPY needs a transaction of the PostgreSQL driver")
})

/** Runs a `COPY … FROM STDIN` statement with all of its data (a piece of some megabytes at most); it cannot be interrupted half-way. */
export const copyIn = Effect.fnUntraced(function* (statement: string, text: string) {
  const pg = yield* driver
  yield* Effect.uninterruptible(
    Effect.async<void, SqlError>((resume) => {
      pg.query({
        submit: (wire) => wire.query(statement),
        handleCopyInResponse: (wire) => {
          wire.sendCopyFromChunk(Buffer.from(text))
          wire.endCopyFrom()
        },
        handleCommandComplete: () => {},
        handleReadyForQuery: () => resume(Effect.void),
        handleError: (cause) => resume(Effect.fail(new SqlError({ cause, message: "COPY failed" })))
      })
    })
  )
})
