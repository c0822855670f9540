import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AccountId, Plan } from "../../../src/features/accounts/Domain.ts"
import { Sessions } from "../../../src/features/accounts/Sessions.ts"
import { sessionScopes } from "../../../src/features/accounts/SessionsApi.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Layer.provideMerge(Sessions.Default, Server.layer))

const path = "/api/v1/keys"
const most: Readonly<Record<Plan, number>> = { agency_team: 100, free: 5, growth_pro: 25, starter: 10 }

const create = (key: string, body: object = {}) =>
  Server.send("POST", path, { body: { name: "a", scopes: ["projects:read"], ...body }, key })

const rotate = (key: string, id: string, overlap = "24h") =>
  Server.send("POST", `${path}/${id}/rotate`, { body: { overlap }, key })

const passes = (key: string) => Effect.map(Server.send("GET", "/api/v1/key", { key }), ({ status }) => status === 200)

/** Further keys of the account, created by the administrator's command. */
const operated = (account: AccountId, count: number) =>
  Effect.replicateEffect(Server.keyWith(account, ["projects:read"]), count, { discard: true })

const usable = (account: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`SELECT FROM api_keys WHERE account_id = ${account} AND revoked_at IS NULL AND coalesce(expires_at > clock_timestamp(), true)`,
      (rows) => rows.length
    )
  )

/** Advances the rate limits of the account by a minute. */
const minute = (account: AccountId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE api_key_passes SET passes = '{}'`
    yield* sql`UPDATE api_keys SET created_at = created_at - interval '1 minute' WHERE account_id = ${account}`
  })

describe("the API keys of an account", () => {
  for (const plan of Plan.literals)
    it(`are at most ${most[plan]} on plan ${plan}, from any source, and the current key shows the limit`, function* () {
      const { account, key } = yield* Server.customer(plan)
      yield* operated(account, most[plan] - 3)
      expect([(yield* create(key)).status, (yield* create(key)).status]).toEqual([201, 201])
      const refused = yield* create(key)
      expect([refused.status, refused.body.error.code]).toEqual([422, "validation_error"])
      expect(refused.body.error.message).toContain(`(${plan}) allows ${most[plan]}`)
      expect(yield* usable(account)).toBe(most[plan])
      const own = yield* Server.send("GET", "/api/v1/key", { key })
      expect(own.body.data.limits.keys).toBe(most[plan])
      expect(own.body.data.grants).toContain("keywords:read")
    })

  it("may exceed the limit by an administrator's command", function* () {
    const { account } = yield* Server.customer("free")
    yield* operated(account, 6)
    expect(yield* usable(account)).toBe(7)
  })

  it("leave room when one is revoked or expires, and an expired key needs room for a new expiry", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer("free")
    const first = (yield* create(key)).body.data
    const second = (yield* create(key)).body.data
    yield* operated(account, 2)
    expect((yield* create(key)).status).toBe(422)
    yield* Server.send("DELETE", `${path}/${first.id}`, { key })
    expect((yield* create(key)).status).toBe(201)
    yield* sql`UPDATE api_keys SET expires_at = clock_timestamp() WHERE id = ${second.id}`
    expect((yield* create(key)).status).toBe(201)
    const revive = Server.send("PATCH", `${path}/${second.id}`, { body: { expires_at: null }, key })
    expect((yield* revive).status).toBe(422)
    expect(yield* usable(account)).toBe(5)
  })

  it("never exceed the limit: at one below it, one of twelve concurrent creations succeeds", function* () {
    const { account, key } = yield* Server.customer("growth_pro")
    yield* operated(account, 23)
    const replies = yield* Effect.replicateEffect(create(key), 12, { concurrency: "unbounded" })
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 422)])
  })

  it("do not include keys of console sessions, which cannot be rotated or extended", function* () {
    const { invite } = yield* Sessions
    const { account, key } = yield* Server.customer("free")
    yield* operated(account, 4)
    const { code } = yield* invite(account, { scopes: sessionScopes.usual, seconds: 3600 })
    const session = yield* Server.send("POST", "/api/v1/console-sessions", { body: { code } })
    expect(session.status).toBe(201)
    const own = yield* Server.send("GET", "/api/v1/key", { key: session.body.data.key })
    const { id } = own.body.data
    const changes = [{ expires_at: null }, { scopes: ["*", "keys:manage"] }]
    const calls = [...changes.map((body) => Server.send("PATCH", `${path}/${id}`, { body, key })), rotate(key, id)]
    for (const call of calls) expect((yield* call).body.error.code).toBe("conflict")
    expect((yield* Server.send("PATCH", `${path}/${id}`, { body: { name: "screen" }, key })).status).toBe(200)
    expect((yield* create(key)).status).toBe(422)
  })
})

describe("a rotation at the limit of keys", () => {
  it("succeeds, and ends the previously rotated keys immediately", function* () {
    const { account, key } = yield* Server.customer("free")
    const first = (yield* create(key)).body.data
    const other = (yield* create(key)).body.data
    yield* operated(account, 2)
    const second = yield* rotate(key, first.id)
    expect(second.status).toBe(201)
    expect([yield* passes(first.key), yield* passes(second.body.data.key)]).toEqual([true, true])
    const third = yield* rotate(key, other.id)
    expect([yield* passes(first.key), yield* passes(other.key)]).toEqual([false, true])
    expect([yield* passes(second.body.data.key), yield* passes(third.body.data.key)]).toEqual([true, true])
    expect(yield* usable(account)).toBe(6)
  })

  it("is refused like a creation if the key was rotated already, so that keys do not multiply", function* () {
    const { account, key } = yield* Server.customer("free")
    const first = (yield* create(key)).body.data
    yield* operated(account, 3)
    expect((yield* rotate(key, first.id)).status).toBe(201)
    expect((yield* rotate(key, first.id)).status).toBe(422)
    expect((yield* create(key)).status).toBe(422)
    expect(yield* usable(account)).toBe(6)
  })
})

describe("creating keys", () => {
  it("is limited to ten a minute, including rotations, and refused requests do not count", function* () {
    const { account, key } = yield* Server.customer("growth_pro")
    yield* operated(account, 12)
    const { id } = (yield* create(key)).body.data
    expect((yield* rotate(key, id, "0s")).status).toBe(201)
    expect((yield* create(key, { expires_at: "2020-01-01T00:00:00Z" })).status).toBe(422)
    yield* Effect.replicateEffect(create(key), 8)
    const refused = yield* create(key)
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limit_exceeded"])
    const header = (name: string) => Number(refused.headers.get(name))
    expect([header("x-ratelimit-limit"), header("x-ratelimit-remaining")]).toEqual([10, 0])
    expect(header("retry-after")).toBeWithin(1, 61)
    expect(header("x-ratelimit-reset")).toBe(header("retry-after"))
    yield* Effect.replicateEffect(create(key), 3)
    yield* minute(account)
    expect((yield* create(key)).status).toBe(201)
  })

  it("counts neither for the limit of keys nor for the ten a minute when a request is repeated", function* () {
    const { account, key } = yield* Server.customer("free")
    yield* operated(account, 3)
    const repeated = Server.send("POST", path, {
      body: { name: "a", scopes: ["*"] },
      headers: { "idempotency-key": "one-key-of-five" },
      key
    })
    const replies = yield* Effect.replicateEffect(repeated, 9, { concurrency: 3 })
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 8 }, () => 200), 201])
  })
})
