import { expect } from "bun:test"
import { connect } from "node:net"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as cluster from "../cluster.ts"
import { databaseFolder } from "../folder.ts"
import { suite } from "../harness.ts"
import { until } from "../waiting.ts"
import * as Node from "./node.ts"

const it = suite(cluster.layer, { timeout: 90_000 })

it("files that a killed server was receiving do not count after their time, and are removed with their chunks", function* () {
  const sql = yield* SqlClient.SqlClient
  const environment = {
    DATABASE_URL: yield* cluster.databaseUrl,
    FINDABLE_DATA_DIR: yield* databaseFolder,
    FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
  }
  const first = yield* Node.start(environment)
  const second = yield* Node.start(environment)
  const key = first.key ?? ""
  const ask = (base: string, path: string, body: string, idempotencyKey = "file-number-1") =>
    Node.ask(`${base}/api/v1${path}`, {
      body,
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey, "x-api-key": key },
      method: "POST"
    })
  const { body: project } = yield* Node.ask(`${first.base}/api/v1/projects`, {
    body: JSON.stringify({ url: "https://example.com" }),
    headers: { "content-type": "application/json", "x-api-key": key },
    method: "POST"
  })
  const path = `/projects/${project.data.id}/rankings/imports?format=gsc-csv`
  const send = (number: number) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const socket = connect(Number(new URL(first.base).port), "127.0.0.1")
        const head = `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nIdempotency-Key: file-number-${number}\r\nContent-Length: 9000000\r\n\r\n`
        socket.on("error", () => {})
        socket.write(head + "a".repeat(600_000))
        return socket
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
  yield* Effect.forEach(
    Array.from({ length: 20 }, (_, index) => index + 1),
    send
  )
  yield* until(sql`SELECT FROM file_pieces`, (rows) => rows.length === 20, "50 millis")
  first.kill("SIGKILL")
  yield* first.exited
  const file = "Date,Query,Page,Clicks,Impressions,Position\n2026-10-08,a,/a,1,20,3\n"
  expect((yield* ask(second.base, path, file, "one-too-many")).status).toBe(429)
  // The key of a dead upload: the request waits for it, and is received then. The test changes the deadline of the upload instead of waiting.
  const waiting = yield* Effect.fork(ask(second.base, path, file))
  yield* sql`UPDATE files SET received_until = received_until - interval '15 seconds' WHERE status = 'receiving'`
  expect((yield* Fiber.join(waiting)).status).toBe(202)
  yield* until(
    sql`SELECT FROM file_pieces JOIN files f ON f.id = file WHERE f.status = 'receiving'`,
    (rows) => rows.length === 0,
    "50 millis"
  )
})
