import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { everyEvent } from "../pipeline.ts"

const it = suite(Server.layer)

const url = "http://127.0.0.1:2/hooks"
const path = "/api/v1/webhooks"

const create = (key: string, change: Record<string, unknown> = {}) =>
  Server.send("POST", path, { body: { events: ["audit.completed"], url, ...change }, key })

const problems = ({ body, status }: Server.Reply) => {
  expect({ code: body.error?.code, status }).toEqual({ code: "validation_error", status: 422 })
  return body.error.details
}

const withoutSecret = ({ secret: _, ...shown }: Record<string, unknown>) => shown

describe("a webhook", () => {
  it("is created with its secret, which no other response shows", function* () {
    const { key } = yield* Server.customer()
    const { body, status } = yield* create(key, { description: "for us" })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url,
      events: ["audit.completed"],
      format: "json",
      description: "for us",
      is_active: true,
      deactivation: null,
      failing_since: null,
      previous_secret_expires_at: null,
      last_24h: { delivered: 0, failed: 0, pending: 0 },
      last_success_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
    })
    const own = `${path}/${body.data.id}`
    const others = [
      yield* Server.send("GET", own, { key }),
      yield* Server.send("GET", path, { key }),
      yield* Server.send("PATCH", own, { body: {}, key })
    ]
    for (const other of others) {
      expect(other.status).toBe(200)
      expect(JSON.stringify(other.body)).not.toContain("whsec_")
      expect([other.body.data].flat()).toEqual([withoutSecret(body.data)])
    }
  })

  it("has its secret in the database as ciphertext only, different each time", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const secrets: Array<string> = [(yield* create(key)).body.data.secret]
    const { body } = yield* create(key)
    secrets.push(body.data.secret)
    secrets.push((yield* Server.send("POST", `${path}/${body.data.id}/rotate-secret`, { key })).body.data.secret)
    expect(new Set(secrets).size).toBe(3)
    const rows = yield* sql`SELECT to_json(w) AS row FROM webhooks w WHERE account_id = ${account}`
    const stored = JSON.stringify(rows)
    expect(stored.match(/v1\.[0-9a-f]{16}\./g)).toHaveLength(3)
    for (const secret of secrets) {
      expect(stored).not.toContain(secret)
      expect(stored).not.toContain(secret.slice("whsec_".length))
      expect(stored).not.toContain(Buffer.from(secret.slice("whsec_".length), "base64").toString("hex"))
    }
  })

  it("needs a URL and events, and all errors are reported together", function* () {
    const { key } = yield* Server.customer()
    const reply = yield* Server.send("POST", path, {
      body: { url: "ftp://example.com/", description: "x".repeat(501) },
      key
    })
    expect(
      problems(reply)
        .map(({ path }: { path: string }) => path)
        .sort()
    ).toEqual(["description", "events", "url"])
    for (const events of [[], ["nope"], ["webhook.ping"], ["audit.failed", "audit.failed"], "audit.failed", null]) {
      expect(problems(yield* create(key, { events }))[0].path).toStartWith("events")
    }
    expect((yield* create(key, { events: everyEvent })).status).toBe(201)
  })

  it("needs a public URL that resolves, and the error names the field", function* () {
    const { key } = yield* Server.customer()
    const hosts = [
      "10.0.0.1",
      "[::1]",
      "169.254.169.254",
      "0x7f.1".replace("7f", "0a"),
      "192.168.1.1:8080",
      "[::ffff:10.0.0.1]"
    ]
    for (const host of hosts) {
      expect(problems(yield* create(key, { url: `http://${host}/` }))).toEqual([
        {
          message: expect.stringMatching(
            /^must be public: .+; set FINDABLE_ALLOW_PRIVATE_NETWORKS=[\d.:/]+ to allow it$/
          ),
          path: "url"
        }
      ])
    }
    expect(problems(yield* create(key, { url: "https://findable.invalid/" }))).toEqual([
      { message: expect.stringContaining("must have a host that DNS resolves"), path: "url" }
    ])
  })

  it("is one of at most 20 of its account, also for concurrent requests", function* () {
    const { key } = yield* Server.customer()
    const replies = yield* Effect.replicateEffect(create(key), 30, { concurrency: "unbounded" })
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(problems(reply)[0].message).toContain("20 endpoints")
    }
    const { body } = yield* Server.send("GET", `${path}?limit=100`, { key })
    expect(body.data).toHaveLength(20)
    yield* Server.send("DELETE", `${path}/${body.data[0].id}`, { key })
    expect((yield* create(key)).status).toBe(201)
  })

  it("is listed in pages, oldest first", function* () {
    const { key } = yield* Server.customer()
    const made = yield* Effect.replicateEffect(
      Effect.map(create(key), ({ body }) => body.data.id),
      7
    )
    const found: Array<string> = []
    let next: string | undefined = `${path}?limit=3`
    while (next !== undefined) {
      const { body }: Server.Reply = yield* Server.send("GET", next, { key })
      found.push(...body.data.map(({ id }: { id: string }) => id))
      next = body.links.next
    }
    expect(found).toEqual(made)
  })
})

