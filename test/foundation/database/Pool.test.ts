import { describe, expect } from "bun:test"
import * as net from "node:net"
import * as tls from "node:tls"
import * as SqlClient from "@effect/sql/SqlClient"
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Client from "../../../src/foundation/database/Client.ts"
import { Location } from "../../../src/foundation/database/Location.ts"
import * as Shares from "../../../src/foundation/database/Shares.ts"
import { isAbsent, isBusy } from "../../../src/foundation/database/SqlState.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { until } from "../../waiting.ts"

/** For localhost, until 2126. It protects nothing but these tests. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIQnQPcHE7xLzN9W+
0/O8TqHycOuKb4xUhT/DGK07M3ihRANCAASTAqfYD07Q5xCMUQr2jswecCaiyje+
Nb7Em4cRz49NuIET9AzfxuqV9yFqWFPhpQA/8iy0Hgcbxv29jS8yXs0/
-----END PRIVATE KEY-----`

const cert = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUXBTZJl5ktXInG24tA9fyRsNh3+kwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA0NTQ1N1oYDzIxMjYxMDMw
MDQ1NDU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASTAqfYD07Q5xCMUQr2jswecCaiyje+Nb7Em4cRz49NuIET9AzfxuqV
9yFqWFPhpQA/8iy0Hgcbxv29jS8yXs0/o1MwUTAdBgNVHQ4EFgQUizqpBrfw2CpQ
Nwp7q2Fbi2Eq1icwHwYDVR0jBBgwFoAUizqpBrfw2CpQNwp7q2Fbi2Eq1icwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiByXuWM+ICwRZ1sPKv4yiGH
3UmqjG6hcd69QDdPvEQw+wIgHxk6RqtrnalgiSzbCyw/HL0VlDNrm0p71ctaKsNS
OmU=
-----END CERTIFICATE-----`

const listening = (server: net.Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )

const joined = (one: net.Socket, other: net.Socket) => {
  for (const [from, to] of [[one, other] as const, [other, one] as const]) {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.on("close", () => to.destroy())
  }
}

/** A server that accepts only TLS, like hosted databases, and forwards to the socket at `path`; returns its port. */
const tlsInFrontOf = (path: string) =>
  Effect.gen(function* () {
    const inner = yield* listening(tls.createServer({ cert, key }, (socket) => joined(socket, net.connect(path))))
    return yield* listening(
      net.createServer((socket) => {
        // The client's first message requests TLS, in eight bytes.
        socket.once("data", () => {
          socket.write("S")
          joined(socket, net.connect(inner, "127.0.0.1"))
        })
      })
    )
  })

const it = suite(cluster.layer)

const role = `findable_frugal_${process.pid}`

