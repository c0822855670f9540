import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { it } from "../../harness.ts"
import * as Server from "../../server.ts"

/** Holds the table of projects, so that requests which need it wait, until released. */
const held = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const taken = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  yield* sql`LOCK TABLE projects`.pipe(
    Effect.zipRight(Deferred.succeed(taken, undefined)),
    Effect.zipRight(Deferred.await(release)),
    sql.withTransaction,
    Effect.forkScoped
  )
  yield* Deferred.await(taken)
  return { release: Deferred.succeed(release, undefined) }
})

describe("a stopping server", () => {
  it("finishes what is in flight, tells others to come again, and then is gone", function* () {
    const scope = yield* Scope.make()
    const server = yield* Layer.buildWithScope(Server.layer, scope)
    const { base, send } = Context.get(server, Server.TestServer)
    const { key } = yield* Effect.provide(Server.customer(), Context.pick(Accounts)(server))
    const { release } = yield* Effect.provide(held, Context.pick(SqlClient.SqlClient)(server))

    const slow = yield* Effect.fork(send("GET", "/api/v1/projects", { key }))
    const sql = Context.get(server, SqlClient.SqlClient)
    yield* sql`SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.pipe(
      Effect.filterOrFail((rows) => rows.length > 0),
      Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo("50 seconds")))
    )
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    const refused = yield* send("GET", "/healthz").pipe(
      Effect.filterOrFail(({ status }) => status === 503),
      Effect.retry(Schedule.spaced("10 millis").pipe(Schedule.upTo("50 seconds")))
    )
    expect(refused.body.error.code).toBe("service_unavailable")
    expect(refused.headers.get("retry-after")).toBe("1")

    yield* release
    expect((yield* Fiber.join(slow)).status).toBe(200)
    yield* Fiber.join(closing)
    const gone = yield* Effect.flip(Effect.tryPromise(() => fetch(`${base}/healthz`)))
    expect(gone).toBeDefined()
  })
})
