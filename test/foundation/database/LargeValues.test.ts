import { describe, expect } from "bun:test"
import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(cluster.layer)

const bytes = Uint8Array.from({ length: 4_000_001 }, (_, n) => (n * 7919) % 251)
const text = "größer als ein Stück 🙂 ".repeat(100_000)
const md5 = (value: string | Uint8Array) => createHash("md5").update(value).digest("hex")

/** Lengths of what is written to the server by the transaction at hand. */
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
  it("arrives whole, beside others of every kind, as bytes and as text", function* () {
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

  it("arrives beside a value that only the driver knows how to send", function* () {
    const sql = yield* SqlClient.SqlClient
    const moment = new Date("2026-10-08T12:00:00.000Z")
    expect(yield* sql`SELECT md5(${bytes}::bytea) AS bytes, ${moment}::timestamptz AS moment`).toEqual([
      { bytes: md5(bytes), moment }
    ])
  })

  it("is written in pieces", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.gen(function* () {
      const { end, lengths } = yield* written
      yield* sql`SELECT length(${bytes}::bytea), length(${text}::text)`
      end()
      expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
      expect(lengths.reduce((sum, length) => sum + length)).toBeGreaterThan(bytes.length + text.length)
    }).pipe(sql.withTransaction)
  })

  it("costs its connection nothing when the server refuses its statement before it has come", function* () {
    const sql = yield* SqlClient.SqlClient
    const pid = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
    for (const wrong of [sql`SELECT nothing(${bytes}::bytea)`, sql`SELECT length(${text}::text) FROM nowhere`]) {
      const [first] = yield* pid
      expect(Either.isLeft(yield* Effect.either(wrong))).toBe(true)
      const [again] = yield* pid
      expect(again).toEqual(first)
    }
    // A value that its type refuses ends the statement after it has come.
    expect(Either.isLeft(yield* Effect.either(sql`SELECT ${text}::json`))).toBe(true)
    const rolledBack = Effect.zipRight(sql`CREATE TABLE seen (id int)`, sql`SELECT nothing(${bytes}::bytea)`)
    yield* Effect.either(sql.withTransaction(rolledBack))
    expect(yield* sql`SELECT to_regclass('seen') AS there`).toEqual([{ there: null }])
  })

  it("whose sender goes away leaves a connection that others use", function* () {
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
