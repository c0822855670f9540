import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Schedule from "effect/Schedule"
import { isAbsent, isFull, sqlMessage } from "./SqlState.ts"

/** Tells of a database that is away: once when it goes and once when it is back, however many loops of the process miss it meanwhile. */
export class Outages extends Effect.Service<Outages>()("database/Outages", {
  accessors: true,
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const watch = yield* FiberHandle.make()

    const untilBack = Effect.fnUntraced(function* (error: SqlError) {
      yield* Effect.logWarning(
        isFull(error)
          ? `The database has no disk space left: ${sqlMessage(error)}`
          : `The database is away: ${sqlMessage(error)}`
      )
      const [away] = yield* Effect.timed(Effect.retry(sql`SELECT 1`, Schedule.spaced("1 second")))
      yield* Effect.logInfo(`The database is back after ${Math.round(Duration.toSeconds(away))} s`)
    })

    /** Logs why a loop could not do its work, a defect or a cause, unless that is an absent database. */
    const report = (message: string, problem: unknown) => {
      const error = Cause.isCause(problem) ? Cause.squash(problem) : problem
      return error instanceof SqlError && isAbsent(error)
        ? Effect.asVoid(FiberHandle.run(watch, untilBack(error), { onlyIfMissing: true }))
        : Effect.logWarning(message, problem)
    }

    return { report }
  })
}) {}
