import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

// One connection, so that its settings hold for every request.
const it = suite(Server.layerWith({ FINDABLE_DATABASE_POOL: "1" }))

it("a server with a read-only database is not ready, says why, and recovers by itself", function* () {
  const sql = yield* SqlClient.SqlClient
  const { key } = yield* Server.customer()
  yield* sql`SET default_transaction_read_only = on`
  const ready = yield* Server.send("GET", "/readyz")
  const list = yield* Server.send("GET", "/api/v1/projects", { key })
  for (const { body, headers, status } of [ready, list]) {
    expect([status, body.error.code]).toEqual([503, "service_unavailable"])
    expect(body.error.message).toContain("read-only")
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  }
  expect((yield* Server.send("GET", "/healthz")).status).toBe(200)
  yield* sql`SET default_transaction_read_only = off`
  expect((yield* Server.send("GET", "/readyz")).status).toBe(200)
  expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
})
