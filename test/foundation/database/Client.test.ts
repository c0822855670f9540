import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Client from "../../../src/foundation/database/Client.ts"
import { sqlState } from "../../../src/foundation/database/SqlState.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(
  Layer.provideMerge(Layer.fresh(Client.layerNoDeps).pipe(Layer.provide(Layer.setTracerEnabled(false))), cluster.layer)
)

describe("a statement of a process without tracing", () => {
  it("returns its rows, accepts fragments, and fails with an SQLSTATE", function* () {
    const sql = yield* SqlClient.SqlClient
    const positive = sql`n > ${1}`
    expect(yield* sql`SELECT n FROM ${sql("generate_series")}(1, 3) n WHERE ${positive}`).toEqual([{ n: 2 }, { n: 3 }])
    expect(sqlState(yield* Effect.flip(sql`SELECT 1 / ${0}::int`))).toBe("22012")
  })

  it("belongs to the transaction around it", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE kept (n int)`
    const insert = (n: number) => sql`INSERT INTO kept VALUES (${n})`
    yield* Effect.exit(sql.withTransaction(Effect.zipRight(insert(1), Effect.fail("back"))))
    yield* sql.withTransaction(insert(2))
    expect(yield* sql`SELECT n FROM kept`).toEqual([{ n: 2 }])
  })

  it("is cancelled in the database when its fiber is interrupted", function* () {
    const sql = yield* SqlClient.SqlClient
    const sleeping = (count: number) =>
      sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT pg_sleep($1)' AND state = 'active'`.pipe(
        Effect.filterOrFail((rows) => rows.length === count),
        Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds")))
      )
    const asleep = yield* Effect.fork(sql`SELECT pg_sleep(${60})`)
    yield* sleeping(1)
    yield* Fiber.interrupt(asleep)
    yield* sleeping(0)
  })
})
