import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { measure } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { valueOf } from "../exposed.ts"
import { publishExample, subscriber } from "../pipeline.ts"

// Without workers due deliveries stay due.
const it = suite(Layer.provideMerge(Layer.merge(Events.Default, QueueRepo.Default), Server.layer))

const lateness = Effect.zipRight(
  measure,
  Effect.all({
    failing: valueOf('findable_webhook_oldest_due_seconds{receiver="failing"}'),
    healthy: valueOf('findable_webhook_oldest_due_seconds{receiver="healthy"}')
  })
)

/** A webhook with a delivery that has been due for a number of seconds. */
const waiting = (seconds: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const webhook = yield* subscriber("http://127.0.0.1:2/")
    yield* publishExample["audit.failed"](webhook.account)
    yield* sql`
      UPDATE webhook_queue SET waiting = ${seconds} < 0, next_attempt_at = clock_timestamp() - ${seconds} * interval '1 second'
      WHERE webhook_id = ${webhook.id}`
    return webhook
  })

it("the metrics of a server show the wait of the oldest due delivery, separately for failing endpoints", function* () {
  const sql = yield* SqlClient.SqlClient
  expect(yield* lateness).toEqual({ failing: 0, healthy: 0 })
  yield* waiting(-600)
  expect(yield* lateness).toEqual({ failing: 0, healthy: 0 })
  yield* waiting(300)
  yield* waiting(100)
  const { id } = yield* waiting(1000)
  yield* sql`UPDATE webhooks SET failing_since = now() WHERE id = ${id}`
  const gone = yield* waiting(5000)
  yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${gone.id}`
  const { failing, healthy } = yield* lateness
  expect([Math.floor(healthy / 60), Math.floor(failing / 60)]).toEqual([5, 16])
})

it("a clock that is set back by a day delays no delivery by a day, for any number of workers", function* () {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* QueueRepo
  const { id } = yield* waiting(-300)
  yield* sql`
      UPDATE webhook_queue SET waits_since = clock_timestamp() + interval '1 day', next_attempt_at = next_attempt_at + interval '1 day'
      WHERE webhook_id = ${id}`
  yield* queue.setBack
  yield* queue.setBack
  const [row] = yield* sql<{ seconds: number }>`
    SELECT extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS seconds FROM webhook_queue WHERE webhook_id = ${id}`
  expect(Math.round((row?.seconds ?? 0) / 10)).toBe(30)
})

it("a delivery held by a worker that died before the clock was set back is taken over", function* () {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* QueueRepo
  const { id } = yield* waiting(1)
  const dead = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a77"
  yield* queue.renew(dead)
  yield* sql`UPDATE webhook_workers SET leased_until = leased_until + interval '1 day' WHERE id = ${dead}`
  yield* sql`UPDATE webhook_queue SET worker = ${dead}, started_at = now(), number = 1 WHERE webhook_id = ${id}`
  yield* queue.poll("")
  expect(yield* sql`SELECT worker FROM webhook_queue WHERE webhook_id = ${id}`).toEqual([{ worker: null }])
})
