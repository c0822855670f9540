import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlConnection from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { pooled, reservation, type StatementNames, statementNames } from "./Connection.ts"
import { Location } from "./Location.ts"
import { SchemaUnfit } from "./Migrations.ts"
import { openPool, type Pool, watch } from "./Pool.ts"
import { PoolSize, Prepared } from "./Settings.ts"
import * as Shares from "./Shares.ts"
import { astray, sqlMessage, sqlState } from "./SqlState.ts"

/** The database did not respond while the process started. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{ readonly message: string }> {}

const { TransactionConnection } = SqlClient

/** The database's attributes on spans of statements and transactions. */
const attributesOf = ({ database, host, port }: PgClient.PgClientConfig) => [
  ["db.system.name", "postgresql"] as const,
  ["db.namespace", database ?? "postgres"] as const,
  ["server.address", host ?? "localhost"] as const,
  ["server.port", port ?? 5432] as const
]

type Attributes = ReturnType<typeof attributesOf>

const run = (connection: SqlConnection.Connection, text: string) =>
  Effect.asVoid(connection.executeUnprepared(text, [], undefined))

/**
 * Transactions on a connection of the pool. The wait for a connection can be interrupted, unlike the library's. When a lost connection makes the rollback fail,
 * the caller still gets the error of the transaction.
 */
const transactions = (pool: Pool, names: StatementNames | undefined, spanAttributes: Attributes) => {
  const on = (connection: SqlConnection.Connection) =>
    SqlClient.makeWithTransaction({
      acquireConnection: Effect.succeed([undefined, connection] as const),
      begin: (connection) => run(connection, "BEGIN"),
      commit: (connection) => run(connection, "COMMIT"),
      rollback: (connection) => Effect.ignore(run(connection, "ROLLBACK")),
      rollbackSavepoint: (connection, id) => run(connection, `ROLLBACK TO SAVEPOINT effect_sql_${id}`),
      savepoint: (connection, id) => run(connection, `SAVEPOINT effect_sql_${id}`),
      spanAttributes,
      transactionTag: TransactionConnection
    })
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiberRuntime((fiber) => {
        const around = Context.getOption(fiber.currentContext, TransactionConnection)
        if (Option.isSome(around)) return restore(on(around.value[0])(effect))
        const { acquire, release } = reservation(pool, names, fiber.getFiberRef(Shares.current))
        return Effect.ensuring(
          Effect.flatMap(restore(acquire), (connection) => restore(on(connection)(effect))),
          release
        )
      })
    )
}

/**
 * The client without the library's span and scope around each statement: span and scope cost a request more than the decoding of its rows. Without a tracer
 * nothing reads the span, and no connection needs the scope.
 */
const untraced = (client: SqlClient.SqlClient, alone: SqlConnection.Connection): SqlClient.SqlClient => {
  const execute = ([text, values]: readonly [sql: string, params: ReadonlyArray<unknown>]) =>
    Effect.withFiberRuntime<ReadonlyArray<unknown>, SqlError>((fiber) => {
      const around = Context.getOption(fiber.currentContext, TransactionConnection)
      return (Option.isSome(around) ? around.value[0] : alone).execute(text, values, undefined)
    })
  function statement<A extends object>(strings: TemplateStringsArray, ...args: Array<unknown>): Statement.Statement<A>
  function statement(name: string): Statement.Identifier
  function statement(strings: TemplateStringsArray | string, ...args: Array<unknown>): unknown {
    if (typeof strings === "string") return client(strings)
    const made = client(strings, ...args)
    return Object.assign(made, { commit: () => execute(made.compile()) })
  }
  return Object.assign(statement, client)
}

/**
 * A pool of connections to the database of `Location`. One connection stays open, which shows this process to others. At start the pool waits up to 5 s for a
 * server that is still starting.
 */
export const layerNoDeps = Layer.scoped(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const place = yield* Location
    const { connection, description } = place
    const names = (yield* Prepared) ? statementNames() : undefined
    const pool = yield* openPool(place, yield* PoolSize).pipe(
      Effect.retry({
        schedule: Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(10))),
        until: (error) => sqlState(error) === astray
      }),
      Effect.mapError((error) => {
        const message = sqlMessage(error)
        return sqlState(error) === astray
          ? new SchemaUnfit({ message })
          : new DatabaseUnreachable({ message: `No connection to ${description}: ${message}` })
      })
    )
    yield* watch(pool)
    const spanAttributes = attributesOf(connection)
    const alone = pooled(pool, names)
    const made = yield* SqlClient.make({
      acquirer: Effect.succeed(alone),
      compiler: PgClient.makeCompiler(),
      spanAttributes,
      transactionAcquirer: Effect.withFiberRuntime((fiber) => {
        const { acquire, release } = reservation(pool, names, fiber.getFiberRef(Shares.current))
        return Effect.zipRight(
          Effect.addFinalizer(() => release),
          acquire
        )
      })
    })
    const client = Object.assign(made, { withTransaction: transactions(pool, names, spanAttributes) })
    return (yield* FiberRef.get(FiberRef.currentTracerEnabled)) ? client : untraced(client, alone)
  })
).pipe(Layer.provide(Reactivity.layer))
