import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { backlinkLost } from "../../../src/features/backlinks/Events.ts"
import { Events } from "../../../src/features/events/Events.ts"
import { ProjectId } from "../../../src/features/projects/Domain.ts"
import { geoScoreChanged } from "../../../src/features/visibility/Events.ts"
import { type EventName, Payload } from "../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { everyEvent, publishExample, subscribe } from "../webhooks/pipeline.ts"

// Without workers published events stay in the outbox.
const it = suite(Layer.provideMerge(Events.Default, Server.layer))

const measured = {
  project_id: ProjectId.make("7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21"),
  engine: "Größe 🚀 \u0000 </script>",
  metric: "sentiment",
  previous: 0,
  current: 7,
  delta: 7,
  measured_at: DateTime.unsafeMake("2026-11-21T00:00:00Z"),
  basis: "import"
} as const

/** An account with a webhook for each list of events. */
const listener = (...lists: ReadonlyArray<ReadonlyArray<EventName>>) =>
  Effect.gen(function* () {
    const customer = yield* Server.customer()
    const webhooks = yield* Effect.forEach(lists, (events) => subscribe(customer.key, "http://127.0.0.1:2/", events))
    return { ...customer, webhooks }
  })

const eventsOf = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: string; type: string; body: string }>`SELECT * FROM events WHERE account_id = ${account}`
  )

const deliveriesOf = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ webhook_id: string; event_id: string; status: string }>`
      SELECT d.* FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.account_id = ${account}`
  )

const defectOf = <A, E>(exit: Exit.Exit<A, E>) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "")

describe("an event is published", () => {
  for (const type of everyEvent) {
    it(`as its schema defines: ${type}`, function* () {
      const { account } = yield* listener()
      yield* publishExample[type](account)
      const [event] = yield* eventsOf(account)
      const payload = yield* Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })(event?.body)
      expect(payload).toMatchObject({ id: event?.id ?? "", type })
      expect(event?.type).toBe(type)
    })
  }

  it("together with a pending delivery for each active webhook with its type, and for no other", function* () {
    const { account, key, webhooks } = yield* listener(everyEvent, ["audit.failed"], ["audit.completed"], everyEvent)
    yield* listener(everyEvent)
    yield* Server.send("PATCH", webhooks[3]?.path ?? "", { body: { is_active: false }, key })
    yield* publishExample["audit.failed"](account)
    const deliveries = yield* deliveriesOf(account)
    const expected = webhooks.slice(0, 2).map(({ id }) => id)
    expect(deliveries.map(({ webhook_id }) => webhook_id).sort()).toEqual(expected.sort())
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["pending"]))
  })

  it("without any webhook too, so that it can be recovered later", function* () {
    const { account } = yield* listener()
    yield* publishExample["audit.failed"](account)
    expect(yield* eventsOf(account)).toHaveLength(1)
    expect(yield* deliveriesOf(account)).toEqual([])
  })
})

