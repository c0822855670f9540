import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import type { EventName } from "../../../../src/features/webhooks/Catalogue.ts"
import { retryDelays, type WebhookId } from "../../../../src/features/webhooks/Domain.ts"
import type { Delivery } from "../../../../src/features/webhooks/deliveries/Delivery.ts"
import * as Queue from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordOutcome } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { RetryDelays } from "../../../../src/features/webhooks/deliveries/RetrySchedule.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { valueOf } from "../exposed.ts"
import {
  attempted,
  layer,
  log,
  newestUntil,
  passTime,
  publishExample,
  subscribe,
  subscriber,
  until
} from "../pipeline.ts"
import { type Answer, receiver } from "../receiver.ts"

const it = suite(layer)

/** Whether the next attempt is due `seconds` after the last one, plus up to a tenth; a slow machine may add time to either. */
const isDueAfter = (delivery: Delivery, seconds: number) => {
  const due = Date.parse(delivery.next_attempt_at ?? "")
  const last = Date.parse(delivery.attempts.at(-1)?.started_at ?? "")
  return due >= last + 1000 * (seconds - 1) && due <= Date.now() + 1100 * seconds
}

const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response("", { headers, status })

/** A webhook with such an endpoint, and its log after the first attempt of one event. */
const afterOneAttempt = (answer: Answer) =>
  Effect.gen(function* () {
    const target = yield* receiver(answer)
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    const delivery = yield* attempted(webhook, 1)
    return { delivery, target, webhook }
  })

const webhookOf = ({ key, path }: { readonly key: string; readonly path: string }) =>
  Effect.map(Server.send("GET", path, { key }), ({ body }) => body.data)

describe("the retry schedule", () => {
  it("is followed and visible, and after its last attempt the delivery has failed", function* () {
    const { target, webhook } = yield* afterOneAttempt(answering(500))
    for (const [index, delay] of retryDelays.entries()) {
      const delivery = yield* attempted(webhook, index + 1)
      expect({ delay, isKept: isDueAfter(delivery, delay / 1000) }).toEqual({ delay, isKept: true })
      yield* passTime
      yield* target.arrived(index + 2)
    }
    const failed = yield* attempted(webhook, retryDelays.length + 1)
    expect(failed).toMatchObject({ failure_reason: "attempts_exhausted", next_attempt_at: null })
    expect(failed.finished_at).toBeString()
    expect(failed.attempts.map(({ number }) => number)).toEqual(
      Array.from({ length: retryDelays.length + 1 }, (_, index) => index + 1)
    )
    yield* passTime
    expect(target.received).toHaveLength(retryDelays.length + 1)
    expect(new Set(target.received.map(({ body }) => body)).size).toBe(1)
  })

  it("starts again with a resend", function* () {
    const { delivery, target, webhook } = yield* afterOneAttempt(answering(500))
    yield* passTime
    yield* target.arrived(2)
    yield* attempted(webhook, 2)
    yield* Server.send("POST", `${webhook.path}/deliveries/${delivery.id}/redeliver`, { key: webhook.key })
    yield* target.arrived(3)
    const again = yield* attempted(webhook, 3)
    expect(isDueAfter(again, 5)).toBe(true)
    expect(again.attempts[2]?.trigger).toBe("manual")
  })

  it("is delayed by the Retry-After of a 429 or 503, up to 24 hours", function* () {
    const cases = [
      [429, () => "120", 120],
      [503, () => "7200", 7200],
      [503, () => new Date(Date.now() + 600_000).toUTCString(), 600],
      [429, () => "9999999", 86_400],
      [500, () => "120", 5],
      [429, () => "1", 5],
      [429, () => "soon", 5]
    ] as const
    for (const [status, header, seconds] of cases) {
      const { delivery } = yield* afterOneAttempt(
        () => new Response("", { headers: { "retry-after": header() }, status })
      )
      expect({ isKept: isDueAfter(delivery, seconds), seconds, status }).toEqual({ isKept: true, seconds, status })
    }
  })
})

