import * as PgClient from "@effect/sql-pg/PgClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Location } from "./Location.ts"
import { PoolSize } from "./Settings.ts"
import { sqlMessage } from "./SqlState.ts"

/** The database did not answer while the process started. */
export class DatabaseUnreachable extends Data.TaggedError("DatabaseUnreachable")<{ readonly message: string }> {}

/** A pool of connections to the database of `Location`, one of them kept open so that others see this process; at start a server that is still coming up is waited for, 5 s long. */
export const layerNoDeps = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { connection, description } = yield* Location
    const maxConnections = yield* PoolSize
    return PgClient.layer({ ...connection, connectTimeout: "5 seconds", maxConnections, minConnections: 1 }).pipe(
      Layer.retry(Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(10)))),
      Layer.catchAll((error) =>
        Layer.fail(
          new DatabaseUnreachable({
            message: `No answer from ${description}: ${error._tag === "SqlError" ? sqlMessage(error) : String(error)}`
          })
        )
      )
    )
  })
)
