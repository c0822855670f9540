import { describe, expect } from "bun:test"
import { connect, type Socket } from "node:net"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FilesWorker from "../../../src/features/files/Worker.ts"
import { suite } from "../../harness.ts"
import { raw } from "../../raw.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { csv, owner } from "../rankings/storing.ts"

const it = suite(FilesWorker.layer.pipe(Layer.provideMerge(Server.layer)), { timeout: 60_000 })

const path = (site: string, kind: "backlinks" | "rankings" = "rankings") =>
  `/api/v1/projects/${site}/${kind}/imports${kind === "rankings" ? "?format=gsc-csv" : ""}`

const body = csv("2026-10-08,shoes,/a,1,20,3.5")
const headers = { "idempotency-key": "import-of-october" }

const post = (site: string, key: string, text = body) => Server.send("POST", path(site), { body: text, headers, key })

/** Sends the headers of a request and the first bytes of its body; the rest follows on demand. */
const begun = (site: string, key: string) =>
  Effect.gen(function* () {
    const { base } = yield* Server.TestServer
    const head = [
      `POST ${path(site)} HTTP/1.1`,
      "Host: a",
      "Connection: close",
      `Authorization: Bearer ${key}`,
      `Idempotency-Key: ${headers["idempotency-key"]}`,
      `Content-Length: ${body.length}`
    ]
    const heard: Array<string> = []
    const socket: Socket = connect(Number(new URL(base).port), "127.0.0.1")
    socket.on("data", (chunk: Buffer) => heard.push(chunk.toString()))
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`)
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    return { heard, socket }
  })

const received = (site: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql<{ received_until: Date }>`
      SELECT received_until FROM files WHERE project_id = ${site} AND status = 'receiving'`)
  )

/** Unused keys of an account. */
const unused = (account: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`
      SELECT id FROM api_keys JOIN api_key_passes ON key_id = id WHERE account_id = ${account} AND passes = '{}'`)
  )

/** Fifty concurrent requests over ten keys of the account, and all their responses. */
const fifty = Effect.fnUntraced(function* (account: Effect.Effect.Success<typeof owner>["account"], site: string) {
  const keys = yield* Effect.replicateEffect(Server.keyWith(account, ["rankings:write"]), 10)
  return yield* Effect.fork(
    Effect.forEach(
      keys.flatMap((key) => [key, key, key, key, key]),
      (key) => post(site, key),
      { concurrency: "unbounded" }
    )
  )
})

const statuses = (replies: ReadonlyArray<Server.Reply>) => {
  const found: Record<number, number> = {}
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1
  return found
}

const expectOne = (replies: ReadonlyArray<Server.Reply>) => {
  const first = replies.find(({ status }) => status === 202)
  for (const { body, status } of replies)
    if (status === 200) expect(body).toEqual({ data: expect.anything(), meta: { idempotent_replay: true } })
  expect(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size).toBe(1)
  return first
}

describe("equal imports with one Idempotency-Key", () => {
  it("are one import, for fifty concurrent requests with ten keys", function* () {
    const { account, site } = yield* owner
    const replies = yield* yield* fifty(account, site)
    expect(statuses(replies)).toEqual({ 200: 49, 202: 1 })
    expect(expectOne(replies)).toBeDefined()
  })

  it("wait for the one that is sending its file, and return its import", function* () {
    const { account, key, site } = yield* owner
    const { heard, socket } = yield* begun(site, key)
    yield* until(received(site), (rows) => rows.length === 1)
    const others = yield* fifty(account, site)
    yield* until(unused(account), (keys) => keys.length === 0)
    expect(yield* received(site)).toHaveLength(1)
    socket.write(body.slice(10))
    const replies = yield* others
    expect(statuses(replies)).toEqual({ 200: 50 })
    expectOne(replies)
    yield* until(
      Effect.sync(() => heard.join("")),
      (text) => text.includes("HTTP/1.1 202")
    )
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT FROM files WHERE project_id = ${site}`).toHaveLength(1)
  })

  it("become one import when the one that was sending its file disconnects", function* () {
    const { account, key, site } = yield* owner
    const { socket } = yield* begun(site, key)
    yield* until(received(site), (rows) => rows.length === 1)
    const others = yield* fifty(account, site)
    socket.destroy()
    const replies = yield* others
    expect(statuses(replies)).toEqual({ 200: 49, 202: 1 })
    expectOne(replies)
  })

  it("with another file are a conflict, even at the limit of twenty unfinished imports", function* () {
    const { account, key, site } = yield* owner
    expect((yield* post(site, key)).status).toBe(202)
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO files (account_id, project_id, kind, terms) SELECT ${account}, ${site}, 'rankings', '{}' FROM generate_series(1, 20)`
    expect((yield* post(site, key)).body.meta).toEqual({ idempotent_replay: true })
    const other = yield* post(site, key, csv("2026-10-08,shoes,/a,2,20,3.5"))
    expect(other).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } })
  })
})

describe("a file that is being received", () => {
  it("is renewed by its server while its sender is slow", function* () {
    const { key, site } = yield* owner
    const { socket } = yield* begun(site, key)
    const [first] = yield* until(received(site), (rows) => rows.length === 1)
    yield* until(
      received(site),
      ([now]) => now !== undefined && first !== undefined && now.received_until > first.received_until,
      "100 millis"
    )
    socket.destroy()
    yield* until(received(site), (rows) => rows.length === 0)
  })

  it("does not count and is removed with its chunks when its server stops renewing it", function* () {
    const { account, key, site } = yield* owner
    const sql = yield* SqlClient.SqlClient
    yield* sql`
        WITH lost AS (
          INSERT INTO files (account_id, project_id, kind, terms, idempotency_key, received_until)
          SELECT ${account}, ${site}, 'rankings', '{}', ${headers["idempotency-key"]}, clock_timestamp() - interval '1 second'
          FROM generate_series(1, 20) RETURNING id
        )
        INSERT INTO file_pieces (file, number, bytes) SELECT id, 0, 'abc' FROM lost`
    expect((yield* post(site, key)).status).toBe(202)
    yield* until(received(site), (rows) => rows.length === 0, "100 millis")
    expect(yield* sql`SELECT FROM file_pieces WHERE bytes = 'abc'`).toEqual([])
  })

  it("is removed when its sender disconnects early, or sends more bytes than announced", function* () {
    const { key, site } = yield* owner
    const { base } = yield* Server.TestServer
    const body = csv("2026-10-08,shoes,/a,1,20,3.5")
    const head = (more: string) =>
      `POST ${path(site)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${more}\r\n\r\n`
    const port = Number(new URL(base).port)
    const sql = yield* SqlClient.SqlClient
    const received = sql`SELECT FROM files WHERE project_id = ${site}`
    for (const begun of [
      `${head("Content-Length: 10000")}${body}`,
      `${head("Transfer-Encoding: chunked")}${body.length.toString(16)}\r\n${body}\r\n`
    ]) {
      const socket = connect(port, "127.0.0.1")
      socket.write(begun)
      yield* until(received, (rows) => rows.length === 1)
      socket.destroy()
      yield* until(received, (rows) => rows.length === 0)
    }
    const whole = yield* raw(
      port,
      `${head("Transfer-Encoding: chunked\r\nConnection: close")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    )
    expect(whole).toStartWith("HTTP/1.1 202")
    expect(yield* sql`SELECT status FROM files WHERE project_id = ${site}`).toHaveLength(1)
  })
})

describe("a file beyond twenty unfinished imports of its kind", () => {
  it("is refused with Retry-After, and a file of another kind is accepted", function* () {
    const { account, key, site } = yield* owner
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO files (account_id, project_id, kind, terms) SELECT ${account}, ${site}, 'rankings', '{}' FROM generate_series(1, 20)`
    const refused = yield* Server.send("POST", path(site), { body, key })
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "quota_exceeded" } } })
    expect(refused.headers.get("retry-after")).toBe("10")
    expect((yield* Server.send("POST", path(site, "backlinks"), { body, key })).status).toBe(202)
  })
})
