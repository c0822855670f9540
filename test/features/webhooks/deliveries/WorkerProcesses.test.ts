import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { databaseUrl } from "../../../cluster.ts"
import { suite } from "../../../harness.ts"
import { program } from "../../../programs.ts"
import * as Server from "../../../server.ts"
import { log, publishExample, subscriber, until } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const it = suite(Layer.provideMerge(Layer.merge(ListsRepo.Default, Events.Default), Server.layer))

/** A worker node: a process of its own. */
const worker = Effect.gen(function* () {
  const url = yield* databaseUrl
  return yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, program("main")], {
        env: {
          ...process.env,
          ...Server.settings,
          DATABASE_URL: url,
          FINDABLE_LOG_LEVEL: "error",
          FINDABLE_ROLE: "worker"
        },
        stderr: "inherit",
        stdout: "ignore"
      })
    ),
    (child) =>
      Effect.promise(() => {
        child.kill("SIGKILL")
        return child.exited
      })
  )
})

describe("worker processes", () => {
  it("that are killed with kill -9 in the middle of their work lose nothing; one that is told to stop ends what it has begun", function* () {
    const sql = yield* SqlClient.SqlClient
    const gate = Promise.withResolvers<void>()
    yield* Effect.addFinalizer(() => Effect.sync(() => gate.resolve()))
    const target = yield* receiver(async (_, index) => {
      await (index < 3 ? gate.promise : Bun.sleep(index % 7))
      return new Response("")
    })
    const webhook = yield* subscriber(target.url, ["audit.failed"])
    yield* Effect.replicateEffect(publishExample["audit.failed"](webhook.account), 60, { discard: true })

    const expire = sql`UPDATE webhook_workers SET leased_until = '-infinity'`
    // Each of three takes a delivery, which the receiver has got and not answered, and dies with it.
    for (const taken of [1, 2, 3]) {
      const child = yield* worker
      yield* target.arrived(taken)
      child.kill("SIGKILL")
      yield* Effect.promise(() => child.exited)
      yield* expire
    }
    gate.resolve()
    const last = yield* worker
    yield* target.arrived(30)
    last.kill("SIGTERM")
    expect(yield* Effect.promise(() => last.exited)).toBe(0)
    const stopped = yield* log(webhook)
    expect(stopped.filter(({ status }) => status === "delivering")).toEqual([])
    const delivered = stopped.filter(({ status }) => status === "delivered").length
    expect(target.received).toHaveLength(3 + delivered)

    yield* worker
    const all = yield* until(log(webhook), (all) => all.every(({ status }) => status === "delivered"))
    expect(all).toHaveLength(60)
    const receptions = Map.groupBy(target.received, ({ headers }) => headers["service-event-id"])
    expect(receptions.size).toBe(60)
    expect(target.received).toHaveLength(63)
    const interrupted = all.flatMap(({ attempts }) => attempts).filter(({ error }) => error?.code === "interrupted")
    expect(interrupted).toHaveLength(3)
  })
})