describe("a response is a failure", () => {
  it("if it is a redirect, which is not followed", function* () {
    const elsewhere = yield* receiver()
    for (const status of [301, 302, 303, 307, 308]) {
      const { delivery, target } = yield* afterOneAttempt(answering(status, { location: elsewhere.url }))
      expect(delivery).toMatchObject({
        status: "pending",
        attempts: [{ error: { code: "redirect" }, status_code: status }]
      })
      expect(target.received).toHaveLength(1)
    }
    expect(elsewhere.received).toEqual([])
  })

  it("if its status is not 2xx, and its text is stored", function* () {
    for (const status of [400, 401, 404, 422, 500, 502, 599]) {
      const { delivery } = yield* afterOneAttempt(() => new Response(`reason ${status}`, { status }))
      expect(delivery.attempts[0]).toMatchObject({
        error: { code: "http", message: `The endpoint returned ${status}` },
        response: { body: `reason ${status}`, truncated: false },
        status_code: status
      })
    }
  })
})

describe("a webhook is disabled", () => {
  const expectDeactivated = Effect.fnUntraced(function* (
    webhook: { id: WebhookId; key: string; path: string },
    reason: string
  ) {
    const shown = yield* until(webhookOf(webhook), ({ is_active }) => !is_active)
    expect(shown.deactivation).toEqual({ at: expect.any(String), reason })
    expect(Date.parse(shown.deactivation.at)).toBeGreaterThanOrEqual(Date.parse(shown.created_at))
    expect(Date.parse(shown.deactivation.at)).toBeLessThanOrEqual(Date.now())
    const waiting = (yield* log(webhook)).filter(({ status }) => status === "pending")
    expect(waiting).toEqual([])
  })

  it("immediately by a 410, and all its waiting deliveries have failed", function* () {
    const { target, webhook } = yield* afterOneAttempt(answering(500))
    target.answerWith(answering(410))
    yield* publishExample["audit.completed"](webhook.account)
    yield* target.arrived(2)
    yield* expectDeactivated(webhook, "gone")
    for (const delivery of yield* log(webhook)) {
      expect(delivery).toMatchObject({
        failure_reason: "webhook_deactivated",
        next_attempt_at: null,
        status: "failed"
      })
    }
    yield* publishExample["audit.completed"](webhook.account)
    expect(yield* log(webhook)).toHaveLength(2)
  })

  /** Fails all attempts of a new event, from a given attempt on. */
  const exhaust = Effect.fnUntraced(function* (webhook: Effect.Effect.Success<ReturnType<typeof subscriber>>) {
    const sql = yield* SqlClient.SqlClient
    yield* publishExample["audit.completed"](webhook.account)
    yield* attempted(webhook, 1)
    yield* sql`UPDATE webhook_queue SET failures = ${retryDelays.length} WHERE webhook_id = ${webhook.id}`
    yield* passTime
    yield* newestUntil(webhook, ({ status }) => status === "failed")
  })

  /** Moves everything so far into the past. */
  const earlier = Effect.fnUntraced(function* (webhook: { id: WebhookId }, text: string) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE webhooks SET failing_since = failing_since - ${text}::interval WHERE id = ${webhook.id}`
    yield* sql`
      UPDATE webhook_log SET created_at = created_at - ${text}::interval, finished_at = finished_at - ${text}::interval
      WHERE webhook_id = ${webhook.id}`
  })

  const failing = Effect.gen(function* () {
    const target = yield* receiver(answering(500))
    const webhook = yield* subscriber(target.url, ["audit.completed"])
    yield* exhaust(webhook)
    return { target, webhook }
  })

  it("after 5 days of failures only, when the current delivery ends", function* () {
    const { webhook } = yield* failing
    yield* earlier(webhook, "2 days")
    yield* exhaust(webhook)
    expect((yield* webhookOf(webhook)).is_active).toBe(true)
    yield* earlier(webhook, "2 days 23 hours")
    yield* exhaust(webhook)
    expect((yield* webhookOf(webhook)).is_active).toBe(true)
    yield* earlier(webhook, "1 hour")
    yield* exhaust(webhook)
    yield* expectDeactivated(webhook, "failing")
  })

  it("one old failure and a new one after five quiet days do not disable a webhook, and are retried", function* () {
    const { webhook } = yield* failing
    yield* earlier(webhook, "6 days")
    yield* publishExample["audit.completed"](webhook.account)
    expect(yield* attempted(webhook, 1)).toMatchObject({ status: "pending" })
    yield* exhaust(webhook)
    expect((yield* webhookOf(webhook)).is_active).toBe(true)
    yield* earlier(webhook, "11 hours")
    yield* exhaust(webhook)
    expect((yield* webhookOf(webhook)).is_active).toBe(true)
    yield* earlier(webhook, "1 hour")
    yield* exhaust(webhook)
    yield* expectDeactivated(webhook, "failing")
  })

  it("one success in 5 days keeps a webhook enabled", function* () {
    const sql = yield* SqlClient.SqlClient
    const { target, webhook } = yield* afterOneAttempt(answering(500))
    yield* sql`UPDATE webhooks SET failing_since = clock_timestamp() - interval '6 days' WHERE id = ${webhook.id}`
    target.answerWith(answering(200))
    yield* passTime
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
    expect(yield* webhookOf(webhook)).toMatchObject({ failing_since: null, is_active: true })
    target.answerWith(answering(500))
    yield* publishExample["audit.completed"](webhook.account)
    yield* attempted(webhook, 1)
    expect(yield* webhookOf(webhook)).toMatchObject({ deactivation: null, is_active: true })
  })

  it("a disabled webhook can be enabled again, with a clean record", function* () {
    const { target, webhook } = yield* afterOneAttempt(answering(410))
    yield* expectDeactivated(webhook, "gone")
    const { body } = yield* Server.send("PATCH", webhook.path, { body: { is_active: true }, key: webhook.key })
    expect(body.data).toMatchObject({ deactivation: null, failing_since: null, is_active: true })
    target.answerWith(answering(200))
    yield* publishExample["audit.completed"](webhook.account)
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
  })

  it("while an event for it is being committed, and the delivery of this event has failed too", function* () {
    const sql = yield* SqlClient.SqlClient
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    // The publisher has seen the webhook enabled and commits after it was disabled.
    yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${webhook.id}`
    yield* sql`INSERT INTO events VALUES ('evt_01kakx3q7m8v2b5n9r4t6w0yzc', ${webhook.account}, 'audit.failed', '{}', NULL, now())`
    yield* sql`INSERT INTO webhook_queue (webhook_id, event_id, event_type)
      VALUES (${webhook.id}, 'evt_01kakx3q7m8v2b5n9r4t6w0yzc', 'audit.failed')`
    const delivery = yield* newestUntil(webhook, ({ status }) => status === "failed")
    expect(delivery).toMatchObject({ attempts: [], failure_reason: "webhook_deactivated" })
    expect(target.received).toEqual([])
  })
})

