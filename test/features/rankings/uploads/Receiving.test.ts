import { describe, expect } from "bun:test"
import { connect, type Socket } from "node:net"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { csv, owner } from "../storing.ts"

const it = suite(UploadsWorker.layer.pipe(Layer.provideMerge(Server.layer)), { timeout: 60_000 })

const path = (site: string) => `/api/v1/projects/${site}/rankings/imports?format=gsc-csv`

const body = csv("2026-10-08,shoes,/a,1,20,3.5")
const headers = { "idempotency-key": "import-of-october" }

const post = (site: string, key: string, text = body) => Server.send("POST", path(site), { body: text, headers, key })

/** Sends the head of a request and the first bytes of its body; more comes when the test says so. */
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
      SELECT received_until FROM ranking_uploads WHERE project_id = ${site} AND status = 'receiving'`)
  )

/** Keys of an account that no request came with. */
const unused = (account: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`SELECT id FROM api_keys WHERE account_id = ${account} AND last_used_at IS NULL`)
  )

/** Fifty requests at once over ten keys of the account, and their answers when all have come. */
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
  it.effect("are one import, when fifty come at once over ten keys", () =>
    Effect.gen(function* () {
      const { account, site } = yield* owner
      const replies = yield* yield* fifty(account, site)
      expect(statuses(replies)).toEqual({ 200: 49, 202: 1 })
      expect(expectOne(replies)).toBeDefined()
    })
  )

  it.effect("wait for one that is sending its file, and are answered with its import", () =>
    Effect.gen(function* () {
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
      expect(yield* sql`SELECT FROM ranking_uploads WHERE project_id = ${site}`).toHaveLength(1)
    })
  )

  it.effect("are one import of theirs when the one that was sending its file is gone", () =>
    Effect.gen(function* () {
      const { account, key, site } = yield* owner
      const { socket } = yield* begun(site, key)
      yield* until(received(site), (rows) => rows.length === 1)
      const others = yield* fifty(account, site)
      socket.destroy()
      const replies = yield* others
      expect(statuses(replies)).toEqual({ 200: 49, 202: 1 })
      expectOne(replies)
    })
  )

  it.effect("that have another file are a conflict, though twenty imports of the account are not over", () =>
    Effect.gen(function* () {
      const { account, key, site } = yield* owner
      expect((yield* post(site, key)).status).toBe(202)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO ranking_uploads (account_id, project_id, format, replaces) SELECT ${account}, ${site}, 'gsc-csv', false FROM generate_series(1, 20)`
      expect((yield* post(site, key)).body.meta).toEqual({ idempotent_replay: true })
      const other = yield* post(site, key, csv("2026-10-08,shoes,/a,2,20,3.5"))
      expect(other).toMatchObject({ status: 409, body: { error: { code: "idempotency_conflict" } } })
    })
  )
})

describe("a file that is being received", () => {
  it.effect("is renewed by its node while its sender is slow", () =>
    Effect.gen(function* () {
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
  )

  it.effect("counts for nothing and goes with its pieces when its node stops renewing it", () =>
    Effect.gen(function* () {
      const { account, key, site } = yield* owner
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        WITH lost AS (
          INSERT INTO ranking_uploads (account_id, project_id, format, replaces, idempotency_key, received_until)
          SELECT ${account}, ${site}, 'gsc-csv', false, ${headers["idempotency-key"]}, clock_timestamp() - interval '1 second'
          FROM generate_series(1, 20) RETURNING id
        )
        INSERT INTO ranking_upload_pieces (upload, number, bytes) SELECT id, 0, 'abc' FROM lost`
      expect((yield* post(site, key)).status).toBe(202)
      yield* until(received(site), (rows) => rows.length === 0, "100 millis")
      yield* until(sql`SELECT FROM ranking_upload_pieces`, (rows) => rows.length === 0, "100 millis")
    })
  )
})
