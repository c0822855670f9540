import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { suite } from "../harness.ts"
import * as Server from "../server.ts"

const it = suite(Server.layer)

/** Waits until so many statements of this database wait for a lock. */
const waiting = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.pipe(
      Effect.filterOrFail((rows) => rows.length === count),
      Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("20 seconds")))
    )
  )

it.effect("a read whose client has gone is ended in the database too", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const read = Effect.tryPromise((signal) =>
      fetch(`${base}/api/v1/projects`, { headers: { "x-api-key": key }, signal })
    )
    yield* Effect.gen(function* () {
      yield* sql`LOCK TABLE projects`
      const asking = yield* Effect.fork(read)
      yield* waiting(1)
      yield* Fiber.interrupt(asking)
      yield* waiting(0)
    }).pipe(sql.withTransaction)
    expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
  })
)
