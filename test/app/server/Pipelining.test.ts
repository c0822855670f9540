import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { suite } from "../../harness.ts"
import { raw } from "../../raw.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

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

// Bun's HTTP parser closes a connection on which a request arrives while the answer to the one before is still being made (µWebSockets denies
// asynchronous pipelining). No code of ours hears of the second request. These tests hold on to what a client can rely on all the same.
describe("requests that do not wait for each other on one connection", () => {
  it("are answered in order while no answer has to wait for the database", function* () {
    const health = request("GET", "/healthz", "")
    expect(statuses(yield* raw(yield* port, health.repeat(5)))).toEqual([200, 200, 200, 200, 200])
  })

  it("never get an answer that belongs to another, and of two that change something the second is not begun", function* () {
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

  it("can be sent again: with an Idempotency-Key a start that lost its answer is found, and done once", function* () {
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
