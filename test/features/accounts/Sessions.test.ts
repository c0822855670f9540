import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isChoosable, scopes } from "../../../src/features/accounts/Domain.ts"
import { Sessions } from "../../../src/features/accounts/Sessions.ts"
import { sessionScopes } from "../../../src/features/accounts/SessionsApi.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Layer.provideMerge(Sessions.Default, Server.layer))

const enter = (body: unknown, headers: Record<string, string> = {}) =>
  Server.send("POST", "/api/v1/console-sessions", { body, headers })

const invited = (scopes: ReadonlyArray<string> = sessionScopes.usual, seconds = 3600) =>
  Effect.gen(function* () {
    const { invite } = yield* Sessions
    const customer = yield* Server.customer()
    return { ...customer, ...(yield* invite(customer.account, { scopes, seconds })) }
  })

it("a sign-in code is exchanged for a key that expires, is never cached, and can end itself", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, code } = yield* invited()
  const stored = JSON.stringify(yield* sql`SELECT c.*, encode(hash, 'escape') AS text FROM console_codes c`)
  expect(stored).not.toContain(code)
  const { body, headers, status } = yield* enter({ code })
  expect(status).toBe(201)
  expect(headers.get("cache-control")).toBe("no-store")
  expect(headers.get("etag")).toBeNull()
  const { expires_at, key, ...rest } = body.data
  expect(rest).toEqual({ scopes: ["*", "site-health:write"] })
  const own = (yield* Server.send("GET", "/api/v1/key", { key })).body.data
  expect(own).toMatchObject({ account: { id: account }, expires_at, name: "console" })
  expect(Math.round((Date.parse(expires_at) - Date.parse(own.created_at)) / 60_000)).toBe(60)
  const manager = yield* Server.keyWith(account, ["keys:manage"])
  const listed = yield* Server.send("GET", "/api/v1/keys", { key: manager })
  expect(listed.body.data.map(({ name }: { name: string }) => name)).toContain("console")
  expect((yield* Server.send("DELETE", "/api/v1/key", { key })).status).toBe(204)
  expect((yield* Server.send("GET", "/api/v1/key", { key })).status).toBe(401)
})

it("one of twelve concurrent requests with the same code gets the key", function* () {
  const { code } = yield* invited()
  const replies = yield* Effect.replicateEffect(enter({ code }), 12, { concurrency: "unbounded" })
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 404)])
})

it("an unknown, used or expired code is not found, and expired codes are removed", function* () {
  const sql = yield* SqlClient.SqlClient
  const { purge } = yield* Sessions
  const used = yield* invited()
  yield* enter({ code: used.code })
  const expired = yield* invited()
  const fresh = yield* invited()
  yield* sql`UPDATE console_codes SET expires_at = clock_timestamp() WHERE account_id = ${expired.account}`
  for (const code of [used.code, expired.code, "A".repeat(32)]) {
    const { body, status } = yield* enter({ code })
    expect([status, body.error.code]).toEqual([404, "not_found"])
  }
  yield* purge
  expect(yield* sql`SELECT FROM console_codes WHERE account_id = ${expired.account}`).toEqual([])
  expect((yield* enter({ code: fresh.code })).status).toBe(201)
})

it("a malformed code is refused with its field", function* () {
  const { code } = yield* invited()
  for (const wrong of ["", `${code}A`, code.slice(1), `${code.slice(1)}\n`, `${code.slice(1)}+`, 5, null]) {
    const { body, status } = yield* enter({ code: wrong })
    expect([wrong, status, body.error.details[0].path]).toEqual([wrong, 422, "code"])
  }
  expect((yield* enter({})).status).toBe(422)
  expect((yield* enter({ code, more: 1 })).status).toBe(422)
  expect((yield* enter({ code })).status).toBe(201)
})

it("a read-only session reads everything and changes nothing", function* () {
  const { code } = yield* invited(sessionScopes.reading)
  const { body } = yield* enter({ code })
  expect(body.data.scopes).toEqual(Object.keys(scopes).filter((scope) => scope.endsWith(":read") && isChoosable(scope)))
  expect(body.data.scopes).toContain("webhooks:read")
  const key: string = body.data.key
  for (const path of ["projects", "keywords", "audits", "experiments", "webhooks", "deliveries", "events"]) {
    expect([path, (yield* Server.send("GET", `/api/v1/${path}`, { key })).status]).toEqual([path, 200])
  }
  for (const path of ["projects", "experiments", "webhooks", "audits/imports", "keys"]) {
    const { status } = yield* Server.send("POST", `/api/v1/${path}`, { body: {}, key })
    expect([path, status]).toEqual([path, 403])
  }
})

it("the administrator's session has every scope, and passes on all but the scope of the server", function* () {
  const { code } = yield* invited(sessionScopes.operator)
  const { body } = yield* enter({ code })
  const key: string = body.data.key
  const own = yield* Server.send("GET", "/api/v1/key", { key })
  expect(own.body.data.grants).toEqual(Object.keys(scopes))
  const create = (scopes: ReadonlyArray<string>) =>
    Server.send("POST", "/api/v1/keys", { body: { name: "monitor", scopes }, key })
  expect((yield* create(["*", "site-health:write", "keys:manage"])).status).toBe(201)
  const refused = yield* create(["server:read"])
  expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "scopes.0"])
  expect(refused.body.error.details[0].message).toContain("server:read is no scope that a key can be given")
})

it("guesses of codes count with the requests of their IP address that have no key", function* () {
  const guesses = yield* Effect.replicateEffect(enter({ code: "B".repeat(32) }), 1210, { concurrency: 20 })
  const last = guesses.at(-1)
  expect(guesses[0]?.status).toBe(404)
  expect([last?.status, last?.body.error.code]).toEqual([429, "rate_limit_exceeded"])
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
  expect((yield* Server.send("GET", "/api/v1/key")).status).toBe(429)
})