describe("a change of a webhook", () => {
  it("sets the given fields and no others", function* () {
    const { key } = yield* Server.customer()
    const { body } = yield* create(key, { description: "old" })
    const own = `${path}/${body.data.id}`
    const original = withoutSecret(body.data)
    const changes = [
      { url: "http://127.0.0.2/other" },
      { events: everyEvent },
      { description: "new" },
      { description: null },
      { is_active: false },
      { is_active: true },
      {}
    ]
    let expected = original
    for (const change of changes) {
      expected = { ...expected, ...change }
      const reply = yield* Server.send("PATCH", own, { body: change, key })
      expect({ data: reply.body.data, status: reply.status }).toEqual({ data: expected, status: 200 })
    }
  })

  it("has the limits of a creation, and does not change the webhook when it is refused", function* () {
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const own = `${path}/${body.data.id}`
    const refused = [
      { url: "http://10.0.0.1/" },
      { url: "https://findable.invalid/" },
      { url: 5 },
      { events: [] },
      { is_active: "no" }
    ]
    for (const change of refused) {
      const [problem] = problems(yield* Server.send("PATCH", own, { body: { description: "changed", ...change }, key }))
      expect(problem.path).toBe(Object.keys(change)[0])
    }
    expect((yield* Server.send("GET", own, { key })).body.data).toEqual(withoutSecret(body.data))
  })

  it("keeps the previous secret valid for 24 hours when it rotates the secret", function* () {
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const rotated = yield* Server.send("POST", `${path}/${body.data.id}/rotate-secret`, { key })
    expect(rotated.status).toBe(200)
    expect(rotated.body.data.secret).not.toBe(body.data.secret)
    const hours = (Date.parse(rotated.body.data.previous_secret_expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeCloseTo(24, 2)
  })
})

describe("a rotation of the secret", () => {
  const rotate = (key: string, id: string, idempotency?: string) =>
    Server.send("POST", `${path}/${id}/rotate-secret`, {
      headers: idempotency === undefined ? {} : { "idempotency-key": idempotency },
      key
    })

  it("is refused while two earlier secrets are valid, until the first of them expires", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const { id } = body.data
    const first = yield* rotate(key, id)
    expect(first.status).toBe(200)
    expect((yield* rotate(key, id)).status).toBe(200)
    const third = yield* rotate(key, id)
    expect([third.status, third.body.error.code]).toEqual([409, "conflict"])
    expect(third.body.error.message).toContain(first.body.data.previous_secret_expires_at)
    yield* sql`UPDATE webhooks SET earlier_secret_expires_at = clock_timestamp() WHERE id = ${id}`
    expect((yield* rotate(key, id)).status).toBe(200)
    expect((yield* rotate(key, id)).status).toBe(409)
  })

  it("happens twice at most, for any number of concurrent requests", function* () {
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const replies = yield* Effect.all(
      Array.from({ length: 12 }, (_, at) => rotate(key, body.data.id, at < 6 ? `rotation-${at}` : undefined)),
      { concurrency: "unbounded" }
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, ...Array.from({ length: 10 }, () => 409)])
  })

  it("with an Idempotency-Key happens once, and a repeated request shows the same secret for a day", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const { id } = body.data
    const replies = yield* Effect.all(
      Array.from({ length: 12 }, () => rotate(key, id, "rotate-once")),
      { concurrency: "unbounded" }
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
    expect(new Set(replies.map(({ body }) => body.data.secret)).size).toBe(1)
    expect(replies.filter(({ body }) => body.meta?.idempotent_replay === true)).toHaveLength(11)
    expect((yield* rotate(key, id)).status).toBe(200)
    expect((yield* rotate(key, id)).status).toBe(409)
    const replayed = yield* rotate(key, id, "rotate-once")
    expect(replayed.body.data).toEqual(replies[0]?.body.data)

    const other = (yield* create(key)).body.data.id
    expect((yield* rotate(key, other, "rotate-once")).body.error.code).toBe("idempotency_conflict")
    expect((yield* rotate(key, other, "short")).body.error.code).toBe("validation_error")

    yield* sql`UPDATE idempotency_keys SET created_at = created_at - interval '1 day' WHERE key = 'rotate-once'`
    const late = yield* rotate(key, id, "rotate-once")
    expect([late.status, late.body.data]).toEqual([200, withoutSecret(replayed.body.data)])
  })
})

