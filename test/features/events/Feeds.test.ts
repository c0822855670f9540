import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { Events } from "../../../src/features/events/Events.ts"
import { Feeds } from "../../../src/features/events/Feeds.ts"
import { interventionDeployed } from "../../../src/features/interventions/Events.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

/** Publishes an event with that summary; returns its id. */
const publish = (account: AccountId, summary: string) =>
  Effect.gen(function* () {
    const { publishUnknown } = yield* Events
    const sql = yield* SqlClient.SqlClient
    const data = { ...interventionDeployed.example, summary }
    return (yield* sql.withTransaction(publishUnknown(account, interventionDeployed, data))) ?? "none"
  })

/** Waits until a feed is registered: events from then on are kept for it. */
const known = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM event_feeds WHERE name = ${name}`.pipe(
      Effect.filterOrFail((rows) => rows.length === 1),
      Effect.retry(Schedule.spaced("10 millis"))
    )
  )

/** Follows a feed, and puts the ids of its events into a queue. */
const following = (name: string, options?: { readonly from: "now" | "oldest" }) =>
  Effect.gen(function* () {
    const feeds = yield* Feeds
    const seen = yield* Queue.unbounded<string>()
    const fiber = yield* Effect.forkScoped(feeds.follow(name, ({ id }) => Queue.offer(seen, id), options))
    yield* known(name)
    return { fiber, seen }
  })

/** Waits until a feed has no unread events. */
const read = (name: string) =>
  left(name).pipe(
    Effect.filterOrFail((count) => count === 0),
    Effect.retry(Schedule.spaced("10 millis"))
  )

/** Unread entries of a feed. */
const left = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM event_feed_queue WHERE feed = ${name}`
    return row?.count
  })

const it = suite(Layer.provideMerge(Layer.merge(Events.Default, Feeds.Default), Server.layer))

class Full extends Data.TaggedError("Full") {}

