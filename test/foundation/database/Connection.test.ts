import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../../src/foundation/database/Query.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

const prepared = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ statement: string; calls: string }>`
    SELECT statement, (generic_plans + custom_plans)::text AS calls FROM pg_prepared_statements
    WHERE statement LIKE ${"%looked_at%"} AND statement NOT LIKE ${"%pg_prepared_statements%"}`
)

describe("a statement with parameters", () => {
  it("is parsed once a connection", function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* Effect.gen(function* () {
      for (const n of [1, 2, 3, 4]) yield* sql`SELECT ${n}::int AS looked_at`
      return yield* prepared
    }).pipe(sql.withTransaction)
    expect(found.filter(({ statement }) => statement === "SELECT $1::int AS looked_at")).toEqual([
      { calls: "4", statement: "SELECT $1::int AS looked_at" }
    ])
  })

  it("answers after another node's migration changed what it answers", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE migrated (id int)`
    yield* sql`INSERT INTO migrated VALUES (1)`
    const read = Effect.suspend(() => sql`SELECT * FROM migrated WHERE id = ${1}`)
    // Every connection of the pool has it prepared.
    yield* Effect.all(
      Array.from({ length: 30 }, () => read),
      { concurrency: "unbounded" }
    )
    yield* sql`ALTER TABLE migrated ADD COLUMN name text DEFAULT 'x'`
    const rows = yield* Effect.all(
      Array.from({ length: 30 }, () => read),
      { concurrency: "unbounded" }
    )
    expect(rows.flat()).toEqual(Array.from({ length: 30 }, () => ({ id: 1, name: "x" })))
  })

  it("answers so inside of a transaction too, which is begun anew", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE moved (id int)`
    const insertAndRead = Effect.suspend(() =>
      Effect.zipRight(sql`INSERT INTO moved VALUES (${1})`, Effect.orDie(sql`SELECT * FROM moved WHERE id = ${1}`))
    ).pipe(Query.transaction(sql))
    yield* Effect.all(
      Array.from({ length: 30 }, () => insertAndRead),
      { concurrency: "unbounded" }
    )
    yield* sql`ALTER TABLE moved ADD COLUMN name text`
    const rows = yield* insertAndRead
    expect(rows).toEqual(Array.from({ length: 31 }, () => ({ id: 1, name: null })))
  })
})
