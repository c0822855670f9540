import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { catalogue, Payload } from "../../../../src/features/webhooks/Catalogue.ts"
import { retryDelays } from "../../../../src/features/webhooks/Domain.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, layer, log, passTime, publishExample, subscribe, subscriber, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"
import { acceptedBy, everybody } from "../verifiers.ts"

const it = suite(layer)

interface Subscriber {
  readonly key: string
  readonly path: string
}

const test = ({ key, path }: Subscriber, body: unknown, headers: Record<string, string> = {}) =>
  Server.send("POST", `${path}/test`, { body, headers, key })

const webhookOf = ({ key, path }: Subscriber) => Effect.map(Server.send("GET", path, { key }), ({ body }) => body.data)

const decode = Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })

it("a test delivery of every event type is sent, signed and logged, for a webhook with any events", function* () {
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url, ["audit.failed"])
  for (const [index, { example, type }] of catalogue.entries()) {
    const { body, headers, status } = yield* test(webhook, { type })
    expect([status, headers.get("location")]).toEqual([202, `${webhook.path}/deliveries/${body.data.id}`])
    expect(body.data).toMatchObject({ attempts: [], event_type: type, status: "pending", test: true })
    const received = (yield* target.arrived(index + 1)).at(-1)
    if (received === undefined) return yield* Effect.dieMessage("nothing arrived")
    expect(Object.keys(JSON.parse(received.body))).toEqual(["id", "type", "test", "created_at", "data"])
    expect(JSON.parse(received.body)).toMatchObject({ data: example, id: body.data.event_id, test: true, type })
    expect((yield* decode(received.body)).test).toBe(true)
    expect(received.headers["service-event-type"]).toBe(type)
    expect(yield* Effect.promise(async () => acceptedBy(received, webhook.secret))).toEqual(everybody)
    const logged = yield* attempted(webhook, 1)
    expect(logged).toMatchObject({ id: body.data.id, status: "delivered", test: true })
  }
})

it("a test delivery is no event of the account: lists do not show it, and other webhooks do not receive it", function* () {
  const sql = yield* SqlClient.SqlClient
  const target = yield* receiver()
  const other = yield* receiver()
  const webhook = yield* subscriber(target.url)
  yield* subscribe(webhook.key, other.url)
  yield* sql`INSERT INTO event_feeds (name) VALUES ('tests') ON CONFLICT DO NOTHING`
  yield* publishExample["audit.failed"](webhook.account)
  const { body } = yield* test(webhook, { type: "audit.failed" })
  yield* target.arrived(2)
  const get = (path: string) => Server.send("GET", path, { key: webhook.key })
  for (const query of ["", "?order=asc", "?type=audit.failed"]) {
    const ids = (yield* get(`/api/v1/events${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(ids).toHaveLength(1)
    expect(ids).not.toContain(body.data.event_id)
  }
  expect((yield* get(`/api/v1/events/${body.data.event_id}`)).status).toBe(404)
  expect((yield* get(`/api/v1/events?after=${body.data.event_id}`)).body.error.code).toBe("invalid_cursor")
  expect(yield* sql`SELECT FROM event_feed_queue WHERE event_id = ${body.data.event_id}`).toEqual([])
  yield* other.arrived(1)
  expect(other.received).toHaveLength(1)
})

it("a failed test delivery is retried by the schedule, causes no event, and does not count as a failure of its webhook", function* () {
  const sql = yield* SqlClient.SqlClient
  const target = yield* receiver(() => new Response("", { status: 500 }))
  const watcher = yield* receiver()
  const webhook = yield* subscriber(target.url, ["audit.failed"])
  yield* subscribe(webhook.key, watcher.url)
  yield* test(webhook, { type: "audit.failed" })
  for (const [index] of retryDelays.entries()) {
    yield* attempted(webhook, index + 1)
    yield* passTime
  }
  const failed = yield* attempted(webhook, retryDelays.length + 1)
  expect(failed).toMatchObject({ failure_reason: "attempts_exhausted", status: "failed" })
  expect(yield* webhookOf(webhook)).toMatchObject({ failing_since: null, is_active: true })
  expect(watcher.received).toEqual([])

  // A later failed event does not count the test among the failures of these days.
  yield* sql`UPDATE webhook_log SET finished_at = finished_at - interval '1 day' WHERE webhook_id = ${webhook.id}`
  yield* sql`UPDATE webhooks SET failing_since = now() - interval '6 days' WHERE id = ${webhook.id}`
  yield* publishExample["audit.failed"](webhook.account)
  for (const [index] of retryDelays.entries()) {
    yield* attempted(webhook, index + 1)
    yield* passTime
  }
  yield* attempted(webhook, retryDelays.length + 1)
  expect(yield* webhookOf(webhook)).toMatchObject({ deactivation: null, is_active: true })
})

it("an endpoint that returns 410 to a test delivery is disabled", function* () {
  const target = yield* receiver(() => new Response("", { status: 410 }))
  const webhook = yield* subscriber(target.url)
  yield* test(webhook, { type: "audit.failed" })
  const { deactivation } = yield* until(webhookOf(webhook), ({ is_active }) => is_active === false)
  expect(deactivation.reason).toBe("gone")
})

it("a test delivery can be resent, byte for byte", function* () {
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url)
  const { body } = yield* test(webhook, { type: "ranking.dropped" })
  yield* attempted(webhook, 1)
  const path = `${webhook.path}/deliveries/${body.data.id}/redeliver`
  expect((yield* Server.send("POST", path, { key: webhook.key })).status).toBe(202)
  const [first, again] = yield* target.arrived(2)
  expect(again?.body).toBe(first?.body ?? "")
})

it("twelve test requests with one Idempotency-Key send one test delivery, and twelve without a key send twelve", function* () {
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url)
  const twelve = (headers: Record<string, string>) =>
    Effect.replicateEffect(test(webhook, { type: "audit.completed" }, headers), 12, { concurrency: "unbounded" })
  const same = yield* twelve({ "idempotency-key": "test-of-today" })
  expect(same.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 11 }, () => 200), 202])
  expect(new Set(same.map(({ body }) => body.data.id)).size).toBe(1)
  const other = yield* test(webhook, { type: "audit.failed" }, { "idempotency-key": "test-of-today" })
  expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
  const each = yield* twelve({})
  expect(new Set(each.map(({ body, status }) => [status, body.data.id].join())).size).toBe(12)
  expect(yield* log(webhook)).toHaveLength(13)
})

it("a test of an unknown event type is refused, and nothing is queued", function* () {
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url)
  const wrong = yield* test(webhook, { type: "audit.complete" })
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([422, "type"])
  expect(wrong.body.error.details[0].message).toEndWith("Did you mean audit.completed?")
  expect((yield* test(webhook, {})).status).toBe(422)
  expect((yield* test(webhook, { type: 5 })).status).toBe(422)
  const { key } = yield* Server.customer()
  expect((yield* test({ key, path: webhook.path }, { type: "audit.failed" })).status).toBe(404)
  const reader = yield* Server.keyWith(webhook.account, ["webhooks:read"])
  expect((yield* test({ key: reader, path: webhook.path }, { type: "audit.failed" })).status).toBe(403)
  yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
  const paused = yield* test(webhook, { type: "audit.failed" })
  expect([paused.status, paused.body.error.code]).toEqual([409, "conflict"])
  expect(yield* log(webhook)).toEqual([])
})
