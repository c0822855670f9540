import { expect } from "bun:test"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Listener from "../../../src/app/server/Server.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** Waits until so many statements of this database wait for a lock. */
const waiting = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.pipe(
      Effect.filterOrFail((rows) => rows.length === count),
      Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds")))
    )
  )

it("a read whose client has gone is ended in the database too", function* () {
  const sql = yield* SqlClient.SqlClient
  const { base } = yield* Server.TestServer
  const { key } = yield* Server.customer()
  const read = Effect.tryPromise((signal) =>
    fetch(`${base}/api/v1/projects`, { headers: { "x-api-key": key }, signal })
  )
  yield* Effect.gen(function* () {
    yield* sql`LOCK TABLE projects`
    const asking = yield* Effect.fork(read)
    yield* waiting(1)
    yield* Fiber.interrupt(asking)
    yield* waiting(0)
  }).pipe(sql.withTransaction)
  expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
})

/** The answer to a request of an app that is served for as long as it is looked at. */
const answerOf = <A>(
  app: HttpApp.Default<never, Scope.Scope>,
  look: (response: Response) => Promise<A>,
  method = "GET"
) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "TcpAddress" ? address.port : 0
    return yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}`, { method }).then(look))
  }).pipe(
    Effect.provide(HttpServer.serve(app).pipe(Layer.provideMerge(Listener.layer))),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_PORT", "0"]])))
  )

/** What happens in the scope of a request, in order. */
const noted = (answer: (note: (what: string) => Effect.Effect<void>) => HttpServerResponse.HttpServerResponse) => {
  const notes: Array<string> = []
  const note = (what: string) => Effect.sync(() => void notes.push(what))
  const app = Effect.zipRight(
    Effect.addFinalizer(() => note("closed")),
    Effect.sync(() => answer(note))
  )
  return { app, notes }
}

it("the scope of a request is open until its answer is made, and that of a stream until its last byte is read", function* () {
  const whole = noted(() => HttpServerResponse.text("whole"))
  expect(yield* answerOf(whole.app, (response) => response.text())).toBe("whole")
  expect(whole.notes).toEqual(["closed"])
  const streamed = noted((note) =>
    HttpServerResponse.stream(Stream.tap(Stream.make("a", "b"), note).pipe(Stream.encodeText))
  )
  expect(yield* answerOf(streamed.app, (response) => response.text())).toBe("ab")
  expect(streamed.notes).toEqual(["a", "b", "closed"])
  const unread = noted(() => HttpServerResponse.stream(Stream.never))
  expect(yield* answerOf(unread.app, (response) => response.text(), "HEAD")).toBe("")
  expect(unread.notes).toEqual(["closed"])
})

it("what fails beyond the envelope is answered with 500", function* () {
  expect(yield* answerOf(Effect.dieMessage("on purpose"), async ({ status }) => status)).toBe(500)
})
