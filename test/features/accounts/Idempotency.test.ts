import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { ResolveFailed, Resolver } from "../../../src/foundation/outbound/Vet.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { eventually } from "../../waiting.ts"

const it = suite(Server.layer)

const subscription = { events: ["audit.completed"], url: "http://127.0.0.1:2/hook" }

/** A request that creates something, with or without an Idempotency-Key. */
const create = (key: string, path: string, body: object, idempotency?: string) =>
  Server.send("POST", `/api/v1${path}`, {
    body,
    headers: idempotency === undefined ? {} : { "idempotency-key": idempotency },
    key
  })

const conflict = { body: { error: { code: "idempotency_conflict" } }, status: 409 }

describe("a request that creates something", () => {
  it("returns 201 and its URL", function* () {
    const { key } = yield* Server.customer()
    const project = yield* create(key, "/projects", { url: "https://a.example" })
    expect([project.status, project.headers.get("location")]).toEqual([201, `/api/v1/projects/${project.body.data.id}`])
    const webhook = yield* create(key, "/webhooks", subscription)
    expect([webhook.status, webhook.headers.get("location")]).toEqual([201, `/api/v1/webhooks/${webhook.body.data.id}`])
    expect((yield* Server.send("GET", webhook.headers.get("location") ?? "", { key })).status).toBe(200)
  })

  it("creates one thing for any number of requests with one Idempotency-Key", function* () {
    const { key } = yield* Server.customer()
    const replies = yield* Effect.replicateEffect(create(key, "/webhooks", subscription, "subscribe-1"), 12, {
      concurrency: "unbounded"
    })
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 201])
    const first = replies.find(({ status }) => status === 201)
    for (const reply of replies.filter(({ status }) => status === 200)) {
      expect(reply.body).toEqual({ ...first?.body, meta: { idempotent_replay: true } })
      expect(reply.headers.get("location")).toBe(first?.headers.get("location") ?? "none")
    }
    expect((yield* Server.send("GET", "/api/v1/webhooks", { key })).body.data).toHaveLength(1)
  })

  it("is repeated with the secret for a day, and without it afterwards", function* () {
    const { account, key } = yield* Server.customer()
    const sql = yield* SqlClient.SqlClient
    const first = yield* create(key, "/webhooks", subscription, "subscribe-1")
    const { secret, ...rest } = first.body.data
    const [stored] = yield* sql<{ answer: string }>`
      SELECT answer::text || coalesce(secret, '') AS answer FROM idempotency_keys WHERE account_id = ${account}`
    expect(stored?.answer).not.toContain(secret)
    expect((yield* create(key, "/webhooks", subscription, "subscribe-1")).body.data.secret).toBe(secret)
    yield* sql`UPDATE idempotency_keys SET created_at = created_at - interval '1 day' WHERE account_id = ${account}`
    expect((yield* create(key, "/webhooks", subscription, "subscribe-1")).body).toEqual({
      data: rest,
      meta: { idempotent_replay: true }
    })
    yield* create(key, "/webhooks", subscription, "subscribe-2")
    const forgotten = yield* sql`SELECT FROM idempotency_keys WHERE key = 'subscribe-1' AND secret IS NULL`
    expect(forgotten).toHaveLength(1)
  })

  it("is refused if its Idempotency-Key was used for another body, another route or a crawl", function* () {
    const { account, key } = yield* Server.customer()
    const other = yield* Server.customer()
    const url = "https://a.example"
    expect((yield* create(key, "/projects", { url }, "project-1")).status).toBe(201)
    expect(yield* create(key, "/projects", { name: "x", url }, "project-1")).toMatchObject(conflict)
    expect(yield* create(key, "/webhooks", subscription, "project-1")).toMatchObject(conflict)
    expect((yield* create(other.key, "/projects", { url }, "project-1")).status).toBe(201)

    const { id } = yield* Server.projectOf(account)
    const runs = `/projects/${id}/site-health/runs`
    expect(yield* create(key, runs, {}, "project-1")).toMatchObject(conflict)
    expect((yield* create(key, runs, {}, "the-run-1")).status).toBe(202)
    expect(yield* create(key, "/projects", { url }, "the-run-1")).toMatchObject(conflict)
    expect((yield* create(key, runs, {}, "the-run-1")).body.meta).toEqual({ idempotent_replay: true })
  })

  it("leaves its Idempotency-Key free for a corrected request when it fails", function* () {
    const { key } = yield* Server.customer()
    const wrong = { ...subscription, url: "http://10.0.0.1/" }
    expect((yield* create(key, "/webhooks", wrong, "subscribe-1")).status).toBe(422)
    expect((yield* create(key, "/webhooks", subscription, "subscribe-1")).status).toBe(201)
  })

  it("is refused with a malformed Idempotency-Key", function* () {
    const { key } = yield* Server.customer()
    for (const bad of ["short", "x".repeat(201), "not\tprintable"]) {
      const reply = yield* create(key, "/projects", { url: "https://a.example" }, bad)
      expect(reply).toMatchObject({ body: { error: { code: "validation_error" } }, status: 422 })
    }
  })
})

