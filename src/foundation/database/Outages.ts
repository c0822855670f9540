import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { absence, isAbsent, isFull } from "./SqlState.ts"

/** An outage by a full disk is over when no loop has reported it for this long. */
const quiet = "5 seconds"

/** Logs the start and the end of an outage of the database, once each for all loops of the process. */
export class Outages extends Effect.Service<Outages>()("database/Outages", {
  accessors: true,
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const watch = yield* FiberHandle.make()

    let seen = 0

    // A database that answers may still refuse writes; writing loops find out within seconds.
    const answers = sql`SELECT 1 WHERE current_setting('transaction_read_only') = 'off'`.pipe(
      Effect.filterOrFail(([writable]) => writable !== undefined),
      Effect.retry(Schedule.spaced("1 second"))
    )
    const quietly = Effect.gen(function* () {
      const before = seen
      yield* answers
      yield* Effect.sleep(quiet)
      return seen === before
    })

    const untilBack = Effect.fnUntraced(function* (error: SqlError) {
      yield* Effect.logWarning(absence(error))
      const back = isFull(error)
        ? Effect.asVoid(Effect.repeat(quietly, { until: (done) => done }))
        : Effect.asVoid(answers)
      const [away] = yield* Effect.timed(back)
      yield* Effect.logInfo(`The database is back after ${Math.round(Duration.toSeconds(away))} s`)
    })

    /** Logs why a loop failed, as a defect or a cause. An absent database is logged as an outage instead. */
    const report = (message: string, problem: unknown) => {
      const error = Cause.isCause(problem) ? Cause.squash(problem) : problem
      if (error instanceof SqlError && isAbsent(error)) seen++
      return error instanceof SqlError && isAbsent(error)
        ? Effect.asVoid(FiberHandle.run(watch, untilBack(error), { onlyIfMissing: true }))
        : Effect.logWarning(message, problem)
    }

    return { report }
  })
}) {}

/** Repeats work with a pause after each round until the scope closes. A failure is logged with `message`, and the next round tries again. */
export const every =
  (pause: "5 seconds" | "15 seconds" | "1 minute" | "10 minutes", message: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, Outages | R | Scope.Scope> =>
    work.pipe(
      Effect.catchAllCause((cause) => Outages.report(message, cause)),
      Effect.repeat(Schedule.spaced(pause)),
      Effect.forkScoped,
      Effect.asVoid
    )
