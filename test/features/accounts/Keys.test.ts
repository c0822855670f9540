import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const path = "/api/v1/keys"

const create = (key: string, body: object, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body, headers, key })

/** Whether a key passes, by an endpoint that is open to every key. */
const passes = (key: string) => Effect.map(Server.send("GET", "/api/v1/key", { key }), ({ status }) => status)

const names = (key: string) =>
  Effect.map(Server.send("GET", path, { key }), ({ body }) => body.data.map(({ name }: { name: string }) => name))

describe("a key", () => {
  it("is made over the API with name, scopes and end, and its text is in that answer alone", function* () {
    const { key } = yield* Server.customer()
    const asked = { expires_at: "2100-01-01T00:00:00Z", name: " dashboard ", scopes: ["search-data:read"] }
    const { body, headers, status } = yield* create(key, asked)
    expect(status).toBe(201)
    expect(headers.get("location")).toEndWith(`${path}/${body.data.id}`)
    expect(body.data).toEqual({
      created_at: expect.any(String),
      display: `fnd_live_…${body.data.key.slice(-4)}`,
      expires_at: "2100-01-01T00:00:00.000000+00:00",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: expect.stringMatching(/^fnd_live_[\w-]{32}$/),
      last_used_at: null,
      mode: "live",
      name: "dashboard",
      scopes: ["search-data:read"]
    })
    const { key: text, ...shown } = body.data
    const read = yield* Server.send("GET", `${path}/${shown.id}`, { key })
    expect(read.body.data).toEqual(shown)
    expect((yield* Server.send("GET", path, { key })).body.data).toContainEqual(shown)
    expect((yield* Server.send("GET", "/api/v1/key", { key: text })).body.data).toMatchObject({ name: "dashboard" })
  })

  it("names its account, and revokes itself: its next request is refused, and other keys still pass", function* () {
    const { account, key } = yield* Server.customer()
    const own = (yield* create(key, { name: "session", scopes: ["projects:read"] })).body.data.key
    const read = yield* Server.send("GET", "/api/v1/key", { key: own })
    expect(read.body.data.account).toEqual({ id: account, name: expect.any(String) })
    expect((yield* Server.send("DELETE", "/api/v1/key", { key: own })).status).toBe(204)
    expect(yield* passes(own)).toBe(401)
    expect(yield* passes(key)).toBe(200)
    expect(yield* names(key)).not.toContain("session")
  })

  it("with search-data:read reads rankings and experiments, and changes nothing", function* () {
    const { key } = yield* Server.customer()
    const reader = (yield* create(key, { name: "r", scopes: ["search-data:read"] })).body.data.key
    for (const list of ["keywords", "experiments", "growth-projects"])
      expect((yield* Server.send("GET", `/api/v1/${list}`, { key: reader })).status).toBe(200)
    expect((yield* Server.send("GET", "/api/v1/projects", { key: reader })).status).toBe(403)
    const made = yield* Server.send("POST", "/api/v1/growth-projects", { body: { domain: "a.example" }, key: reader })
    expect(made.status).toBe(403)
  })

  const refused: ReadonlyArray<readonly [what: string, body: object, field: string]> = [
    ["no name", { scopes: ["*"] }, "name"],
    ["a blank name", { name: " ", scopes: ["*"] }, "name"],
    ["no scopes", { name: "a" }, "scopes"],
    ["an empty list of scopes", { name: "a", scopes: [] }, "scopes"],
    ["an unknown scope", { name: "a", scopes: ["projects:read", "rankings:read"] }, "scopes.1"],
    ["a scope that has no name of its own", { name: "a", scopes: ["keywords:read"] }, "scopes.0"],
    ["an end in the past", { expires_at: "2020-01-01T00:00:00Z", name: "a", scopes: ["*"] }, "expires_at"],
    ["an end that is no time", { expires_at: "tomorrow", name: "a", scopes: ["*"] }, "expires_at"]
  ]
  for (const [what, body, field] of refused)
    it(`is not made with ${what}`, function* () {
      const { key } = yield* Server.customer()
      const reply = yield* create(key, body)
      expect([reply.status, reply.body.error.details.map(({ path }: { path: string }) => path)]).toEqual([422, [field]])
      expect(yield* names(key)).toEqual([null])
    })

  it("is changed in the fields that are sent", function* () {
    const { key } = yield* Server.customer()
    const { id, key: text } = (yield* create(key, { name: "a", scopes: ["projects:read"] })).body.data
    const patch = (body: object) =>
      Effect.map(Server.send("PATCH", `${path}/${id}`, { body, key }), (reply) => reply.body.data)
    expect(yield* patch({ name: "b" })).toMatchObject({ expires_at: null, name: "b", scopes: ["projects:read"] })
    expect(yield* patch({ scopes: ["audits:read"] })).toMatchObject({ name: "b", scopes: ["audits:read"] })
    expect((yield* Server.send("GET", "/api/v1/projects", { key: text })).status).toBe(403)
    expect(yield* patch({ expires_at: "2100-01-01T00:00:00Z" })).toMatchObject({
      expires_at: "2100-01-01T00:00:00.000000+00:00"
    })
    expect(yield* patch({ expires_at: null })).toMatchObject({ expires_at: null, name: "b" })
  })

  it("that has expired or was revoked is refused, the second of which lists forget", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key } = yield* Server.customer()
    const [expired, revoked] = [
      (yield* create(key, { name: "expired", scopes: ["*"] })).body.data,
      (yield* create(key, { name: "revoked", scopes: ["*"] })).body.data
    ]
    expect([yield* passes(expired.key), yield* passes(revoked.key)]).toEqual([200, 200])
    yield* sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${expired.id}`
    expect((yield* Server.send("DELETE", `${path}/${revoked.id}`, { key })).status).toBe(204)
    expect([yield* passes(expired.key), yield* passes(revoked.key)]).toEqual([401, 401])
    expect(yield* names(key)).toEqual([null, "expired"])
    expect((yield* Server.send("GET", `${path}/${revoked.id}`, { key })).status).toBe(404)
    expect((yield* Server.send("DELETE", `${path}/${revoked.id}`, { key })).status).toBe(404)
    const rotated = yield* Server.send("POST", `${path}/${expired.id}/rotate`, { key })
    expect([rotated.status, rotated.body.error.code]).toEqual([409, "conflict"])
  })

  it("is rotated: both work for the overlap, then the new one alone", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key } = yield* Server.customer()
    const asked = { expires_at: "2100-01-01T00:00:00Z", name: "a", scopes: ["projects:read"] }
    const old = (yield* create(key, asked)).body.data
    const { body, status } = yield* Server.send("POST", `${path}/${old.id}/rotate`, { body: { overlap: "24h" }, key })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ name: "a", scopes: ["projects:read"], expires_at: old.expires_at })
    expect([yield* passes(old.key), yield* passes(body.data.key)]).toEqual([200, 200])
    const [left] = yield* sql`
      SELECT expires_at - clock_timestamp() BETWEEN interval '23 hours' AND interval '24 hours' AS day FROM api_keys WHERE id = ${old.id}`
    expect(left).toEqual({ day: true })
    const again = yield* Server.send("POST", `${path}/${body.data.id}/rotate`, { body: { overlap: "0s" }, key })
    expect([yield* passes(body.data.key), yield* passes(again.body.data.key)]).toEqual([401, 200])
  })

  for (const overlap of ["1", "8d", "-1h", "1w", 24])
    it(`is not rotated with an overlap of ${overlap}`, function* () {
      const { key } = yield* Server.customer()
      const { id } = (yield* create(key, { name: "a", scopes: ["*"] })).body.data
      const reply = yield* Server.send("POST", `${path}/${id}/rotate`, { body: { overlap }, key })
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, "overlap"])
    })
})

describe("a key that manages keys", () => {
  it("makes and touches none that may do more than itself", function* () {
    const { account, key } = yield* Server.customer()
    const strong = (yield* create(key, { name: "strong", scopes: ["*"] })).body.data
    const weak = yield* Server.keyWith(account, ["keys:manage", "projects:read"])
    for (const scopes of [["*"], ["audits:read"], ["projects:read", "site-health:write"]]) {
      const reply = yield* create(weak, { name: "a", scopes })
      expect([reply.status, reply.body.error.code]).toEqual([403, "insufficient_scope"])
    }
    const calls = [
      Server.send("PATCH", `${path}/${strong.id}`, { body: { name: "x" }, key: weak }),
      Server.send("DELETE", `${path}/${strong.id}`, { key: weak }),
      Server.send("POST", `${path}/${strong.id}/rotate`, { key: weak })
    ]
    for (const call of calls) expect((yield* call).body.error.code).toBe("insufficient_scope")
    expect(yield* passes(strong.key)).toBe(200)
    const equal = yield* create(weak, { name: "equal", scopes: ["keys:manage", "projects:read"] })
    expect(equal.status).toBe(201)
    const lifted = yield* Server.send("PATCH", `${path}/${equal.body.data.id}`, {
      body: { scopes: ["*"] },
      key: weak
    })
    expect(lifted.body.error.code).toBe("insufficient_scope")
  })

  it("is no part of *", function* () {
    const { account } = yield* Server.customer()
    const all = yield* Server.keyWith(account, ["*", "site-health:write"])
    expect((yield* Server.send("GET", path, { key: all })).body.error.code).toBe("insufficient_scope")
  })

  it("gets the text again when it repeats its request, which a weaker one does not", function* () {
    const { account, key } = yield* Server.customer()
    const headers = { "idempotency-key": "make-one-key" }
    const body = { name: "a", scopes: ["*"] }
    const [first, second] = [yield* create(key, body, headers), yield* create(key, body, headers)]
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body.data).toEqual(first.body.data)
    const weak = yield* Server.keyWith(account, ["keys:manage"])
    expect((yield* create(weak, body, headers)).status).toBe(403)
    expect(yield* names(key)).toEqual([null, "a", null])
    const rotate = { body: { overlap: "1h" }, headers: { "idempotency-key": "rotate-one-key" } }
    const at = `${path}/${first.body.data.id}/rotate`
    const replies = yield* Effect.all([
      Server.send("POST", at, { ...rotate, key }),
      Server.send("POST", at, { ...rotate, key })
    ])
    expect(replies.map(({ status }) => status)).toEqual([201, 200])
    expect(replies[1].body.data).toEqual(replies[0].body.data)
    expect((yield* Server.send("POST", at, { ...rotate, key: weak })).status).toBe(403)
  })

  it("sees and touches no key of another account", function* () {
    const { key } = yield* Server.customer()
    const stranger = yield* Server.customer()
    const { id } = (yield* create(key, { name: "a", scopes: ["*"] })).body.data
    for (const [method, at] of [
      ["GET", `${path}/${id}`],
      ["PATCH", `${path}/${id}`],
      ["DELETE", `${path}/${id}`],
      ["POST", `${path}/${id}/rotate`]
    ] as const) {
      const body = method === "GET" || method === "DELETE" ? {} : { body: {} }
      expect((yield* Server.send(method, at, { key: stranger.key, ...body })).status).toBe(404)
    }
    expect(yield* names(stranger.key)).toEqual([null])
  })
})
