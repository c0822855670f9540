import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../src/events/Events.ts"
import { QueueRepo } from "../../src/webhooks/deliveries/QueueRepo.ts"
import { suite } from "../harness.ts"
import * as Server from "../server.ts"
import { attempted, layer, log, passTime, publishExample, subscribe, subscriber, until } from "./pipeline.ts"
import { receiver } from "./receiver.ts"

const it = suite(layer)

/** A receiver that takes requests and never answers, for as long as the test runs. */
const blackHole = Effect.gen(function* () {
  const gate = Promise.withResolvers<void>()
  const target = yield* receiver(() => gate.promise.then(() => new Response("")))
  yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
  return target
})

describe("fairness", () => {
  it.effect("a receiver that never answers delays none of fifty others", () =>
    Effect.gen(function* () {
      const hole = yield* blackHole
      const holed = yield* subscriber(hole.url, ["audit.failed"])
      yield* Effect.replicateEffect(publishExample["audit.failed"](holed.account), 100, { discard: true })
      yield* hole.arrived(4)

      const healthy = yield* receiver()
      const customers = yield* Effect.replicateEffect(Server.customer(), 5)
      const hooks = yield* Effect.forEach(customers, ({ account, key }) =>
        Effect.map(Effect.replicateEffect(subscribe(key, healthy.url, ["audit.failed"]), 10), (webhooks) => ({
          account,
          webhooks
        }))
      )
      yield* Effect.forEach(hooks, ({ account }) =>
        Effect.replicateEffect(publishExample["audit.failed"](account), 4, { discard: true })
      )
      // Fifty webhooks with four events each, all of them there while the black hole still holds its first four.
      yield* healthy.arrived(200)
      expect(hole.received).toHaveLength(4)
      const statuses = (yield* log(holed)).map(({ status }) => status)
      expect(statuses.filter((status) => status === "delivering")).toHaveLength(4)
      expect(statuses.filter((status) => status === "pending")).toHaveLength(96)
    })
  )

  it.effect("a receiver is asked four things at once, and the next as soon as one of them is answered", () =>
    Effect.gen(function* () {
      const gate = Promise.withResolvers<void>()
      const target = yield* receiver(() => gate.promise.then(() => Bun.sleep(3)).then(() => new Response("")))
      const webhook = yield* subscriber(target.url, ["audit.failed"])
      yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 60, { discard: true })
      yield* target.arrived(4)
      gate.resolve()
      yield* target.arrived(60)
      expect(target.mostAtOnce()).toBe(4)
    })
  )

  it.effect("a receiver that is known to fail is asked one thing at a time, until it accepts one", () =>
    Effect.gen(function* () {
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
  )
})

describe("however many claim at once", () => {
  const quiet = suite(Layer.provideMerge(Layer.merge(Events.Default, QueueRepo.Default), Server.layer))

  quiet.effect(
    "a webhook has four deliveries in flight, or one when it is failing, and no delivery is claimed twice",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const queue = yield* QueueRepo
        const customers = yield* Effect.replicateEffect(subscriber("http://127.0.0.1:9/", ["audit.failed"]), 5)
        yield* Effect.forEach(customers, ({ account }) =>
          Effect.replicateEffect(publishExample["audit.failed"](account), 20, { discard: true })
        )
        const [failing] = customers
        yield* sql`UPDATE webhooks SET failing_since = clock_timestamp() WHERE id = ${failing?.id ?? ""}`
        const claim = Effect.all([
          queue.claim({ kind: "healthy", slots: 3 }),
          queue.claim({ kind: "failing", slots: 3 }),
          queue.claim({ kind: "healthy", slots: 100 })
        ])
        const claims = (yield* Effect.replicateEffect(claim, 25, { concurrency: "unbounded" })).flat(2)
        expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length)
        const inFlight = customers.map(({ id }) => claims.filter(({ webhook }) => webhook === id).length)
        expect(inFlight).toEqual([1, 4, 4, 4, 4])
      })
  )
})
