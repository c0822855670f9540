import { describe, expect } from "bun:test"
import { connect } from "node:net"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { closeFirst, Drain } from "../../../src/app/server/ErrorEnvelope.ts"
import * as Listener from "../../../src/app/server/Server.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { Stopping } from "../../../src/foundation/http/Request.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually } from "../../waiting.ts"

/** Locks the table of sites, so that requests that need it wait, until released. */
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
  it("finishes requests in flight, refuses new requests as temporary, and then stops", function* () {
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

describe("the stop of a server", () => {
  effectWithTestClock(
    "waits at most 20 s for a request that never ends, and logs the requests that it ended",
    function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ annotations, message }) => lines.push([message, Object.fromEntries(annotations)]))
      const scope = yield* Scope.make()
      yield* Effect.gen(function* () {
        const drain = yield* Drain
        yield* Layer.buildWithScope(closeFirst, scope)
        expect(drain.enter()).toBe(true)
        expect(drain.enter()).toBe(true)
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* Effect.yieldNow()
        yield* drain.leave
        yield* TestClock.adjust("19 seconds")
        expect(Option.isNone(yield* Fiber.poll(closing))).toBe(true)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(closing)
        expect(drain.enter()).toBe(false)
      }).pipe(Effect.provide([Drain.Default, Stopping.Default, Logger.replace(Logger.defaultLogger, logger)]))
      expect(lines).toEqual([[["Requests in progress have ended"], { answered: 1, broken_off: 1 }]])
    }
  )
})

/** A server that listens before it can respond. */
const listening = Effect.gen(function* () {
  const provider = ConfigProvider.fromMap(new Map([["FINDABLE_PORT", "0"]]))
  const context = yield* Layer.build(Layer.provide(Listener.layer, Layer.setConfigProvider(provider)))
  const server = Context.get(context, HttpServer.HttpServer)
  const port = server.address._tag === "TcpAddress" ? server.address.port : 0
  return { ask: Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`)), port, server }
})

const app = Effect.succeed(HttpServerResponse.empty({ status: 200 }))

describe("a server", () => {
  it("makes requests wait that arrive before it is ready", function* () {
    const { ask, port, server } = yield* listening
    const socket = connect(port, "127.0.0.1")
    const heard: Array<string> = []
    socket.on("data", (bytes) => heard.push(`${bytes}`))
    yield* Effect.async<void>((resume) => {
      const request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      socket.on("connect", () => socket.write(request, () => resume(Effect.void)))
    })
    expect(heard).toEqual([])
    yield* server.serve(app)
    yield* eventually(() => heard.join("").startsWith("HTTP/1.1 200"))
    expect((yield* ask).status).toBe(200)
  })

  it('never answers "no such route" after it has stopped', function* () {
    const { ask, server } = yield* listening
    const scope = yield* Scope.make()
    yield* Scope.extend(server.serve(app), scope)
    expect((yield* ask).status).toBe(200)
    yield* Scope.close(scope, Exit.void)
    // The kept connection is answered as before or closed, but never with a missing route.
    const kept = yield* Effect.option(ask)
    expect(kept._tag === "None" || kept.value.status === 200).toBe(true)
  })
})
