import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { Location } from "../../../src/foundation/database/Location.ts"
import * as Migrations from "../../../src/foundation/database/Migrations.ts"
import { listen } from "../../../src/foundation/database/Wakeups.ts"
import * as cluster from "../../cluster.ts"

import { suite } from "../../harness.ts"
import { tablesOf } from "./tables.ts"

const it = suite(cluster.layer)

const addAccount = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO accounts (name, plan) VALUES (${name}, 'free')`)

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ name: string }>`SELECT name FROM accounts ORDER BY 1`, (rows) => rows.map(({ name }) => name))
)

describe("two installations in one database", () => {
  it("have the same tables, each in its own schema with its own rows", function* () {
    const before = yield* tablesOf("public")
    yield* addAccount("first")
    const others = yield* Effect.provide(Effect.zipRight(addAccount("second"), accounts), cluster.beside("second"))
    expect(others).toEqual(["second"])
    expect(yield* accounts).toEqual(["first"])
    expect(yield* tablesOf("second")).toEqual(before)
    expect(yield* tablesOf("public")).toEqual(before)
  })

  it("have partitions for the same months", function* () {
    const make = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT ensure_ranking_partitions('2024-02-01', '2024-03-01')`
    )
    yield* make
    yield* Effect.provide(make, cluster.beside("second"))
    const parts = (yield* tablesOf("public")).filter((name) => /_2024_/.test(name))
    expect(parts.length).toBeGreaterThan(3)
    expect((yield* tablesOf("second")).filter((name) => /_2024_/.test(name))).toEqual(parts)
  })

  it("receive only their own notifications", () =>
    Effect.gen(function* () {
      const second = yield* Layer.build(cluster.beside("second"))
      const sql = yield* SqlClient.SqlClient
      const others = Context.get(second, SqlClient.SqlClient)
      const tell = (sql: SqlClient.SqlClient, text: string) =>
        sql`SELECT ${Migrations.notify(sql, "a_channel", sql`${text}`)}`
      const hears = (place: typeof Location.Service) =>
        Effect.gen(function* () {
          const heard = yield* Queue.unbounded<string>()
          yield* Effect.forkScoped(listen(place, "a_channel", (text) => Queue.offer(heard, text)))
          return heard
        })
      const first = yield* hears(yield* Location)
      const other = yield* hears(Context.get(second, Location))
      /** Sends notifications until the listener receives one. */
      const wake = (sql: SqlClient.SqlClient, heard: Queue.Queue<string>) =>
        tell(sql, "awake").pipe(
          Effect.zipRight(Effect.timeoutOption(Queue.take(heard), "50 millis")),
          Effect.repeat({ until: (answer) => answer._tag === "Some" })
        )
      yield* wake(sql, first)
      yield* wake(others, other)
      // Notifications arrive in the order of their transactions.
      yield* tell(sql, "for the first")
      yield* tell(others, "for the second")
      yield* tell(sql, "end")
      yield* tell(others, "end")
      const all = (heard: Queue.Queue<string>) =>
        Effect.map(
          Effect.iterate(["awake"], {
            body: (texts) => Effect.map(Queue.take(heard), (text) => [...texts, text]),
            while: (texts) => texts.at(-1) !== "end"
          }),
          (texts) => texts.filter((text) => text !== "awake")
        )
      expect(yield* all(first)).toEqual(["for the first", "end"])
      expect(yield* all(other)).toEqual(["for the second", "end"])
    }).pipe(Effect.scoped))

  it("do not wait for each other's locks", function* () {
    const taken = yield* Deferred.make<void>()
    const done = yield* Deferred.make<void>()
    const held = <A, E, R>(within: Effect.Effect<A, E, R>) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`SET LOCAL lock_timeout = '2s'`.pipe(
          Effect.zipRight(sql`SELECT ${Migrations.lock(sql, sql`${42}::bigint`)}`),
          Effect.zipRight(within),
          sql.withTransaction
        )
      )
    const holder = yield* Effect.fork(held(Effect.zipRight(Deferred.succeed(taken, undefined), Deferred.await(done))))
    yield* Deferred.await(taken)
    yield* Effect.provide(held(Effect.void), cluster.beside("second"))
    const { cause } = yield* Effect.flip(held(Effect.void))
    expect(String(cause)).toContain("lock timeout")
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(holder)
  })
})