describe("a host", () => {
  it("is one site of an account, with any name, either scheme, with or without www", function* () {
    const { account, key } = yield* Server.customer()
    const first = yield* create(key, "/projects", { url: "https://www.shop.example/a" })
    expect(first).toMatchObject({ status: 201 })
    expect(first.body).not.toHaveProperty("meta")
    for (const url of ["https://shop.example", "http://www.shop.example", "https://WWW.SHOP.example/b"]) {
      const again = yield* create(key, "/projects", { name: "another", url })
      expect(again).toMatchObject({ body: { data: first.body.data, meta: { existing: true } }, status: 200 })
      expect(again.headers.get("location")).toBe(first.headers.get("location") ?? "none")
    }
    expect((yield* create(key, "/projects", { url: "https://shop.example:8443" })).status).toBe(201)
    expect((yield* create(key, "/projects", { url: "https://blog.shop.example" })).status).toBe(201)
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO projects (account_id, host, name, url) VALUES (${account}, 'shop.example', 'double', 'https://shop.example/')`
    expect((yield* create(key, "/projects", { url: "https://shop.example" })).body.data).toEqual(first.body.data)
  })

  it("is one site for twelve concurrent requests", function* () {
    const { key } = yield* Server.customer()
    const replies = yield* Effect.replicateEffect(create(key, "/projects", { url: "https://a.example" }), 12, {
      concurrency: "unbounded"
    })
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  })
})

/** A resolver that answers on command. */
const resolver = { asked: 0, answer: Effect.runSync(Deferred.make<ReadonlyArray<string>, ResolveFailed>()) }

const outbound = Layer.provide(
  OutboundLive.layerNoDeps,
  Layer.succeed(Resolver, {
    addresses: () =>
      Effect.suspend(() => {
        resolver.asked++
        return Deferred.await(resolver.answer)
      })
  })
)

const slow = suite(Server.layerWith({ FINDABLE_DATABASE_POOL: "3" }, outbound))

slow("requests that wait for a slow DNS server leave database connections to others", function* () {
  const { key } = yield* Server.customer()
  const create = (idempotency: string) =>
    Server.send("POST", "/api/v1/webhooks", {
      body: { events: ["audit.completed"], url: "http://slow.example/hook" },
      headers: { "idempotency-key": idempotency },
      key
    })
  const waiting = yield* Effect.fork(
    Effect.forEach(
      Array.from({ length: 6 }, (_, n) => `subscribe-${n}`),
      create,
      { concurrency: "unbounded" }
    )
  )
  yield* eventually(() => resolver.asked === 6)
  expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
  yield* Deferred.succeed(resolver.answer, ["127.0.0.1"])
  expect((yield* Fiber.join(waiting)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201])

  resolver.answer = yield* Deferred.make<ReadonlyArray<string>, ResolveFailed>()
  yield* Deferred.fail(resolver.answer, new ResolveFailed({ message: "no such name" }))
  expect(yield* create("subscribe-1")).toMatchObject({ body: { meta: { idempotent_replay: true } }, status: 200 })
  expect((yield* create("subscribe-9")).status).toBe(422)
})