describe("an event exists exactly when the caller's transaction commits", () => {
  it("a rollback leaves neither event nor delivery", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish } = yield* Events
    const { account } = yield* listener(everyEvent)
    const business = Effect.zipRight(publish(account, geoScoreChanged, measured), Effect.fail("no"))
    expect(yield* Effect.flip(sql.withTransaction(business))).toBe("no")
    expect(yield* eventsOf(account)).toEqual([])
    expect(yield* deliveriesOf(account)).toEqual([])
  })

  it("a savepoint that is rolled back takes its events with it, and no others", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish } = yield* Events
    const { account } = yield* listener(everyEvent)
    yield* Effect.gen(function* () {
      yield* publish(account, geoScoreChanged, { ...measured, current: 1 })
      const inner = Effect.zipRight(publish(account, geoScoreChanged, { ...measured, current: 2 }), Effect.fail("no"))
      yield* Effect.ignore(sql.withTransaction(inner))
      yield* publish(account, geoScoreChanged, { ...measured, current: 3 })
    }).pipe(sql.withTransaction)
    const bodies = (yield* eventsOf(account)).map(({ body }) => JSON.parse(body).data.current)
    expect(bodies.sort()).toEqual([1, 3])
    expect(yield* deliveriesOf(account)).toHaveLength(2)
  })

  it("nobody sees an event before the commit", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish } = yield* Events
    const { account } = yield* listener(everyEvent)
    yield* Effect.gen(function* () {
      yield* publish(account, geoScoreChanged, measured)
      const outside = Effect.provide(deliveriesOf(account), Layer.succeed(SqlClient.SqlClient, sql))
      const seen = yield* Effect.promise(() => it.runtime.runPromise(outside))
      expect(seen).toEqual([])
    }).pipe(sql.withTransaction)
    expect(yield* deliveriesOf(account)).toHaveLength(1)
  })

  it("a webhook deleted at the same moment is left out, and the transaction continues", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, webhooks } = yield* listener(everyEvent, everyEvent)
    const publishing = yield* Effect.gen(function* () {
      yield* sql`DELETE FROM webhooks WHERE id = ${webhooks[0]?.id ?? ""}`
      const fiber = yield* Effect.promise(async () => it.runtime.runFork(publishExample["audit.failed"](account)))
      const blocked = sql`SELECT 1 FROM pg_locks WHERE NOT granted`
      yield* Effect.repeat(blocked, { until: (rows) => rows.length > 0 })
      return fiber
    }).pipe(sql.withTransaction)
    yield* publishing
    expect((yield* deliveriesOf(account)).map(({ webhook_id }) => webhook_id)).toEqual([webhooks[1]?.id ?? ""])
  })

  it("publishing outside of a transaction is a defect of the caller", function* () {
    const { publish } = yield* Events
    const { account } = yield* listener(everyEvent)
    expect(defectOf(yield* Effect.exit(publish(account, geoScoreChanged, measured)))).toContain(
      "outside of a transaction"
    )
    expect(yield* eventsOf(account)).toEqual([])
  })

  it("data that violate their schema end the transaction", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish } = yield* Events
    const { account } = yield* listener(everyEvent)
    const bad = publish(account, geoScoreChanged, { ...measured, current: Number.NaN })
    expect(defectOf(yield* Effect.exit(sql.withTransaction(bad)))).toContain("current")
    expect(yield* eventsOf(account)).toEqual([])
  })
})

describe("an occurrence", () => {
  it("is published once, for any number of concurrent attempts", function* () {
    const { account } = yield* listener(everyEvent)
    const occurrence = "query=a/week=47"
    yield* Effect.replicateEffect(publishExample["ranking.dropped"](account, { occurrence }), 30, {
      concurrency: "unbounded",
      discard: true
    })
    expect(yield* eventsOf(account)).toHaveLength(1)
    expect(yield* deliveriesOf(account)).toHaveLength(1)
  })

  it("does not count for another type or account", function* () {
    const [one, other] = [yield* listener(), yield* listener()]
    const options = { occurrence: "same" }
    yield* publishExample["ranking.dropped"](one.account, options)
    yield* publishExample["ranking.climbed"](one.account, options)
    yield* publishExample["ranking.dropped"](other.account, options)
    expect(yield* eventsOf(one.account)).toHaveLength(2)
    expect(yield* eventsOf(other.account)).toHaveLength(1)
  })

  it("may happen later if it was rolled back", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish } = yield* Events
    const { account } = yield* listener()
    const told = publish(account, geoScoreChanged, measured, { occurrence: "x" })
    yield* Effect.ignore(sql.withTransaction(Effect.zipRight(told, Effect.fail("no"))))
    yield* sql.withTransaction(told)
    expect(yield* eventsOf(account)).toHaveLength(1)
  })
})

