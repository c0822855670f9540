import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../src/events/Events.ts"
import * as Metrics from "../../../src/webhooks/deliveries/Metrics.ts"
import { QueueRepo } from "../../../src/webhooks/deliveries/QueueRepo.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { valueOf } from "../exposed.ts"
import { publishExample, subscriber } from "../pipeline.ts"

// No workers: what is due stays due.
const it = suite(Layer.provideMerge(Layer.merge(Events.Default, QueueRepo.Default), Server.layer))

const lateness = Effect.zipRight(
  Metrics.measure,
  Effect.all({
    failing: valueOf('findable_webhook_oldest_due_seconds{receiver="failing"}'),
    healthy: valueOf('findable_webhook_oldest_due_seconds{receiver="healthy"}')
  })
)

/** A subscription with a delivery that is due since so many seconds. */
const waiting = (seconds: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const webhook = yield* subscriber("http://127.0.0.1:9/")
    yield* publishExample["audit.failed"](webhook.account)
    yield* sql`
      UPDATE webhook_queue SET waiting = ${seconds} < 0, next_attempt_at = clock_timestamp() - ${seconds} * interval '1 second'
      WHERE webhook_id = ${webhook.id}`
    return webhook
  })

it.effect("the node exposes for how long the oldest due delivery has waited, failing receivers apart", () =>
  Effect.gen(function* () {
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
)