/** A role that may have two connections, like a server without free ones. */
const limited = Effect.acquireRelease(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`)),
  () => Effect.ignore(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`DROP ROLE ${role}`)))
)

/** A client with a number of connections. */
const clientWith = (size: number, more: Partial<PgClientConfig> = {}) =>
  Effect.gen(function* () {
    const { connection, description } = yield* Location
    const name = `pool ${crypto.randomUUID()}`
    const context = yield* Layer.build(Layer.fresh(Client.layerNoDeps)).pipe(
      Effect.provideService(Location, { connection: { ...connection, ...more, applicationName: name }, description }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_DATABASE_POOL", String(size)]])))
    )
    const admin = yield* SqlClient.SqlClient
    /** The statements of its connections, one each. */
    const sessions = Effect.orDie(
      admin<{ pid: number; query: string; state: string }>`
        SELECT pid, state, query FROM pg_stat_activity WHERE application_name = ${name}`
    )
    const active = Effect.map(sessions, (all) => all.filter(({ state }) => state !== "idle"))
    const sql = yield* Effect.provide(SqlClient.SqlClient, context)
    return { active, sessions, sql }
  })

const as = (share: Shares.Share) => Effect.locally(Shares.current, share)

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("the connection pool", () => {
  it("lets statements wait for existing connections when the database gives no more", function* () {
    yield* limited
    const { sessions, sql } = yield* clientWith(10, { username: role })
    const rows = yield* Effect.forEach(times(30), (n) => sql`SELECT ${n}::int AS n FROM pg_sleep(0.01)`, {
      concurrency: "unbounded"
    })
    expect(rows.flat()).toEqual(times(30).map((n) => ({ n })))
    expect((yield* sessions).length).toBeLessThanOrEqual(2)
  })

  it("gives an account seven of ten connections and all accounts together eight, and keeps two for keys and workers", function* () {
    const { active, sql } = yield* clientWith(10)
    const sleep = sql`SELECT pg_sleep(60)`
    yield* Effect.forkScoped(Effect.forEach(times(20), () => sleep, { concurrency: "unbounded" }).pipe(as("a")))
    yield* until(active, (all) => all.length === 7)
    // Others have an eighth, and keys and workers the rest.
    expect(yield* as("b")(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    yield* Effect.forkScoped(Effect.forEach(times(20), () => sleep, { concurrency: "unbounded" }).pipe(as("b")))
    yield* until(active, (all) => all.length === 8)
    expect(yield* as(Shares.work)(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
    yield* Effect.forkScoped(sleep)
    yield* until(active, (all) => all.length === 9)
    expect(yield* as(Shares.keys)(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }])
  })

  it("reports that the server is busy, not that the database is away, when no connection of a share becomes free in time", function* () {
    const { active, sql } = yield* clientWith(3)
    yield* Effect.forkScoped(
      Effect.forEach(times(2), () => sql`SELECT pg_sleep(60)`, { concurrency: "unbounded" }).pipe(as("a"))
    )
    yield* until(active, (all) => all.length === 2)
    const error = yield* Effect.flip(as("a")(sql`SELECT 1`))
    expect([isBusy(error), isAbsent(error)]).toEqual([true, false])
  })

  it("reports that the database does not respond when no connection at all becomes free in time", function* () {
    const { active, sql } = yield* clientWith(1)
    yield* Effect.forkScoped(sql`SELECT pg_sleep(60)`)
    yield* until(active, (all) => all.length === 1)
    const error = yield* Effect.flip(sql`SELECT 1`)
    expect([isBusy(error), isAbsent(error)]).toEqual([false, true])
  })

  it("serves no caller that has left the queue", function* () {
    const { active, sql } = yield* clientWith(1)
    yield* sql`CREATE TABLE served (n int)`
    const first = yield* Effect.fork(sql`SELECT pg_sleep(60)`)
    yield* until(active, (all) => all.length === 1)
    const waiting = yield* Effect.fork(sql`INSERT INTO served VALUES (${1})`)
    const transaction = yield* Effect.fork(sql.withTransaction(sql`INSERT INTO served VALUES (${2})`))
    yield* Effect.yieldNow()
    // Immediately: the connection is busy for another minute.
    expect(Exit.isInterrupted(yield* Fiber.interrupt(waiting))).toBe(true)
    expect(Exit.isInterrupted(yield* Fiber.interrupt(transaction))).toBe(true)
    yield* Fiber.interrupt(first)
    expect(yield* sql`SELECT n FROM served`).toEqual([])
  })
})

describe("an interrupted statement", () => {
  it("cancels no other statement, among many interruptions", function* () {
    const { sql } = yield* clientWith(4)
    // Some end by themselves at about the time of their interruption, others when their cancellation is about to be sent.
    const left = (n: number) =>
      sql`SELECT pg_sleep(${n % 4 === 0 ? 0.1 + (n % 12) / 1000 : (n % 13) / 1000})`.pipe(
        Effect.timeoutOption(`${n % 17} millis`)
      )
    const stayed = (n: number) => sql`SELECT ${n}::int AS n FROM pg_sleep(${(n % 11) / 1000})`
    const rows = yield* Effect.forEach(times(400), (n) => Effect.zipRight(left(n), stayed(n)), { concurrency: 10 })
    expect(rows.flat()).toEqual(times(400).map((n) => ({ n })))
  })

  it("keeps its connection until it has ended", function* () {
    const { active, sessions, sql } = yield* clientWith(1)
    const [before] = yield* sessions
    const sleeping = yield* Effect.fork(sql`SELECT pg_sleep(60)`)
    yield* until(active, (all) => all.length === 1)
    yield* Fiber.interrupt(sleeping)
    expect(yield* sql`SELECT pg_backend_pid() AS pid`).toEqual([{ pid: before?.pid }])
  })

  it("is cancelled over TLS too", function* () {
    const { connection } = yield* Location
    if (connection.host === undefined) return yield* Effect.logWarning("Skipped: this server has no socket here")
    const port = yield* tlsInFrontOf(`${connection.host}/.s.PGSQL.${connection.port}`)
    const { active, sessions, sql } = yield* clientWith(1, {
      host: "127.0.0.1",
      port,
      ssl: { rejectUnauthorized: false }
    })
    const [before] = yield* sessions
    const sleeping = yield* Effect.fork(sql`SELECT pg_sleep(60)`)
    yield* until(active, (all) => all.length === 1)
    yield* Fiber.interrupt(sleeping)
    expect(yield* sql`SELECT pg_backend_pid() AS pid`).toEqual([{ pid: before?.pid }])
  })

  it("for a key is not cancelled, because it counts the request", function* () {
    const { active, sql } = yield* clientWith(2)
    yield* sql`CREATE TABLE counted (n int)`
    const counting = yield* Effect.fork(as(Shares.keys)(sql`INSERT INTO counted SELECT 1 FROM pg_sleep(0.5)`))
    yield* until(active, (all) => all.length === 1)
    yield* Fiber.interrupt(counting)
    yield* until(sql`SELECT n FROM counted`, (rows) => rows.length === 1)
  })

  it("rolls its transaction back before another caller gets the connection", function* () {
    const { active, sessions, sql } = yield* clientWith(1)
    yield* sql`CREATE TABLE halves (n int)`
    const [before] = yield* sessions
    const half = yield* Effect.fork(
      sql.withTransaction(Effect.zipRight(sql`INSERT INTO halves VALUES (${1})`, sql`SELECT pg_sleep(60)`))
    )
    yield* until(active, (all) => all.some(({ query }) => query.includes("pg_sleep")))
    expect(Exit.isInterrupted(yield* Fiber.interrupt(half))).toBe(true)
    expect(yield* sql`SELECT n FROM halves`).toEqual([])
    expect((yield* sessions).map(({ pid }) => pid)).toEqual([before?.pid ?? 0])
  })
})
