import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const it = suite(Server.layerWith({ FINDABLE_READ_TIMEOUT: "200 millis" }))

/** Statements that wait for a lock, as they would for their own end. */
const waiting = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ query: string; seconds: number }>`
    SELECT query, extract(epoch FROM clock_timestamp() - query_start)::float8 AS seconds FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
).pipe(Effect.orDie)

/** Blocks every statement on a table while the effect runs. */
const held = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const holds = yield* Deferred.make<void, SqlError>()
    const done = yield* Deferred.make<void>()
    const holding = sql`LOCK TABLE ${sql(table)} IN ACCESS EXCLUSIVE MODE`.pipe(
      Effect.zipRight(Deferred.succeed(holds, undefined)),
      Effect.zipRight(Deferred.await(done)),
      sql.withTransaction
    )
    const fiber = yield* Effect.fork(Effect.onError(holding, (cause) => Deferred.failCause(holds, cause)))
    yield* Deferred.await(holds)
    const result = yield* effect
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(fiber)
    return result
  })

it("a read whose statement takes too long is cancelled, and the error names the parameters that narrow it", function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const lists = [
    ["/experiments?limit=5", "experiments", ["site_id", "project_id", "status"]],
    ["/webhooks", "webhooks", ["limit"]],
    [
      `/projects/${id}/performance?by=page`,
      "ranking_sites",
      ["start", "end", "device", "country", "page_path", "query", "query_contains"]
    ]
  ] as const
  for (const [path, table, parameters] of lists) {
    const reply = yield* held(table, Server.send("GET", `/api/v1${path}`, { key }))
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain("more than 0.2 s")
    expect(reply.body.error.details).toEqual(parameters.map((path) => ({ message: "narrows the request", path })))
  }
  yield* until(waiting, (rows) => rows.length === 0)
})

it("a cancelled read without such parameters may be repeated", function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const reply = yield* held("projects", Server.send("GET", `/api/v1/projects/${id}`, { key }))
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "30"])
  expect(reply.body.error.message).toContain("more than 0.2 s")
  expect((yield* Server.send("GET", `/api/v1/projects/${id}`, { key })).status).toBe(200)
})

it("an export whose statement takes too long is refused in the same way before its first byte", function* () {
  const { key } = yield* Server.customer()
  const reply = yield* held(
    "ranking_generations",
    Server.send("GET", "/api/v1/keywords", { headers: { accept: "text/csv" }, key })
  )
  expect([reply.status, reply.body.error.details[0].path]).toEqual([422, "site_id"])
})

it("a write and the query for the key have no time limit", function* () {
  const { key } = yield* Server.customer()
  const body = { events: ["audit.completed"], url: "http://127.0.0.1:2/hook" }
  const written = yield* held(
    "webhooks",
    Effect.gen(function* () {
      const writing = yield* Effect.fork(Server.send("POST", "/api/v1/webhooks", { body, key }))
      yield* until(waiting, (statements) => statements.length === 1)
      // A read that begins later reaches its limit while the write still waits.
      expect((yield* Server.send("GET", "/api/v1/webhooks", { key })).status).toBe(422)
      // Its statement is cancelled a moment after the response; the write continues.
      yield* until(waiting, (statements) => statements.length === 1)
      return writing
    })
  )
  expect((yield* Fiber.join(written)).status).toBe(201)

  const looked = yield* held(
    "api_keys",
    Effect.gen(function* () {
      const looking = yield* Effect.fork(Server.send("GET", "/api/v1/webhooks", { key }))
      yield* until(waiting, ([statement]) => statement !== undefined && statement.seconds > 0.3)
      return looking
    })
  )
  expect((yield* Fiber.join(looked)).status).toBe(200)
})
