import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { DeliveryId, purgedAtOnce, type WebhookId } from "../../../../src/features/webhooks/Domain.ts"
import { Retention } from "../../../../src/features/webhooks/deliveries/Retention.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { everyEvent, publishExample, subscribe } from "../pipeline.ts"

// Without workers only these tests deliver or remove anything. Events are kept for 30 days.
const it = suite(Layer.provideMerge(Layer.merge(Events.Default, Retention.Default), Server.layer))

const purge = Effect.flatMap(Retention, ({ purge }) => purge)

/** An account with an event that is some days old, and its deliveries to a number of webhooks. */
const published = ({ days, webhooks = 1 }: { days: number; webhooks?: number }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const made = yield* Effect.replicateEffect(subscribe(key, "http://127.0.0.1:2/", everyEvent), webhooks)
    yield* publishExample["audit.failed"](account)
    yield* sql`
      UPDATE events SET created_at = created_at - ${days} * interval '1 day' WHERE account_id = ${account}`
    return { account, key, webhooks: made }
  })

type Ended = { readonly id: WebhookId; readonly path: string }

/** Ends the delivery to a webhook some days ago, after two attempts. */
const ended = ({ id }: Ended, status: "delivered" | "failed", days: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      WITH ended AS (DELETE FROM webhook_queue WHERE webhook_id = ${id} RETURNING *)
      INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, failure_reason, attempts, created_at, finished_at)
      SELECT id, webhook_id, event_id, event_type, ${status}, ${status === "failed" ? "attempts_exhausted" : null}, jsonb_build_array(interrupted_attempt(1, 'automatic', now()), interrupted_attempt(2, 'automatic', now())),
        created_at, clock_timestamp() - ${days} * interval '1 day' FROM ended`
  )

/** The remaining rows of an account's events. */
const left = (account: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ events: number; deliveries: number; attempts: number }>`
      SELECT count(DISTINCT e.id)::int AS events, count(DISTINCT d.id)::int AS deliveries,
        coalesce(sum(jsonb_array_length(d.attempts)), 0)::int AS attempts
      FROM events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id
      WHERE e.account_id = ${account}`
    return row
  })

const nothing = { attempts: 0, deliveries: 0, events: 0 }
const whole = { attempts: 2, deliveries: 1, events: 1 }

describe("an event that is older than the retention time", () => {
  for (const status of ["delivered", "failed"] as const) {
    it(`is removed with its deliveries and attempts when all of them are ${status} for that long`, function* () {
      const { account, webhooks } = yield* published({ days: 32, webhooks: 2 })
      yield* Effect.forEach(webhooks, (webhook) => ended(webhook, status, 31))
      yield* purge
      expect(yield* left(account)).toEqual(nothing)
    })
  }

  it("is removed if it had no webhook", function* () {
    const { account } = yield* published({ days: 31, webhooks: 0 })
    yield* purge
    expect(yield* left(account)).toEqual(nothing)
  })

  it("is kept with all its deliveries while one of them waits or is being attempted", function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = yield* published({ days: 400, webhooks: 2 })
    const under = yield* published({ days: 400, webhooks: 2 })
    for (const { webhooks } of [waiting, under])
      yield* Effect.forEach(webhooks.slice(1), (w) => ended(w, "failed", 390))
    yield* sql`
      UPDATE webhook_queue SET worker = gen_random_uuid(), started_at = now(), number = 1
      WHERE webhook_id = ${under.webhooks[0]?.id ?? ""}`
    yield* purge
    expect(yield* left(waiting.account)).toEqual({ attempts: 2, deliveries: 2, events: 1 })
    expect(yield* left(under.account)).toEqual({ attempts: 3, deliveries: 2, events: 1 })
  })

  it("is kept while one of its deliveries ended later", function* () {
    const { account, webhooks } = yield* published({ days: 32, webhooks: 2 })
    yield* Effect.forEach(webhooks, (webhook, index) => ended(webhook, "failed", index === 0 ? 31 : 29))
    yield* purge
    expect(yield* left(account)).toEqual({ attempts: 4, deliveries: 2, events: 1 })
  })

  it("is kept when its delivery is resent at the same moment", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, webhooks } = yield* published({ days: 32 })
    yield* Effect.forEach(webhooks, (webhook) => ended(webhook, "failed", 31))
    yield* Effect.gen(function* () {
      yield* sql`
        WITH ended AS (DELETE FROM webhook_log WHERE webhook_id = ${webhooks[0]?.id ?? ""} RETURNING *)
        INSERT INTO webhook_queue (id, webhook_id, event_id, event_type, number, attempts, created_at)
        SELECT id, webhook_id, event_id, event_type, 2, attempts, created_at FROM ended`
      yield* Effect.promise(() => it.runtime.runPromise(purge))
    }).pipe(sql.withTransaction)
    expect(yield* left(account)).toEqual(whole)
  })
})

it("an event within the retention time is kept, with any state of its deliveries", function* () {
  const { account, webhooks } = yield* published({ days: 29 })
  yield* Effect.forEach(webhooks, (webhook) => ended(webhook, "delivered", 29))
  yield* purge
  expect(yield* left(account)).toEqual(whole)
})

it("a recovery skips events that are being removed, and continues", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, key, webhooks } = yield* published({ days: 32 })
  yield* Effect.forEach(webhooks, (webhook) => ended(webhook, "failed", 31))
  const recovering = yield* Effect.gen(function* () {
    yield* sql`DELETE FROM events WHERE account_id = ${account}`
    const fiber = it.runtime.runFork(
      Server.send("POST", `${webhooks[0]?.path}/recover`, { body: { since: "2020-01-01T00:00:00Z" }, key })
    )
    yield* Effect.repeat(sql`SELECT 1 FROM pg_locks WHERE NOT granted`, { until: (rows) => rows.length > 0 })
    return fiber
  }).pipe(sql.withTransaction)
  const { body, status } = yield* Fiber.join(recovering)
  expect({ recovered: body.data.recovered, status }).toEqual({ recovered: 0, status: 202 })
})

it("an occurrence is not published again while its event is kept", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account } = yield* Server.customer()
  const once = publishExample["ranking.dropped"](account, { occurrence: "once" })
  const aged = (days: number) =>
    sql`UPDATE events SET created_at = clock_timestamp() - ${days} * interval '1 day' WHERE account_id = ${account}`
  const [first] = yield* once.pipe(Effect.zipRight(sql`SELECT id FROM events WHERE account_id = ${account}`))
  yield* Effect.all([aged(29), purge, once])
  expect(yield* sql`SELECT id FROM events WHERE account_id = ${account}`).toEqual([{ id: first?.id }])
})

it("expired events are removed in batches, past kept ones, and two servers share the work", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, webhooks } = yield* published({ days: 32 })
  const count = purgedAtOnce * 5 + 7
  yield* sql`
      INSERT INTO events (id, account_id, type, body, created_at)
      SELECT 'evt_' || lpad(nth::text, 26, '0'), ${account}, 'audit.failed', '{}', now() - interval '40 days'
      FROM generate_series(1, ${count}) nth`
  // More than a batch, and the oldest of all, whose deliveries wait.
  yield* sql`
    INSERT INTO webhook_queue (webhook_id, event_id, event_type)
    SELECT ${webhooks[0]?.id}, id, type FROM events WHERE account_id = ${account} AND id <= ${`evt_${String(purgedAtOnce + 5).padStart(26, "0")}`}`
  const removed = yield* Effect.all([purge, purge], { concurrency: "unbounded" })
  expect(removed[0] + removed[1]).toBe(count - purgedAtOnce - 5)
  expect(yield* left(account)).toMatchObject({ deliveries: purgedAtOnce + 6, events: purgedAtOnce + 6 })
})

describe("the retention time", () => {
  const setTo = (days: string) =>
    Retention.pipe(
      Effect.provide(Layer.fresh(Retention.Default)),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_WEBHOOK_RETENTION_DAYS", days]])))
    )

  it("is configurable", function* () {
    const { account, webhooks } = yield* published({ days: 9 })
    yield* Effect.forEach(webhooks, (webhook) => ended(webhook, "delivered", 8))
    yield* Effect.flatMap(setTo("9"), ({ purge }) => purge)
    expect(yield* left(account)).toEqual(whole)
    yield* Effect.flatMap(setTo("7"), ({ purge }) => purge)
    expect(yield* left(account)).toEqual(nothing)
  })

  for (const days of ["0", "-1", "1.5", "for ever", "36501"]) {
    it(`cannot be ${days}`, () =>
      Effect.map(Effect.flip(setTo(days)), (error) =>
        expect(String(error)).toContain("FINDABLE_WEBHOOK_RETENTION_DAYS")
      ))
  }
})

it("removed events disappear from the log of the webhook", function* () {
  const sql = yield* SqlClient.SqlClient
  const { key, webhooks } = yield* published({ days: 32 })
  const path = webhooks[0]?.path ?? ""
  yield* Effect.forEach(webhooks, (webhook) => ended(webhook, "delivered", 31))
  const [delivery] = yield* sql<{
    id: string
  }>`SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhooks[0]?.id}`
  const one = `${path}/deliveries/${DeliveryId.make(delivery?.id ?? "")}`
  expect((yield* Server.send("GET", one, { key })).status).toBe(200)
  yield* purge
  expect((yield* Server.send("GET", one, { key })).status).toBe(404)
  expect((yield* Server.send("POST", `${one}/redeliver`, { key })).status).toBe(404)
  expect((yield* Server.send("GET", `${path}/deliveries`, { key })).body.data).toEqual([])
})
