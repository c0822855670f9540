import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Location from "../../../src/foundation/database/Location.ts"
import { Outages } from "../../../src/foundation/database/Outages.ts"
import { listen } from "../../../src/foundation/database/Wakeups.ts"
import { suite } from "../../harness.ts"
import { eventually, until } from "../../waiting.ts"
import { layer, logged, whileAway } from "./away.ts"

const it = suite(layer)

describe("an outage of the database", () => {
  it("is logged once at its beginning and once at its end, for any number of loops that report it", function* () {
    const sql = yield* SqlClient.SqlClient
    const failing = Effect.orDie(sql`SELECT 1`).pipe(
      Effect.catchAllCause((cause) => Outages.report("A loop failed", cause))
    )
    const lines = yield* logged((lines) =>
      Effect.gen(function* () {
        yield* whileAway(Effect.replicateEffect(failing, 20, { concurrency: 5 }))
        yield* eventually(() => lines.length >= 2)
        yield* whileAway(failing)
        yield* eventually(() => lines.length >= 4)
      })
    )
    expect(lines).toHaveLength(4)
    expect(lines[0]).toStartWith("WARN The database cannot be reached: ")
    expect(lines[1]).toStartWith("INFO The database is back after ")
    expect(lines.slice(2).map((line) => line.slice(0, 24))).toEqual(lines.slice(0, 2).map((line) => line.slice(0, 24)))
  })

  it("is logged once at its beginning and once at its end if the database is read-only", function* () {
    const sql = yield* SqlClient.SqlClient
    const set = (value: string) =>
      Effect.zipRight(
        sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${value}`),
        sql`SELECT pg_reload_conf()`
      )
    const failing = Effect.orDie(sql`CREATE TABLE written ()`).pipe(
      Effect.catchAllCause((cause) => Outages.report("A loop failed", cause))
    )
    const readOnly = Effect.map(sql<{ on: string }>`SHOW default_transaction_read_only`, ([row]) =>
      Object.values(row ?? {}).includes("on")
    )
    const lines = yield* logged((lines) =>
      Effect.gen(function* () {
        yield* set("on")
        yield* until(readOnly, (on) => on)
        yield* Effect.replicateEffect(failing, 20)
        yield* Effect.ensuring(Effect.sleep("1200 millis"), Effect.orDie(set("off")))
        yield* eventually(() => lines.length >= 2)
      })
    )
    expect(lines).toEqual([
      "WARN The database is read-only: cannot execute CREATE TABLE in a read-only transaction",
      expect.stringMatching(/^INFO The database is back after \d+ s$/)
    ])
  })

  it("does not hide other errors, which are logged each time", function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = [
      Outages.report("A defect", new Error("broken")),
      Outages.report("A cause", Cause.die(new Error("broken"))),
      Effect.catchAllCause(sql`SELECT nonsense`, (cause) => Outages.report("A statement", cause)),
      Effect.catchAllCause(sql`SELECT nonsense`, (cause) => Outages.report("A statement", cause))
    ]
    const lines = yield* logged(() => Effect.all(faults))
    expect(lines).toEqual(["WARN A defect", "WARN A cause", "WARN A statement", "WARN A statement"])
  })

  it("loses the notification connection, which is opened again and logged", function* () {
    const sql = yield* SqlClient.SqlClient
    const place = yield* Location.Location
    const bell = yield* Queue.sliding<void>(1)
    const listening = listen(place, "a Channel", () => Effect.asVoid(Queue.offer(bell, undefined)))
    const heard = Effect.zipRight(
      Effect.orDie(sql`SELECT pg_notify('a Channel', '')`),
      Effect.map(Queue.size(bell), (size) => size > 0)
    )
    const first = yield* Effect.fork(Effect.flip(listening))
    yield* until(heard, (held) => held)
    yield* Queue.take(bell)
    const error = yield* whileAway(first)
    expect(error._tag).toBe("SqlError")
    yield* Effect.forkScoped(listening)
    yield* until(heard, (held) => held)
  })
})
