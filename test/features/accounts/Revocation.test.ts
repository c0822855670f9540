import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { csv, importInto, layer } from "../rankings/storing.ts"

const it = suite(layer)

/** A queued crawl without a worker, and a second key of its account. */
const queued = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const { body } = yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
  const other = yield* accounts.createKey(account, ["*", "site-health:write"], "live")
  return { account, key, other, run: `/api/v1/runs/${body.data.id}`, site: id }
})

/** Ways in which a key loses its rights during a request, and the refusal of site health. */
const losses: ReadonlyArray<readonly [what: string, sql: (id: string) => string, status: number, code: string]> = [
  ["revoked", (id) => `UPDATE api_keys SET revoked_at = now() WHERE id = '${id}'`, 401, "revoked_key"],
  ["over", (id) => `UPDATE api_keys SET expires_at = now() WHERE id = '${id}'`, 401, "revoked_key"],
  ["deleted", (id) => `DELETE FROM api_keys WHERE id = '${id}'`, 401, "invalid_key"],
  ["narrowed", (id) => `UPDATE api_keys SET scopes = '{projects:read}' WHERE id = '${id}'`, 403, "insufficient_scope"],
  ["without an account", (id) => `UPDATE api_keys SET account_id = NULL WHERE id = '${id}'`, 401, "auth_unavailable"]
]

const lose = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))

describe("a waiting request", () => {
  for (const [what, statement, status, code] of losses) {
    it.concurrent(`is refused in the format of its endpoint when its key is ${what}`, function* () {
      const { other, run } = yield* queued
      const waiting = { headers: { prefer: "wait=50" }, key: other.key }
      const state = yield* Effect.fork(Server.send("GET", run, waiting))
      const events = yield* Effect.fork(Server.send("GET", "/api/v1/events", waiting))
      yield* until(Server.send("GET", "/api/v1/key", { key: other.key }), (answer) => answer.status === 200)
      yield* lose(statement(other.id))
      const refused = yield* Fiber.join(state)
      expect([refused.status, refused.body.error.code]).toEqual([status, code])
      const unheard = yield* Fiber.join(events)
      expect([unheard.status, unheard.body.error.code]).toEqual([status, status === 401 ? "unauthorized" : code])
      if (status === 401) expect(unheard.headers.get("www-authenticate")).toContain("invalid_token")
    })
  }

  it.concurrent("continues while its key is changed but still has the scope, and counts as one request", function* () {
    const { key, other, run } = yield* queued
    const state = yield* Effect.fork(Server.send("GET", run, { headers: { prefer: "wait=4" }, key: other.key }))
    yield* lose(`UPDATE api_keys SET scopes = '{site-health:read}' WHERE id = '${other.id}'`)
    const answer = yield* Fiber.join(state)
    expect([answer.status, answer.body.data.status]).toEqual([200, "queued"])
    const before = Number(answer.headers.get("x-ratelimit-remaining"))
    const { headers } = yield* Server.send("GET", run, { key: other.key })
    expect(Number(headers.get("x-ratelimit-remaining"))).toBe(before - 1)
    expect((yield* Server.send("GET", run, { key })).status).toBe(200)
  })

  it.concurrent("for the end of a crawl that it started is refused, and the crawl continues", function* () {
    const { key, other, site } = yield* queued
    const path = `/api/v1/projects/${site}/site-health/runs`
    const start = yield* Effect.fork(Server.send("POST", path, { headers: { prefer: "wait=50" }, key: other.key }))
    yield* until(Server.send("GET", path, { key }), ({ body }) => body.data.length === 1)
    yield* (yield* Accounts).revokeKey(other.id)
    const refused = yield* Fiber.join(start)
    expect([refused.status, refused.body.error.code]).toEqual([401, "revoked_key"])
    expect((yield* Server.send("GET", path, { key })).body.data).toMatchObject([{ status: "queued" }])
  })
})

/** A client that reads the headers of a response, and the rest on demand; it returns whether the response was complete. */
const reading = (path: string, key: string, accept: string) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    Effect.promise(async () => {
      const { hostname, host, port } = new URL(base)
      const begun = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<boolean>()
      let tail = ""
      let isPaused = false
      const socket = await Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          close: () => ended.resolve(tail === "\r\n0\r\n\r\n"),
          data: (socket, chunk) => {
            tail = (tail + new TextDecoder().decode(chunk)).slice(-7)
            if (isPaused) return
            isPaused = true
            // The kernel buffers the server's bytes until it is full, and then the server waits.
            socket.pause()
            begun.resolve()
          }
        }
      })
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`
      )
      return {
        begin: Effect.promise(() => begun.promise),
        isWhole: Effect.promise(() => {
          socket.resume()
          return ended.promise
        })
      }
    })
  )

describe("a streamed response", () => {
  it.concurrent("ends when its key is revoked, for the states of a crawl", function* () {
    const { other, run } = yield* queued
    const { begin, isWhole } = yield* reading(run, other.key, "application/x-ndjson")
    yield* begin
    yield* (yield* Accounts).revokeKey(other.id)
    expect(yield* isWhole).toBe(false)
  })

  it("ends when its key loses the scope, or its site is deleted, for an export between two parts", function* () {
    const { key, other, run, site } = yield* queued
    const text = "x".repeat(500)
    const lines = Array.from({ length: 20_000 }, (_, n) => `2026-10-08,${text} ${n},/${n % 9},1,10,3`)
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines) }])
    const path = `/api/v1/keywords?site_id=${site}`
    const narrowed = yield* reading(path, other.key, "text/csv")
    yield* narrowed.begin
    const beside = yield* reading(run, other.key, "application/x-ndjson")
    yield* beside.begin
    yield* lose(`UPDATE api_keys SET scopes = '{projects:read}' WHERE id = '${other.id}'`)
    // The keys of both responses are checked together.
    expect(yield* beside.isWhole).toBe(false)
    expect(yield* narrowed.isWhole).toBe(false)
    const deleted = yield* reading(path, key, "text/csv")
    yield* deleted.begin
    yield* Server.send("DELETE", `/api/v1/projects/${site}`, { key })
    expect(yield* deleted.isWhole).toBe(false)
  })
})
