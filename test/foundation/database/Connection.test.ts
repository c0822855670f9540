import { describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { limited, StatementLimit, statementNames } from "../../../src/foundation/database/Connection.ts"
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
  it("is parsed once per connection", function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* Effect.gen(function* () {
      for (const n of [1, 2, 3, 4]) yield* sql`SELECT ${n}::int AS looked_at`
      return yield* prepared
    }).pipe(sql.withTransaction)
    expect(found.filter(({ statement }) => statement === "SELECT $1::int AS looked_at")).toEqual([
      { calls: "4", statement: "SELECT $1::int AS looked_at" }
    ])
  })

  it("succeeds after another server's migration changed its result", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE migrated (id int)`
    yield* sql`INSERT INTO migrated VALUES (1)`
    const read = Effect.suspend(() => sql`SELECT * FROM migrated WHERE id = ${1}`)
    // Every connection of the pool has prepared the statement.
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

  it("succeeds inside of a transaction too, which starts again", function* () {
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

const bytes = Uint8Array.from({ length: 4_000_001 }, (_, n) => (n * 7919) % 251)

const text = "größer als ein Stück 🙂 ".repeat(100_000)

const md5 = (value: string | Uint8Array) => createHash("md5").update(value).digest("hex")

/** Lengths of the current transaction's writes to the server. */
const written = Effect.map(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) => {
  const { stream } = Object(Option.getOrThrow(transaction)[0]).pg.connection
  const lengths: Array<number> = []
  const write = stream.write
  stream.write = (data: Uint8Array, ...more: ReadonlyArray<unknown>) => {
    lengths.push(data.length)
    return write.call(stream, data, ...more)
  }
  return {
    end: () => {
      stream.write = write
    },
    lengths
  }
})

describe("a large value", () => {
  it("arrives complete, as bytes and as text, beside values of other types", function* () {
    const sql = yield* SqlClient.SqlClient
    const read = sql`
      SELECT md5(${bytes}::bytea) AS bytes, ${null}::text AS nothing, md5(${text}::text) AS text, ${7}::int AS number, ${true}::bool AS yes, ${""}::text AS empty,
        ${9_007_199_254_740_993n}::bigint::text AS big`
    const expected = [
      { big: "9007199254740993", bytes: md5(bytes), empty: "", nothing: null, number: 7, text: md5(text), yes: true }
    ]
    expect(yield* read).toEqual(expected)
    expect(yield* sql.withTransaction(read)).toEqual(expected)
    const many = yield* Effect.all(
      Array.from({ length: 12 }, () => read),
      { concurrency: "unbounded" }
    )
    expect(many.flat()).toEqual(Array.from({ length: 12 }, () => expected).flat())
  })

  it("arrives beside a value that only the driver can encode", function* () {
    const sql = yield* SqlClient.SqlClient
    const moment = new Date("2026-10-08T12:00:00.000Z")
    expect(yield* sql`SELECT md5(${bytes}::bytea) AS bytes, ${moment}::timestamptz AS moment`).toEqual([
      { bytes: md5(bytes), moment }
    ])
  })

  it("is written in several chunks", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.gen(function* () {
      const { end, lengths } = yield* written
      yield* sql`SELECT length(${bytes}::bytea), length(${text}::text)`
      end()
      expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
      expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThan(bytes.length + text.length)
    }).pipe(sql.withTransaction)
  })

  it("does not break its connection when the server refuses the statement early", function* () {
    const sql = yield* SqlClient.SqlClient
    const pid = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
    for (const wrong of [sql`SELECT nothing(${bytes}::bytea)`, sql`SELECT length(${text}::text) FROM nowhere`]) {
      const [first] = yield* pid
      expect(Either.isLeft(yield* Effect.either(wrong))).toBe(true)
      const [again] = yield* pid
      expect(again).toEqual(first)
    }
    // An invalid value ends the statement after its arrival.
    expect(Either.isLeft(yield* Effect.either(sql`SELECT ${text}::json`))).toBe(true)
    const rolledBack = Effect.zipRight(sql`CREATE TABLE seen (id int)`, sql`SELECT nothing(${bytes}::bytea)`)
    yield* Effect.either(sql.withTransaction(rolledBack))
    expect(yield* sql`SELECT to_regclass('seen') AS there`).toEqual([{ there: null }])
  })

  it("leaves its connection usable when its sender is interrupted", function* () {
    const sql = yield* SqlClient.SqlClient
    for (let n = 0; n < 20; n++) {
      const sending = yield* Effect.fork(sql`SELECT md5(${bytes}::bytea), pg_sleep(${n % 2})`)
      yield* Effect.sleep(n)
      yield* Fiber.interrupt(sending)
      const read = Effect.all(
        Array.from({ length: 4 }, (_, at) => sql`SELECT ${at}::int AS at`),
        { concurrency: 4 }
      )
      expect((yield* read).flat()).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }, { at: 3 }])
    }
  })
})

const texts = (count: number) => Array.from({ length: count }, (_, n) => `SELECT $1 + ${n}`)

describe("names of prepared statements", () => {
  test("stay the same for a statement, and are unique", () => {
    const names = statementNames()
    const first = texts(1000).map(names.of)
    expect(new Set(first).size).toBe(1000)
    expect(texts(1000).map(names.of)).toEqual(first)
  })

  test("are never reused after a statement was forgotten", () => {
    const names = statementNames()
    const before = texts(3).map(names.of)
    names.forget("SELECT $1 + 1")
    expect(before).not.toContain(names.of("SELECT $1 + 1"))
  })

  test("are given to 1,000 statements per pool at a time", () => {
    const names = statementNames()
    for (const text of texts(1000)) names.of(text)
    expect(names.of("SELECT $1")).toBeUndefined()
    expect(statementNames().of("SELECT $1")).toBeDefined()
    names.forget("SELECT $1 + 999")
    expect(names.of("SELECT $1")).toBeDefined()
  })
})

describe("a statement with a time limit", () => {
  test("may end before it is registered, as when its pool is closed", async () => {
    const ended = Effect.withFiberRuntime<string>((fiber) =>
      limited<string, never>(fiber, (resume) => {
        resume(Effect.succeed("refused"))
        return Effect.void
      })
    )
    expect(await Effect.runPromise(Effect.provideService(ended, StatementLimit, 1000))).toBe("refused")
  })
})