describe("a batch of events", () => {
  const batch = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      data: { ...measured, current: from + index },
      occurrence: `measured/${from + index}`
    }))

  it("is published like single events, and returns the number of new ones", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publishAll } = yield* Events
    const { account, webhooks } = yield* listener(everyEvent, ["audit.failed"], ["geo_score.changed"])
    expect(yield* sql.withTransaction(publishAll(account, geoScoreChanged, batch(0, 300)))).toBe(300)
    const events = yield* eventsOf(account)
    for (const { body, id, type } of events) {
      const payload = yield* Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })(body)
      expect(payload).toMatchObject({ id, type })
    }
    const told = events.map(({ body }) => JSON.parse(body).data)
    expect(told.map(({ current }) => current).sort((a, b) => a - b)).toEqual(Array.from(Array(300).keys()))
    expect(told[0].engine).toBe(measured.engine)
    const deliveries = yield* deliveriesOf(account)
    const of = (webhook: string) =>
      deliveries.filter(({ webhook_id }) => webhook_id === webhook).map(({ event_id }) => event_id)
    const [all, other, alike] = webhooks.map(({ id }) => of(id).sort())
    expect(all).toEqual(events.map(({ id }) => id).sort())
    expect(other).toEqual([])
    expect(alike).toEqual(all)
  })

  it("leaves out occurrences published before, or twice in the batch, and keeps events without an occurrence", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish, publishAll } = yield* Events
    const { account } = yield* listener(everyEvent)
    const told = (occurrences: Parameters<typeof batch>) => publishAll(account, geoScoreChanged, batch(...occurrences))
    yield* sql.withTransaction(publish(account, geoScoreChanged, measured, { occurrence: "measured/2" }))
    expect(yield* sql.withTransaction(told([0, 5]))).toBe(4)
    expect(yield* sql.withTransaction(told([3, 8]))).toBe(3)
    const twice = [...batch(10, 12), ...batch(11, 13), { data: measured }, { data: measured }]
    expect(yield* sql.withTransaction(publishAll(account, geoScoreChanged, twice))).toBe(5)
    expect(yield* deliveriesOf(account)).toHaveLength(13)
  })

  it("with the same occurrences as another in the opposite order waits for it", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publish, publishAll } = yield* Events
    const { account } = yield* listener()
    // Both are stopped in the middle, so that each would hold what the other needs next.
    const fibers = yield* Effect.gen(function* () {
      yield* publish(account, geoScoreChanged, measured, { occurrence: "measured/250" })
      const fibers = [batch(0, 500), batch(0, 500).reverse()].map((occurrences) =>
        it.runtime.runFork(sql.withTransaction(publishAll(account, geoScoreChanged, occurrences)))
      )
      const blocked = sql`SELECT 1 FROM pg_locks WHERE NOT granted`
      yield* Effect.repeat(blocked, { until: (rows) => rows.length === 2 })
      return fibers
    }).pipe(sql.withTransaction)
    const published = yield* Effect.forEach(fibers, Fiber.join)
    expect(published.sort((a, b) => a - b)).toEqual([0, 499])
  })

  it("may be empty", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publishAll } = yield* Events
    const { account } = yield* listener(everyEvent)
    expect(yield* sql.withTransaction(publishAll(account, geoScoreChanged, []))).toBe(0)
  })

  it("published outside of a transaction, or with an invalid event, is a defect of the caller", function* () {
    const sql = yield* SqlClient.SqlClient
    const { publishAll } = yield* Events
    const { account } = yield* listener(everyEvent)
    const outside = publishAll(account, geoScoreChanged, batch(0, 2))
    expect(defectOf(yield* Effect.exit(outside))).toContain("outside of a transaction")
    const broken = [...batch(0, 2), { data: { ...measured, current: Number.NaN } }]
    const bad = sql.withTransaction(publishAll(account, geoScoreChanged, broken))
    expect(defectOf(yield* Effect.exit(bad))).toContain("current")
    expect(yield* eventsOf(account)).toEqual([])
  })
})

it("data from the command line are validated by the same schema", function* () {
  const sql = yield* SqlClient.SqlClient
  const { publishUnknown } = yield* Events
  const { account } = yield* listener(everyEvent)
  const data = { ...geoScoreChanged.example, unknown: 1 }
  const id = yield* sql.withTransaction(publishUnknown(account, geoScoreChanged, data))
  const [event] = yield* eventsOf(account)
  expect(event?.id).toBe(id)
  expect(JSON.parse(event?.body ?? "").data).toEqual(geoScoreChanged.example)
  const wrong = sql.withTransaction(publishUnknown(account, backlinkLost, data))
  expect(String(yield* Effect.flip(wrong))).toContain("domain")
})
