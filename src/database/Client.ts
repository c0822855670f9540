import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Location } from "./Location.ts"
import { openPool } from "./Pool.ts"
import * as PoolMetrics from "./PoolMetrics.ts"
import { PoolSize, Prepared } from "./Settings.ts"
import { sqlMessage } from "./SqlState.ts"
import { untraced } from "./Untraced.ts"

/** The database did not answer while the process started. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{ readonly message: string }> {}

/** A pool of connections to the database of `Location`, one of them kept open so that others see this process; at start a server that is still coming up is waited for, 5 s long. */
export const layerNoDeps = Layer.scopedContext(
  Effect.gen(function* () {
    const { connection, description } = yield* Location
    const acquire = Effect.tap(
      openPool(connection, { max: yield* PoolSize, prepared: yield* Prepared }),
      PoolMetrics.watch
    )
    const client = yield* PgClient.fromPool({ acquire }).pipe(
      Effect.retry(Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(10)))),
      Effect.mapError(
        (error) => new DatabaseUnreachable({ message: `No answer from ${description}: ${sqlMessage(error)}` })
      )
    )
    const isTraced = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const statements = isTraced ? client : untraced(client)
    return Context.make(PgClient.PgClient, statements).pipe(Context.add(SqlClient.SqlClient, statements))
  })
).pipe(Layer.provide(Reactivity.layer))
