import { describe, expect } from "bun:test"
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
import { raw } from "../../raw.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** Waits until this number of statements in the database waits for a lock. */
const waiting = (count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM pg_locks WHERE NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.pipe(
      Effect.filterOrFail((rows) => rows.length === count),
      Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds")))
    )
  )

it("a read is cancelled in the database too when its client disconnects", function* () {
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

/** The response of an app that is served only while it is read. */
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

/** The order of events in the scope of a request. */
const noted = (answer: (note: (what: string) => Effect.Effect<void>) => HttpServerResponse.HttpServerResponse) => {
  const notes: Array<string> = []
  const note = (what: string) => Effect.sync(() => void notes.push(what))
  const app = Effect.zipRight(
    Effect.addFinalizer(() => note("closed")),
    Effect.sync(() => answer(note))
  )
  return { app, notes }
}

it("the scope of a request is open until its response is made, and the scope of a stream until its last byte is read", function* () {
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

it("a failure outside the error envelope returns 500", function* () {
  expect(yield* answerOf(Effect.dieMessage("on purpose"), async ({ status }) => status)).toBe(500)
})

const request = (method: string, path: string, key: string, headers: ReadonlyArray<string> = [], body = "") =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: a.example",
    `X-API-Key: ${key}`,
    `Content-Length: ${body.length}`,
    ...headers,
    "",
    body
  ].join("\r\n")

const port = Effect.map(Server.TestServer, ({ base }) => Number(new URL(base).port))

const statuses = (answer: string) => Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))

// When a request arrives on a connection while the previous response is still being computed, Bun's HTTP parser closes the connection (µWebSockets
// rejects asynchronous pipelining), and our code never sees the second request. These tests check the guarantees that clients have all the same.
describe("pipelined requests on one connection", () => {
  it("are answered in order while no response waits for the database", function* () {
    const health = request("GET", "/healthz", "")
    expect(statuses(yield* raw(yield* port, health.repeat(5)))).toEqual([200, 200, 200, 200, 200])
  })

  it("never get another request's response, and the second of two changes is not begun", function* () {
    const sql = yield* SqlClient.SqlClient
    for (let round = 0; round < 10; round++) {
      const { account, key } = yield* Server.customer()
      const create = (name: string) =>
        request(
          "POST",
          "/api/v1/projects",
          key,
          ["Content-Type: application/json"],
          `{"url":"https://${name}.example"}`
        )
      const answer = yield* raw(yield* port, `${create("first")}${create("second")}`)
      const made = yield* Effect.retry(
        Effect.filterOrFail(
          sql<{ host: string }>`SELECT host FROM projects WHERE account_id = ${account} ORDER BY created_at`,
          (rows) => rows.length >= statuses(answer).length
        ),
        { schedule: Schedule.spaced("20 millis"), times: 20 }
      )
      expect(made.map(({ host }) => host)).toEqual(["first.example", "second.example"].slice(0, made.length))
      expect(statuses(answer).every((status) => status === 201)).toBe(true)
    }
  })

  it("can be repeated: a start with an Idempotency-Key whose response was lost is found, and done once", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const path = `/api/v1/projects/${id}/site-health/runs`
    const start = request("POST", path, key, ["Idempotency-Key: pipelined-1"])
    yield* raw(yield* port, start.repeat(3))
    const again = yield* Server.send("POST", path, { headers: { "idempotency-key": "pipelined-1" }, key })
    expect([200, 202]).toContain(again.status)
    expect(yield* sql`SELECT id FROM site_health_runs WHERE project_id = ${id}`).toEqual([{ id: again.body.data.id }])
  })
})

it("a URL with a port of another protocol is refused wherever a caller gives one, and the port is named", function* () {
  const { account, key } = yield* Server.customer("agency_team", ["*", "site-health:write", "interventions:write"])
  const { id } = yield* Server.projectOf(account, "http://127.0.0.1:8080")
  const send = (method: string, path: string, body: object) => Server.send(method, `/api/v1${path}`, { body, key })
  const hook = { events: ["audit.completed"], url: "http://127.0.0.1:2/hook" }
  const webhook = (yield* send("POST", "/webhooks", hook)).body.data.id
  const url = "http://127.0.0.1:22/"
  const wordpress = { application_password: "secret", url, username: "u" }
  const requests: ReadonlyArray<readonly [method: string, path: string, body: object]> = [
    ["POST", "/projects", { url }],
    ["POST", "/webhooks", { ...hook, url }],
    ["PATCH", `/webhooks/${webhook}`, { url }],
    ["POST", `/projects/${id}/site-health/runs`, { url }],
    ["POST", `/projects/${id}/site-health/schedules`, { every: "7d", url }],
    ["POST", "/audit-schedules", { every: "7d", url }],
    ["POST", "/audits", { url }],
    ["PUT", `/projects/${id}/connectors/wordpress`, wordpress]
  ]
  for (const [method, path, body] of requests) {
    const { body: answer, status } = yield* send(method, path, body)
    expect([path, status, JSON.stringify(answer.error)]).toEqual([path, 422, expect.stringContaining("port 22")])
  }
  expect((yield* send("PATCH", `/webhooks/${webhook}`, {})).body.data.url).toBe(hook.url)
})