describe("a deleted webhook", () => {
  it("is removed with its deliveries", function* () {
    const { key } = yield* Server.customer()
    const { body } = yield* create(key)
    const own = `${path}/${body.data.id}`
    const deleted = yield* Server.send("DELETE", own, { key })
    expect({ body: deleted.body, status: deleted.status }).toEqual({ body: "", status: 204 })
    for (const [method, suffix] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/deliveries"],
      ["POST", "/ping"]
    ] as const) {
      expect((yield* Server.send(method, `${own}${suffix}`, { key })).status).toBe(404)
    }
  })
})

describe("another account's webhook", () => {
  const delivery = "dlv_01kakx3q7m8v2b5n9r4t6w0yzc"
  const operations = [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/ping"],
    ["POST", "/rotate-secret"],
    ["POST", "/recover"],
    ["GET", "/deliveries"],
    ["GET", `/deliveries/${delivery}`],
    ["POST", `/deliveries/${delivery}/redeliver`]
  ] as const
  for (const [method, suffix] of operations) {
    it(`is not found by ${method} /webhooks/{id}${suffix}, exactly like one that does not exist`, function* () {
      const sql = yield* SqlClient.SqlClient
      const [owner, stranger] = [yield* Server.customer(), yield* Server.customer()]
      const { body } = yield* create(owner.key)
      yield* sql`INSERT INTO events VALUES (${delivery.replace("dlv", "evt")}, ${owner.account}, 'audit.completed', '{}', NULL, now())`
      yield* sql`INSERT INTO webhook_queue (id, webhook_id, event_id, event_type)
        VALUES (${delivery}, ${body.data.id}, ${delivery.replace("dlv", "evt")}, 'audit.completed')`
      const before = yield* sql`SELECT * FROM webhooks WHERE id = ${body.data.id}`
      const ask = (id: string, key: string) =>
        Server.send(method, `${path}/${id}${suffix}`, {
          key,
          ...(method === "PATCH" ? { body: { is_active: false, url: "http://10.0.0.1/" } } : {}),
          ...(suffix === "/recover" ? { body: { since: "2026-01-01T00:00:00Z" } } : {})
        })
      for (const id of [body.data.id, "wh_01kakx3q7m8v2b5n9r4t6w0yzc", "wh_1", "x".repeat(300), "%00"]) {
        const reply = yield* ask(id, stranger.key)
        expect({ code: reply.body.error?.code, status: reply.status }).toEqual({ code: "not_found", status: 404 })
      }
      expect(yield* sql`SELECT * FROM webhooks WHERE id = ${body.data.id}`).toEqual(before)
      const own = yield* ask(body.data.id, owner.key)
      expect([200, 202, 204, 422]).toContain(own.status)
      yield* sql`DELETE FROM events WHERE account_id = ${owner.account}`
    })
  }
})