describe("a recovery of failed deliveries", () => {
  const recover = ({ key, path }: { key: string; path: string }, since: string) =>
    Server.send("POST", `${path}/recover`, { body: { since }, key })

  it("resends failed and missed deliveries since a time, once, and no successful ones", function* () {
    const sql = yield* SqlClient.SqlClient
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url, ["audit.failed", "backlink.lost"])
    yield* publishExample["audit.failed"](webhook.account)
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
    // Missed, and older than the start of the recovery.
    yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
    yield* publishExample["backlink.lost"](webhook.account)
    yield* sql`UPDATE events SET created_at = created_at - interval '2 days' WHERE account_id = ${webhook.account}`
    // Missed since then, of a subscribed type and of another one.
    yield* publishExample["backlink.lost"](webhook.account)
    yield* publishExample["geo_score.changed"](webhook.account)
    yield* Server.send("PATCH", webhook.path, { body: { is_active: true }, key: webhook.key })
    const since = new Date(Date.now() - 86_400_000).toISOString()
    const { body, headers, status } = yield* recover(webhook, since)
    expect(status).toBe(202)
    expect(body.data).toEqual({ recovered: 1, since: since.replace("Z", "000+00:00") })
    expect(headers.get("location")).toBe(`${webhook.path}/deliveries`)
    yield* newestUntil(webhook, (_, all) => all.length === 2 && all.every(({ status }) => status === "delivered"))
    expect((yield* recover(webhook, since)).body.data.recovered).toBe(0)
    expect(target.received.map(({ headers }) => headers["service-event-type"])).toEqual([
      "audit.failed",
      "backlink.lost"
    ])
  })

  it("keeps the id of a failed delivery", function* () {
    const { delivery, target, webhook } = yield* afterOneAttempt(answering(410))
    target.answerWith(answering(200))
    yield* Server.send("PATCH", webhook.path, { body: { is_active: true }, key: webhook.key })
    expect((yield* recover(webhook, delivery.created_at)).body.data.recovered).toBe(1)
    const recovered = yield* newestUntil(webhook, ({ status }) => status === "delivered")
    expect(recovered).toMatchObject({ failure_reason: null, id: delivery.id })
    expect(recovered.attempts.map(({ trigger }) => trigger)).toEqual(["automatic", "manual"])
    expect(target.received[1]?.headers["service-event-id"]).toBe(target.received[0]?.headers["service-event-id"] ?? "")
  })

  it("is refused without a time, and for a disabled webhook", function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    for (const since of [undefined, null, 5, "yesterday", "2026-02-30T00:00:00Z", "2026-11-21"]) {
      const { body, status } = yield* Server.send("POST", `${webhook.path}/recover`, {
        body: { since },
        key: webhook.key
      })
      expect({ paths: body.error?.details?.map(({ path }: { path: string }) => path), status }).toEqual({
        paths: ["since"],
        status: 422
      })
    }
    yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
    const { body, status } = yield* recover(webhook, "2026-01-01T00:00:00Z")
    expect({ code: body.error.code, status }).toEqual({ code: "conflict", status: 409 })
  })
})