/** The hidden request: it would create a site. */
const hidden = (key: string) => {
  const body = '{"url":"https://hidden.example"}'
  return `POST /api/v1/projects HTTP/1.1\r\nHost: a.example\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const hex = (text: string) => text.length.toString(16)

// Bun's parser refuses all of these with 400 and closes the connection; these tests hold on to it, since a proxy in front may read them otherwise.
/** Requests that two readers could cut in two places: what one takes for a body is the next request to the other (RFC 9112 §11.2). */
const ambiguous: Readonly<Record<string, (inner: string) => readonly [headers: string, body: string]>> = {
  "a length and chunks": (inner) => [
    `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked`,
    `0\r\n\r\n${inner}`
  ],
  "chunks and a length": (inner) => [`Transfer-Encoding: chunked\r\nContent-Length: 4`, `0\r\n\r\n${inner}`],
  "two lengths": (inner) => [`Content-Length: 0\r\nContent-Length: ${inner.length}`, inner],
  "two lengths in one line": (inner) => [`Content-Length: 0, ${inner.length}`, inner],
  "a length with a sign": (inner) => [`Content-Length: +${inner.length}`, inner],
  "a negative length": (inner) => ["Content-Length: -1", inner],
  "a length in hexadecimal": (inner) => [`Content-Length: 0x${hex(inner)}`, inner],
  "a length above 64 bits": (inner) => ["Content-Length: 18446744073709551616", inner],
  "a space before the colon": (inner) => [`Content-Length : ${inner.length}`, inner],
  "chunks with a space before the colon": (inner) => [
    `Transfer-Encoding : chunked\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "an unknown coding": (inner) => [`Transfer-Encoding: xchunked\r\nContent-Length: 5`, `0\r\n\r\n${inner}`],
  "chunks before another coding": (inner) => ["Transfer-Encoding: chunked, identity", `0\r\n\r\n${inner}`],
  "chunks twice": (inner) => [
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    `${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`
  ],
  "a tab in the coding": (inner) => [
    `Transfer-Encoding:\tchunked\u000b\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "a folded line": (inner) => [
    `Transfer-Encoding:\r\n chunked\r\nContent-Length: ${inner.length + 5}`,
    `0\r\n\r\n${inner}`
  ],
  "a chunk size above 64 bits": (inner) => ["Transfer-Encoding: chunked", `10000000000000000\r\n${inner}`],
  "a chunk size with a sign": (inner) => ["Transfer-Encoding: chunked", `+${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`],
  "a chunk size with 0x": (inner) => ["Transfer-Encoding: chunked", `0x${hex(inner)}\r\n${inner}\r\n0\r\n\r\n`],
  "a single line feed after a chunk size": (inner) => [
    "Transfer-Encoding: chunked",
    `${hex(inner)};\n${inner}\r\n0\r\n\r\n`
  ],
  "a chunk longer than its size": (inner) => ["Transfer-Encoding: chunked", `1\r\n0\r\n\r\n${inner}`],
  "a NUL in a name": (inner) => [`Content-\u0000Length: ${inner.length}`, inner],
  "a single line feed between headers": (inner) => [`X-A: b\nContent-Length: ${inner.length}`, inner]
}

describe("a request hidden in another request", () => {
  for (const [name, around] of Object.entries(ambiguous)) {
    it(`behind ${name} is not executed`, function* () {
      const sql = yield* SqlClient.SqlClient
      const { account, key } = yield* Server.customer()
      const [headers, body] = around(hidden(key))
      const outer = `POST /api/v1/projects HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`
      const answer = yield* raw(yield* port, outer)
      expect(statuses(answer).at(-1)).toBe(400)
      expect(yield* sql`SELECT host FROM projects WHERE account_id = ${account}`).toEqual([])
    })
  }

  it("is executed when it is sent alone", function* () {
    const { key } = yield* Server.customer()
    expect(statuses(yield* raw(yield* port, hidden(key), 300))).toEqual([201])
  })
})
