import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { Events } from "../../../../src/features/events/Events.ts"
import * as FairScheduler from "../../../../src/features/webhooks/deliveries/FairScheduler.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import { RecordOutcome, RecordRepo } from "../../../../src/features/webhooks/deliveries/RecordOutcome.ts"
import { Attempts } from "../../../../src/features/webhooks/deliveries/Sender.ts"
import * as Worker from "../../../../src/features/webhooks/deliveries/Worker.ts"
import { Outages } from "../../../../src/foundation/database/Outages.ts"
import { effectWithTestClock, suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, layer, log, passTime, publishExample, subscribe, subscriber, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const it = suite(layer)

/** An endpoint that accepts requests and never responds, as long as the test runs. */
const blackHole = Effect.gen(function* () {
  const gate = Promise.withResolvers<void>()
  const target = yield* receiver(() => gate.promise.then(() => new Response("")))
  yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
  return target
})

describe("an endpoint that never responds", () => {
  it("delays none of fifty others, and receives one request", function* () {
    const hole = yield* blackHole
    const holed = yield* subscriber(hole.url, ["audit.failed"])
    yield* Effect.replicateEffect(publishExample["audit.failed"](holed.account), 100, { discard: true })
    yield* hole.arrived(1)

    const healthy = yield* receiver()
    const customers = yield* Effect.replicateEffect(Server.customer(), 5)
    const hooks = yield* Effect.forEach(customers, ({ account, key }) =>
      Effect.as(Effect.replicateEffect(subscribe(key, healthy.url, ["audit.failed"]), 10), { account })
    )
    yield* Effect.forEach(hooks, ({ account }) =>
      Effect.replicateEffect(publishExample["audit.failed"](account), 4, { discard: true })
    )
    // Fifty webhooks with four events each, all present while the hanging endpoint still holds its first.
    yield* healthy.arrived(200)
    expect(hole.received).toHaveLength(1)
    const statuses = (yield* log(holed)).map(({ status }) => status)
    expect(statuses.filter((status) => status === "delivering")).toHaveLength(1)
    expect(statuses.filter((status) => status === "pending")).toHaveLength(99)
  })
})

describe("the number of concurrent requests to an endpoint", () => {
  it("is one at first, and grows with each quick success", function* () {
    const gate = Promise.withResolvers<void>()
    const target = yield* receiver(() => gate.promise.then(() => Bun.sleep(20)).then(() => new Response("")))
    const webhook = yield* subscriber(target.url, ["audit.failed"])
    yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 100, { discard: true })
    yield* target.arrived(1)
    const first = target.mostAtOnce()
    gate.resolve()
    yield* target.arrived(100)
    expect(first).toBe(1)
    expect(target.mostAtOnce()).toBeGreaterThan(4)
  })

  it("is one while deliveries fail, until one succeeds", function* () {
    const target = yield* receiver(() => new Response("", { status: 500 }))
    const webhook = yield* subscriber(target.url, ["audit.failed"])
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    const first = target.mostAtOnce()
    yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 9, { discard: true })
    yield* target.arrived(10)
    expect([first, target.mostAtOnce()]).toEqual([1, 1])
    yield* until(log(webhook), (all) =>
      all.every(({ attempts, status }) => attempts.length === 1 && status === "pending")
    )
    target.answerWith(() => new Response(""))
    yield* passTime
    yield* until(log(webhook), (all) => all.every(({ status }) => status === "delivered"))
  })
})

describe("a delivery that the queue wrongly shows as held by a worker", () => {
  it("is due again when the worker finds that the database has crashed", function* () {
    const sql = yield* SqlClient.SqlClient
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url, ["audit.failed"])
    yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 3, { discard: true })
    const all = yield* until(
      log(webhook),
      (all) => all.length === 3 && all.every(({ status }) => status === "delivered")
    )
    // A crash loses the records of the last successes, and everything unlogged.
    const ids = all.slice(0, 2).map(({ id }) => id)
    yield* sql`
      INSERT INTO webhook_queue (id, webhook_id, event_id, event_type, number, worker, started_at, created_at)
      SELECT id, webhook_id, event_id, event_type, 1, (SELECT id FROM webhook_workers), clock_timestamp(), created_at
      FROM webhook_log WHERE id = ANY (${ids})`
    yield* sql`DELETE FROM webhook_log WHERE id = ANY (${ids})`
    yield* sql`DELETE FROM webhook_worker_marks`
    yield* target.arrived(5)
    const again = yield* until(log(webhook), (all) => all.every(({ status }) => status === "delivered"))
    expect(again.map(({ attempts }) => attempts.length).sort()).toEqual([1, 2, 2])
    expect(again.flatMap(({ attempts }) => attempts.flatMap(({ error }) => error?.code ?? []))).toEqual([
      "interrupted",
      "interrupted"
    ])
  })
})