describe("a resend is refused", () => {
  it("while the delivery is being attempted, and for a disabled webhook", function* () {
    const gate = Promise.withResolvers<void>()
    yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
    const target = yield* receiver(() => gate.promise.then(() => new Response("")))
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* target.arrived(1)
    const [delivery] = yield* log(webhook)
    expect(delivery).toMatchObject({
      attempts: [{ error: null, number: 1, status_code: null }],
      status: "delivering"
    })
    const redeliver = Server.send("POST", `${webhook.path}/deliveries/${delivery?.id}/redeliver`, {
      key: webhook.key
    })
    expect((yield* redeliver).body.error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("is being sent")
    })
    gate.resolve()
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
    yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
    expect((yield* redeliver).body.error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("disabled")
    })
    expect(yield* subscribe(webhook.key, target.url)).toBeDefined()
  })
})

describe("an account receives an event", () => {
  /** An account with such an endpoint, and another webhook that receives only events about webhooks. */
  const account = (answer: Answer, events: ReadonlyArray<EventName>) =>
    Effect.gen(function* () {
      const target = yield* receiver(answer)
      const webhook = yield* subscriber(target.url, events)
      const listener = yield* receiver()
      const listening = yield* subscribe(webhook.key, listener.url, ["webhook.deactivated", "delivery.exhausted"])
      return { listener, listening, target, webhook }
    })

  const lastAttempt = (webhook: Effect.Effect.Success<ReturnType<typeof subscriber>>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhook_queue SET failures = ${retryDelays.length} WHERE webhook_id = ${webhook.id}`
      yield* passTime
      return yield* newestUntil(webhook, ({ status }) => status === "failed")
    })

  it("through its other webhooks when a delivery has finally failed", function* () {
    const { listener, listening, target, webhook } = yield* account(answering(503), [
      "audit.failed",
      "delivery.exhausted"
    ])
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    const delivery = yield* lastAttempt(webhook)
    const [event] = yield* listener.arrived(1)
    expect(JSON.parse(event?.body ?? "")).toMatchObject({
      data: {
        attempts: 2,
        delivery_id: delivery.id,
        event_id: delivery.event_id,
        event_type: "audit.failed",
        last_status_code: 503,
        webhook_id: webhook.id
      },
      type: "delivery.exhausted"
    })
    expect(yield* attempted(listening, 1)).toMatchObject({ event_type: "delivery.exhausted" })
    // Never through the failed webhook itself, although it has the type, nor when it recovers missed events.
    expect(yield* log(webhook)).toHaveLength(1)
    target.answerWith(answering(204))
    yield* Server.send("POST", `${webhook.path}/recover`, {
      body: { since: "2026-01-01T00:00:00Z" },
      key: webhook.key
    })
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
    expect(yield* log(webhook)).toHaveLength(1)
  })

  it("when the server disables a webhook, with the reason and the time of the first failure", function* () {
    const { listener, webhook } = yield* account(answering(410), ["audit.failed"])
    yield* publishExample["audit.failed"](webhook.account)
    const [event] = yield* listener.arrived(1)
    const shown = yield* webhookOf(webhook)
    expect(JSON.parse(event?.body ?? "")).toMatchObject({
      data: { reason: "gone", since: shown.failing_since, url: shown.url, webhook_id: webhook.id },
      type: "webhook.deactivated"
    })
    expect(yield* valueOf('findable_webhook_deactivations_total{reason="gone"}')).toBeGreaterThan(0)
  })

  it("failed deliveries of events about webhooks have no event", function* () {
    const { listener, webhook } = yield* account(answering(500), ["webhook.deactivated", "audit.failed"])
    yield* publishExample["webhook.deactivated"](webhook.account)
    yield* listener.arrived(1)
    yield* attempted(webhook, 1)
    yield* lastAttempt(webhook)
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    yield* lastAttempt(webhook)
    const received = yield* listener.arrived(2)
    expect(received.map(({ headers }) => headers["service-event-type"])).toEqual([
      "webhook.deactivated",
      "delivery.exhausted"
    ])
    expect(JSON.parse(received[1]?.body ?? "").data.event_type).toBe("audit.failed")
  })
})

/** A failed attempt. */
const failedWith = (statusCode: number | null) => ({
  _tag: "Failed" as const,
  error: { code: "timeout" as const, message: "The request took longer than its time limit" },
  latencyMs: 15_000,
  response: null,
  retryAfter: null,
  statusCode,
  timings: null
})

describe("a delivery with more attempts than the current schedule", () => {
  const longer = [...retryDelays, ...retryDelays]
  const it = suite(
    Layer.provideMerge(
      Layer.mergeAll(
        Events.Default,
        Queue.QueueRepo.Default,
        RecordOutcome.Default.pipe(Layer.provide(Layer.succeed(RetryDelays, longer)))
      ),
      Server.layer
    )
  )

  it("follows the schedule to its last delay, records each failure, and has then failed", function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* Queue.QueueRepo
    const { recordAll } = yield* RecordOutcome
    const webhook = yield* subscriber("http://127.0.0.1:2/", ["audit.failed"])
    yield* publishExample["audit.failed"](webhook.account)
    const worker = crypto.randomUUID()
    const held = yield* Queue.make(worker)
    const turns = [{ count: 1, since: "-infinity", webhook: webhook.id }]
    const fail = Effect.gen(function* () {
      yield* queue.renew(worker)
      yield* sql`UPDATE webhook_queue SET waiting = false, next_attempt_at = clock_timestamp()`
      const claims = yield* queue.claim({ turns, worker })
      yield* recordAll(
        worker,
        held,
        claims.map((claim) => ({ claim, outcome: failedWith(500) }))
      )
      return yield* sql`
        SELECT failures, waiting, next_attempt_at > clock_timestamp() AS later FROM webhook_queue WHERE webhook_id = ${webhook.id}`
    })
    for (const index of longer.keys()) {
      expect(yield* fail).toEqual([{ failures: index + 1, later: true, waiting: true }])
    }
    expect(yield* fail).toEqual([])
    expect(
      yield* sql`SELECT status, failure_reason, jsonb_array_length(attempts) AS attempts FROM webhook_log WHERE webhook_id = ${webhook.id}`
    ).toEqual([{ attempts: longer.length + 1, failure_reason: "attempts_exhausted", status: "failed" }])
  })
})

describe("concurrent failures of many endpoints", () => {
  const quiet = suite(
    Layer.provideMerge(Layer.mergeAll(Events.Default, Queue.QueueRepo.Default, RecordOutcome.Default), Server.layer)
  )

  quiet("are recorded in one transaction, and a final failure in a transaction of its own", function* () {
    const sql = yield* SqlClient.SqlClient
    const queue = yield* Queue.QueueRepo
    const { recordAll } = yield* RecordOutcome
    const webhooks = yield* Effect.replicateEffect(subscriber("http://127.0.0.1:2/", ["audit.failed"]), 5)
    yield* Effect.forEach(webhooks, ({ account }) => publishExample["audit.failed"](account))
    const worker = crypto.randomUUID()
    yield* queue.renew(worker)
    const turns = webhooks.map(({ id }) => ({ count: 1, since: "-infinity", webhook: id }))
    const claims = yield* queue.claim({ turns, worker })
    // The claim of one was lost meanwhile.
    yield* recordAll(
      worker,
      yield* Queue.make(worker),
      claims.map((claim, index) => ({
        claim: index === 1 ? { ...claim, number: claim.number + 1 } : claim,
        outcome: failedWith(index === 0 ? 410 : null)
      }))
    )
    const [queued] = yield* sql<{ transactions: number; waiting: number }>`
      SELECT count(DISTINCT xmin::text)::int AS transactions, count(*)::int AS waiting FROM webhook_queue WHERE waiting`
    expect(queued).toEqual({ transactions: 1, waiting: 3 })
    const [ended] = yield* sql<{ failed: number; failing: number }>`
      SELECT (SELECT count(*)::int FROM webhook_log WHERE failure_reason = 'webhook_deactivated') AS failed,
        (SELECT count(*)::int FROM webhooks WHERE failing_since IS NOT NULL) AS failing`
    expect(ended).toEqual({ failed: 1, failing: 4 })
  })
})

describe("a successful delivery", () => {
  it("is recorded when the disk has room again, after any number of failures, and is not sent twice", function* () {
    const sql = yield* SqlClient.SqlClient
    const target = yield* receiver(answering(200))
    const webhook = yield* subscriber(target.url)
    yield* sql`CREATE SEQUENCE refusals`
    yield* sql`
      CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM nextval('refusals');
        RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';
      END $$`
    yield* sql`CREATE TRIGGER no_room BEFORE INSERT ON webhook_log FOR EACH ROW EXECUTE FUNCTION no_room()`
    yield* publishExample["audit.failed"](webhook.account)
    // More often than a worker retries after any other failure.
    yield* until(
      sql<{ tried: number }>`SELECT last_value::int AS tried FROM refusals`,
      ([row]) => (row?.tried ?? 0) > 17
    )
    yield* sql`DROP TRIGGER no_room ON webhook_log`
    const { attempts } = yield* newestUntil(webhook, ({ status }) => status === "delivered")
    expect([attempts.length, target.received.length]).toEqual([1, 1])
  })
})