describe("a feed of events in a program", () => {
  it("passes on every event of all accounts in order, as soon as it is committed", function* () {
    const feeds = yield* Feeds
    const [one, other] = yield* Effect.all([Server.customer(), Server.customer()])
    const seen = yield* Queue.unbounded<unknown>()
    yield* Effect.forkScoped(feeds.follow("in-order", (event) => Queue.offer(seen, event)))
    yield* known("in-order")
    const { seen: beside } = yield* following("beside")
    const first = yield* publish(one.account, "first")
    const second = yield* publish(other.account, "second")
    expect([yield* Queue.take(beside), yield* Queue.take(beside)]).toEqual([first, second])
    expect(yield* Queue.take(seen)).toMatchObject({
      account: one.account,
      data: { ...interventionDeployed.example, summary: "first" },
      id: first,
      type: "intervention.deployed"
    })
  })

  it("misses no event whose transaction commits after that of a later one", function* () {
    const { account } = yield* Server.customer()
    const { seen } = yield* following("late")
    const sql = yield* SqlClient.SqlClient
    const { publishUnknown } = yield* Events
    const written = yield* Deferred.make<string>()
    const goOn = yield* Deferred.make<void>()
    const slow = yield* publishUnknown(account, interventionDeployed, interventionDeployed.example).pipe(
      Effect.tap((id) => Deferred.succeed(written, id ?? "none")),
      Effect.zipLeft(Deferred.await(goOn)),
      sql.withTransaction,
      Effect.fork
    )
    const earlier = yield* Deferred.await(written)
    const later = yield* publish(account, "later")
    expect(yield* Queue.take(seen)).toBe(later)
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(slow)
    expect(yield* Queue.take(seen)).toBe(earlier)
  })

  it("continues under its name at its last position, or begins with the oldest event on request", function* () {
    const { account } = yield* Server.customer()
    const first = yield* publish(account, "before any feed")
    const { fiber } = yield* following("from-now")
    yield* Fiber.interrupt(fiber)
    const second = yield* publish(account, "while it is away")
    const { seen } = yield* following("from-now")
    expect(yield* Queue.take(seen)).toBe(second)
    const { seen: all } = yield* following("from-oldest", { from: "oldest" })
    const taken = yield* Stream.fromQueue(all).pipe(
      Stream.takeUntil((id) => id === second),
      Stream.runCollect
    )
    expect(Chunk.toReadonlyArray(taken).filter((id) => id === first || id === second)).toEqual([first, second])
  })

  it("commits the writes of its program exactly once, and stays at an event that fails", function* () {
    const feeds = yield* Feeds
    const sql = yield* SqlClient.SqlClient
    const { account } = yield* Server.customer()
    yield* sql`CREATE TABLE invoices (event text PRIMARY KEY)`
    const { fiber } = yield* following("billing")
    yield* Fiber.interrupt(fiber)
    const event = yield* publish(account, "billed")
    const bill = feeds.follow("billing", ({ id }) =>
      Effect.zipRight(sql`INSERT INTO invoices (event) VALUES (${id})`, new Full())
    )
    expect(yield* Effect.flip(bill)).toMatchObject({ _tag: "Full" })
    expect([yield* sql`SELECT FROM invoices`, yield* left("billing")]).toEqual([[], 1])
    yield* Effect.forkScoped(
      feeds.follow("billing", ({ id }) => Effect.orDie(sql`INSERT INTO invoices (event) VALUES (${id})`))
    )
    const billed = yield* sql`SELECT event FROM invoices`.pipe(
      Effect.filterOrFail((rows) => rows.length > 0),
      Effect.retry(Schedule.spaced("10 millis"))
    )
    expect([billed, yield* left("billing")]).toEqual([[{ event }], 0])
  })

  it("is read by one of several processes at a time, each event once", function* () {
    const { account } = yield* Server.customer()
    const readers = yield* Effect.replicateEffect(following("shared"), 12)
    const events = yield* Effect.forEach(Array.from({ length: 20 }), (_, at) => publish(account, `${at}`))
    yield* read("shared")
    const all = yield* Effect.forEach(readers, ({ seen }) => Queue.takeAll(seen))
    expect(all.flatMap(Chunk.toReadonlyArray).toSorted()).toEqual(events.toSorted())
  })

  it("continues after its connections are lost", function* () {
    const { account } = yield* Server.customer()
    const { fiber, seen } = yield* following("lost")
    const sql = yield* SqlClient.SqlClient
    const first = yield* publish(account, "before")
    expect(yield* Queue.take(seen)).toBe(first)
    yield* read("lost")
    yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    const second = yield* publish(account, "after").pipe(Effect.sandbox, Effect.retry({ times: 20 }))
    expect(yield* Queue.take(seen)).toBe(second)
    expect(yield* Fiber.poll(fiber)).toMatchObject({ _tag: "None" })
  })

  it("passes an event on again if the connection was lost while it was handled", function* () {
    const feeds = yield* Feeds
    const sql = yield* SqlClient.SqlClient
    const { account } = yield* Server.customer()
    const { fiber } = yield* following("again")
    yield* Fiber.interrupt(fiber)
    const event = yield* publish(account, "again")
    const tries = yield* Queue.unbounded<string>()
    yield* Effect.forkScoped(
      feeds.follow("again", ({ id }) =>
        Effect.gen(function* () {
          const before = yield* Queue.size(tries)
          yield* Queue.offer(tries, id)
          if (before === 0) yield* sql`SELECT pg_terminate_backend(pg_backend_pid())`
        })
      )
    )
    yield* read("again")
    expect(Chunk.toReadonlyArray(yield* Queue.takeAll(tries))).toEqual([event, event])
  })

  it("is removed with its unread events", function* () {
    const feeds = yield* Feeds
    const { account } = yield* Server.customer()
    const { fiber } = yield* following("gone")
    yield* Fiber.interrupt(fiber)
    yield* publish(account, "unread")
    yield* feeds.remove("gone")
    expect(yield* left("gone")).toBe(0)
  })
})