describe("concurrent claims of any number", () => {
  const quiet = suite(Layer.provideMerge(Layer.merge(Events.Default, QueueRepo.Default), Server.layer))

  quiet("give each worker at most its requested number, no delivery twice, and none without a lock", function* () {
    const queue = yield* QueueRepo
    const customers = yield* Effect.replicateEffect(subscriber("http://127.0.0.1:2/", ["audit.failed"]), 5)
    yield* Effect.forEach(customers, ({ account }) =>
      Effect.replicateEffect(publishExample["audit.failed"](account), 20, { discard: true })
    )
    const turns = customers.map(({ id }) => ({ count: 3, since: "-infinity", webhook: id }))
    expect(yield* queue.claim({ turns, worker: crypto.randomUUID() })).toEqual([])
    const claim = Effect.gen(function* () {
      const worker = crypto.randomUUID()
      yield* queue.renew(worker)
      const claims = yield* queue.claim({ turns, worker })
      expect(
        Math.max(...customers.map(({ id }) => claims.filter(({ webhook }) => webhook === id).length))
      ).toBeLessThan(4)
      return claims
    })
    const claims = (yield* Effect.replicateEffect(claim, 25, { concurrency: "unbounded" })).flat()
    expect(claims).toHaveLength(100)
    expect(new Set(claims.map(({ id }) => id)).size).toBe(100)
  })
})

effectWithTestClock("a dispatcher without deliveries sets no timer", () =>
  Effect.gen(function* () {
    const held = { doubt: Effect.void, hold: () => {}, reconcile: Effect.void, release: () => Effect.void }
    yield* Worker.make(crypto.randomUUID(), held, FairScheduler.make({ quick: 1, slow: 1 }))
    yield* TestClock.adjust(0)
    expect(Chunk.toArray(yield* TestClock.sleeps())).toEqual([])
  }).pipe(
    Effect.provide([
      Layer.mock(Attempts, { _tag: "webhooks/deliveries/Attempts" }),
      Layer.mock(QueueRepo, { _tag: "webhooks/deliveries/QueueRepo" }),
      Layer.mock(RecordOutcome, { _tag: "webhooks/deliveries/RecordOutcome" }),
      Layer.mock(RecordRepo, { _tag: "webhooks/deliveries/RecordRepo" }),
      Layer.mock(Outages, { _tag: "database/Outages" })
    ])
  )
)

const windows = fc.record({ slow: fc.boolean(), size: fc.integer({ min: 1, max: FairScheduler.most }) })

const results = fc.record({ accepted: fc.boolean(), milliseconds: fc.integer({ min: 0, max: 15_000 }) })

test("the window of an endpoint is always within its bounds", () => {
  fc.assert(
    fc.property(fc.array(results), (all) => {
      const { size } = all.reduce(FairScheduler.after, FairScheduler.initial)
      return size >= 1 && size <= FairScheduler.most
    })
  )
})

test("a slow response or a failure never widens the window, and a quick success never narrows it", () => {
  fc.assert(
    fc.property(windows, results, (window, result) => {
      const { size, slow } = FairScheduler.after(window, result)
      const quick = result.accepted && result.milliseconds <= FairScheduler.slowAfter
      return slow === !quick && (quick ? size >= window.size : size <= window.size)
    })
  )
})

test("the window begins with one, doubles per round trip of quick successes, and is one again after six failures", () => {
  expect(FairScheduler.initial).toEqual({ size: 1, slow: false })
  const quick = { accepted: true, milliseconds: 5 }
  let window = FairScheduler.initial
  for (const expected of [2, 4, 8, 16, 32, 64, 64]) {
    window = Array.from({ length: window.size }, () => quick).reduce(FairScheduler.after, window)
    expect(window.size).toBe(expected)
  }
  const failure = { accepted: false, milliseconds: 5 }
  expect(Array.from({ length: 6 }, () => failure).reduce(FairScheduler.after, window)).toEqual({
    size: 1,
    slow: true
  })
})
