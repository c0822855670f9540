import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type AccountId, grants } from "../../../src/features/accounts/Domain.ts"
import { suite } from "../../harness.ts"
import { often } from "../../often.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

const path = "/api/v1/keys"

const create = (key: string, body: object, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body, headers, key })

/** The status of a key at an endpoint that is open to every key. */
const passes = (key: string) => Effect.map(Server.send("GET", "/api/v1/key", { key }), ({ status }) => status)

const names = (key: string) =>
  Effect.map(Server.send("GET", path, { key }), ({ body }) => body.data.map(({ name }: { name: string }) => name))

describe("an API key", () => {
  it("is created over the API with name, scopes and expiry, and only that response shows it", function* () {
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

  it("names its account, and revokes itself: its next request is refused, and other keys still work", function* () {
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
    ["a scope that does not exist separately", { name: "a", scopes: ["keywords:read"] }, "scopes.0"],
    ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z", name: "a", scopes: ["*"] }, "expires_at"],
    ["an invalid expiry", { expires_at: "tomorrow", name: "a", scopes: ["*"] }, "expires_at"]
  ]
  for (const [what, body, field] of refused)
    it(`is not created with ${what}`, function* () {
      const { key } = yield* Server.customer()
      const reply = yield* create(key, body)
      expect([reply.status, reply.body.error.details.map(({ path }: { path: string }) => path)]).toEqual([422, [field]])
      expect(yield* names(key)).toEqual([null])
    })

  it("is changed in the given fields", function* () {
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

  it("is refused after it has expired or was revoked, and a revoked key is not listed", function* () {
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

  it("is rotated: both keys work during the overlap, then only the new one", function* () {
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

describe("a key with keys:manage", () => {
  it("creates and changes no key with more scopes than its own", function* () {
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

  it("is not included in *", function* () {
    const { account } = yield* Server.customer()
    const all = yield* Server.keyWith(account, ["*", "site-health:write"])
    expect((yield* Server.send("GET", path, { key: all })).body.error.code).toBe("insufficient_scope")
  })

  it("gets the created key again when it repeats its request, and a weaker key does not", function* () {
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

  it("sees and changes no key of another account", function* () {
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

const [soon, later] = ["2100-01-01T00:00:00Z", "2100-01-02T00:00:00Z"]

const createNamed = (key: string, body: object, headers: Record<string, string> = {}) =>
  Server.send("POST", path, { body: { name: "a", ...body }, headers, key })

const patch = (key: string, id: string, body: object) => Server.send("PATCH", `${path}/${id}`, { body, key })

const rotate = (key: string, id: string, headers: Record<string, string> = {}) =>
  Server.send("POST", `${path}/${id}/rotate`, { body: { overlap: "24h" }, headers, key })

type Call = Effect.Effect<Server.Reply, never, Server.TestServer>

/** The code of each response, or its status if it is no error. */
const codes = (calls: ReadonlyArray<Call>) =>
  Effect.map(Effect.all(calls), (replies) => replies.map(({ body, status }) => body.error?.code ?? status))

/** An owner's key, and a managing key with an expiry. */
const ending = (scopes: ReadonlyArray<string> = ["*", "keys:manage"]) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const { data } = (yield* createNamed(key, { expires_at: soon, scopes })).body
    const id: string = data.id
    const manager: string = data.key
    return { account, id, key, manager }
  })

describe("a key that expires", () => {
  it("creates no key that expires later, or never", function* () {
    const { manager } = yield* ending()
    const asked = [{}, { expires_at: null }, { expires_at: later }, { expires_at: "2100-01-01T00:00:00.001Z" }]
    const made = yield* codes(asked.map((end) => createNamed(manager, { ...end, scopes: ["*"] })))
    expect(made).toEqual(asked.map(() => "insufficient_scope"))
    expect((yield* createNamed(manager, { expires_at: soon, scopes: ["*"] })).status).toBe(201)
  })

  it("extends neither its own expiry nor that of its children and siblings", function* () {
    const { id, key, manager } = yield* ending()
    const child = (yield* createNamed(manager, { expires_at: soon, scopes: ["*"] })).body.data.id
    const sibling = (yield* createNamed(key, { expires_at: soon, scopes: ["*"] })).body.data.id
    for (const target of [id, child, sibling])
      for (const expires_at of [null, later])
        expect((yield* patch(manager, target, { expires_at })).body.error.code).toBe("insufficient_scope")
    for (const target of [id, child, sibling])
      expect((yield* patch(manager, target, { expires_at: "2099-12-31T00:00:00Z" })).status).toBe(200)
  })

  it("neither rotates a key that expires later nor adds scopes to it, but renames, narrows and revokes it", function* () {
    const { key, manager } = yield* ending()
    const { id } = (yield* createNamed(key, { scopes: ["projects:read", "audits:read"] })).body.data
    const refused = [rotate(manager, id), patch(manager, id, { scopes: ["projects:read", "webhooks:manage"] })]
    expect(yield* codes(refused)).toEqual(["insufficient_scope", "insufficient_scope"])
    const done = [
      patch(manager, id, { name: "b" }),
      patch(manager, id, { scopes: ["projects:read"] }),
      Server.send("DELETE", `${path}/${id}`, { key: manager })
    ]
    expect(yield* codes(done)).toEqual([200, 200, 204])
  })
})

describe("a repeated request for a key", () => {
  for (const [what, widen] of [
    ["has more scopes", { scopes: ["*"] }],
    ["expires later", { expires_at: null }]
  ] as const)
    it(`is refused when the created key now ${what} than the caller`, function* () {
      const { key, manager } = yield* ending(["keys:manage", "projects:read"])
      const [create1, rotate1] = [{ "idempotency-key": "create-once" }, { "idempotency-key": "rotate-once" }]
      const asked = { expires_at: soon, scopes: ["projects:read"] }
      const made = (yield* createNamed(manager, asked, create1)).body.data
      const rotated = (yield* rotate(manager, made.id, rotate1)).body.data
      const repeats = [createNamed(manager, asked, create1), rotate(manager, made.id, rotate1)]
      expect(yield* codes(repeats)).toEqual([200, 200])
      expect((yield* patch(key, made.id, widen)).status).toBe(200)
      expect((yield* patch(key, rotated.id, widen)).status).toBe(200)
      expect(yield* codes(repeats)).toEqual(["insufficient_scope", "insufficient_scope"])
    })

  it("depends on the caller's current rights: a key that was narrowed or given an expiry does not get it again", function* () {
    const { key } = yield* Server.customer()
    const manager = (yield* createNamed(key, { scopes: ["*", "keys:manage"] })).body.data
    const headers = { "idempotency-key": "create-once" }
    const repeat = createNamed(manager.key, { scopes: ["projects:read"] }, headers)
    expect((yield* repeat).status).toBe(201)
    yield* patch(key, manager.id, { expires_at: soon })
    expect((yield* repeat).body.error.code).toBe("insufficient_scope")
    yield* patch(key, manager.id, { expires_at: null, scopes: ["audits:read", "keys:manage"] })
    expect((yield* repeat).body.error.code).toBe("insufficient_scope")
  })

  it("for a rotation is answered again after the rotated key was deleted", function* () {
    const { key } = yield* Server.customer()
    const { id } = (yield* createNamed(key, { scopes: ["projects:read"] })).body.data
    const headers = { "idempotency-key": "rotate-once" }
    const first = yield* rotate(key, id, headers)
    yield* Server.send("DELETE", `${path}/${id}`, { key })
    expect((yield* rotate(key, id, headers)).body.data).toEqual(first.body.data)
  })
})

it("a session from the administrator's command that may manage keys creates lasting keys, without scopes it lacks", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* Server.customer()
  const code = "s".repeat(32)
  yield* sql`
  INSERT INTO console_codes (hash, account_id, scopes, lasts, expires_at)
  VALUES (sha256(${code}::bytea), ${account}, ${["projects:read", "keys:manage"]}, '1 hour', clock_timestamp() + interval '1 minute')`
  const session = (yield* Server.send("POST", "/api/v1/console-sessions", { body: { code } })).body.data.key
  expect(yield* codes([createNamed(session, { scopes: ["projects:read"] })])).toEqual([201])
  expect(yield* codes([createNamed(session, { scopes: ["audits:read"] })])).toEqual(["insufficient_scope"])
})

/** A key as stored, with its expiry in milliseconds. */
interface State {
  readonly id: string
  readonly end: number
  readonly scopes: ReadonlyArray<string>
}

const states = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<State>`
      SELECT id, scopes, coalesce(extract(epoch FROM expires_at)::float8 * 1000, 'infinity') AS end FROM api_keys WHERE account_id = ${account}`
  )

const scopes = fc.uniqueArray(
  fc.constantFrom("*", "keys:manage", "projects:read", "webhooks:manage", "webhooks:read"),
  {
    maxLength: 3,
    minLength: 1
  }
)

const end = fc.constantFrom(undefined, null, soon, later, "2100-01-03T00:00:00Z")

const nth = fc.nat({ max: 50 })

const operation = fc.oneof(
  fc.record({ by: nth, end, kind: fc.constant("create" as const), scopes, token: fc.nat({ max: 3 }) }),
  fc.record({ by: nth, end, kind: fc.constant("patch" as const), of: nth, scopes: fc.option(scopes) }),
  fc.record({ by: nth, kind: fc.constant("rotate" as const), of: nth, token: fc.nat({ max: 3 }) }),
  fc.record({ by: nth, kind: fc.constant("repeat" as const), of: nth }),
  fc.record({ kind: fc.constant("expire" as const), of: nth })
)

type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never

it("no sequence of creations, changes, rotations, repetitions and expiries gives a key more scopes or a longer life", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 20, minLength: 10 }), (operations) =>
        it.runtime.runPromise(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const { account, key, manager } = yield* ending(["keys:manage", "projects:read", "webhooks:manage"])
            const texts = [key, manager]
            const strong = yield* createNamed(key, { expires_at: later, scopes: ["*", "keys:manage"] })
            const weak = yield* createNamed(key, { scopes: ["projects:read"] })
            texts.push(strong.body.data.key, weak.body.data.key)
            const sent: Array<(by: string) => Call> = []
            const of = (all: ReadonlyArray<State>, n: number) => all[n % all.length]?.id ?? ""

            const calling = (asked: Exclude<Operation, { kind: "expire" }>, all: ReadonlyArray<State>) => {
              if (asked.kind === "repeat") return sent[asked.of % Math.max(1, sent.length)]
              const ended = "end" in asked && asked.end !== undefined ? { expires_at: asked.end } : {}
              if (asked.kind === "patch") {
                const body = { ...ended, ...(asked.scopes !== null && { scopes: asked.scopes }) }
                return (by: string) => patch(by, of(all, asked.of), body)
              }
              const headers = { "idempotency-key": `${asked.kind}-${asked.token}` }
              const target = asked.kind === "rotate" ? of(all, asked.of) : ""
              const call =
                asked.kind === "create"
                  ? (by: string) => createNamed(by, { ...ended, scopes: asked.scopes }, headers)
                  : (by: string) => rotate(by, target, headers)
              sent.push(call)
              return call
            }

            for (const asked of operations) {
              yield* sql`UPDATE api_keys SET created_at = created_at - interval '1 minute' WHERE account_id = ${account}`
              const before = yield* states(account)
              if (asked.kind === "expire") {
                yield* sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${of(before, asked.of)}`
                continue
              }
              const by = texts[asked.by % texts.length] ?? ""
              const own = yield* sql`SELECT id FROM api_keys WHERE hash = sha256(${by}::bytea)`
              const caller = before.find(({ id }) => id === own[0]?.id)
              const call = calling(asked, before)?.(by)
              if (call === undefined) continue
              const reply = yield* call
              if (reply.status >= 300) continue
              if (caller === undefined) throw new Error("The caller is unknown")
              const isWithin = ({ end, scopes }: State) =>
                end <= caller.end && scopes.every((scope) => grants(caller.scopes, scope))
              for (const now of yield* states(account)) {
                const was = before.find(({ id }) => id === now.id)
                const shown = reply.body.data.id === now.id && reply.body.data.key !== undefined
                const added = now.scopes.filter((scope) => was === undefined || !grants(was.scopes, scope))
                if (shown || added.length > 0 || was === undefined || now.end > was.end)
                  expect([asked.kind, now, caller, isWithin({ ...now, scopes: shown ? now.scopes : added })]).toEqual([
                    asked.kind,
                    now,
                    caller,
                    true
                  ])
              }
              if (typeof reply.body.data.key === "string") texts.push(reply.body.data.key)
            }
          })
        )
      ),
      { numRuns: often(2) }
    )
  ))
