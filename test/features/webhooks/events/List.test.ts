import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { backlinkLost } from "../../../../src/features/backlinks/Events.ts"
import { Events } from "../../../../src/features/events/Events.ts"
import { catalogue } from "../../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { everyEvent, publishExample } from "../pipeline.ts"

// Events exist without workers and webhooks.
const it = suite(Layer.provideMerge(Events.Default, Server.layer))

const get = (key: string, path: string) => Server.send("GET", `/api/v1${path}`, { key })

/** An account with each event once, an hour apart. */
const eventful = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customer = yield* Server.customer()
  for (const type of everyEvent) yield* publishExample[type](customer.account)
  yield* sql`
    UPDATE events SET created_at = '2026-11-21T00:00:00Z'::timestamptz + place * interval '1 hour'
    FROM (SELECT id, array_position(${everyEvent}::text[], type) AS place FROM events WHERE account_id = ${customer.account}) AS placed
    WHERE events.id = placed.id`
  return customer
})

describe("the events of an account", () => {
  it("are listed latest first, page by page", function* () {
    const { key } = yield* eventful
    yield* eventful
    const whole = (yield* get(key, "/events?limit=100")).body.data
    expect(whole.map(({ type }: { type: string }) => type)).toEqual(everyEvent.toReversed())
    let next: string | undefined = "/api/v1/events?limit=3"
    const walked: Array<unknown> = []
    while (next !== undefined) {
      const { body }: Server.Reply = yield* Server.send("GET", next, { key })
      walked.push(...body.data)
      next = body.links.next
    }
    expect(walked).toEqual(whole)
  })

  it("are filtered by type and time", function* () {
    const { key } = yield* eventful
    const typesOf = (query: string) =>
      Effect.map(get(key, `/events?${query}`), ({ body }) => body.data.map(({ type }: { type: string }) => type))
    expect(yield* typesOf("type=backlink.lost")).toEqual(["backlink.lost"])
    const within = "since=2026-11-21T02:00:00Z&until=2026-11-21T04:00:00Z"
    expect(yield* typesOf(within)).toEqual(everyEvent.slice(1, 3).toReversed())
    expect(yield* typesOf(`${within}&type=backlink.lost`)).toEqual([])
  })

  it("are filtered by the site that they name, alone and with a type", function* () {
    const { account, key } = yield* eventful
    const site = "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21"
    const of = (query: string) => Effect.map(get(key, `/events?limit=100&${query}`), ({ body }) => body.data)
    const all: ReadonlyArray<{ readonly data: Readonly<Record<string, unknown>> }> = yield* of("")
    const named = all.filter(({ data }) => [data.project_id, data.site_id].includes(site))
    expect(named.length).toBeGreaterThan(8)
    expect(named.length).toBeLessThan(all.length)
    expect(yield* of(`project_id=${site}`)).toEqual(named)
    expect(yield* of(`project_id=${site}&order=asc`)).toHaveLength(named.length)
    expect(yield* of(`project_id=${site}&type=backlink.lost`)).toHaveLength(1)
    expect(yield* of(`project_id=${site}&type=webhook.deactivated`)).toEqual([])
    const { id } = yield* Server.projectOf(account)
    expect(yield* of(`project_id=${id}`)).toEqual([])
    const wrong = yield* get(key, "/events?project_id=shop")
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([422, "project_id"])
  })

  it("are exported as a whole, the latest first, with the filters of a page", function* () {
    const { key } = yield* eventful
    const as = (accept: string, query: string) =>
      Server.send("GET", `/api/v1/events?${query}`, { headers: { accept }, key })
    const { body: page } = yield* get(key, "/events?limit=100")
    const { body } = yield* as("application/x-ndjson", "limit=1")
    const lines = String(body).trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toEqual(page.data)
    const table = yield* as("text/csv", "type=backlink.lost")
    expect(table.body).toStartWith("id,type,created_at,data\r\nevt_")
    expect(String(table.body).trimEnd().split("\r\n")).toHaveLength(2)
    const wrong = yield* as("text/csv", "order=asc")
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([422, "order"])
  })

  it("can be read one by one, by their account only", function* () {
    const { key } = yield* eventful
    const [event] = (yield* get(key, "/events?limit=1")).body.data
    expect((yield* get(key, `/events/${event.id}`)).body.data).toEqual(event)
    const { body } = yield* get(key, "/event-types")
    const kind = body.data.find(({ name }: { name: string }) => name === event.type)
    expect(event.data).toEqual(kind.example.data)
    const stranger = yield* Server.customer()
    for (const [asking, id] of [
      [stranger.key, event.id],
      [key, "evt_00000000000000000000000000"],
      [key, "nonsense"]
    ] as const) {
      const reply = yield* get(asking, `/events/${id}`)
      expect({ code: reply.body.error?.code, status: reply.status }).toEqual({ code: "not_found", status: 404 })
    }
  })

  it("need webhooks:manage and valid filters", function* () {
    const { account, key } = yield* Server.customer()
    const weak = yield* Server.keyWith(account, ["projects:read"])
    for (const path of ["/events", "/events/evt_1", "/event-types"])
      expect((yield* get(weak, path)).body.error?.code).toBe("insufficient_scope")
    for (const [query, path] of [
      ["type=webhook.ping", "type"],
      ["since=yesterday", "since"],
      ["until=2026-13-01T00:00:00Z", "until"]
    ] as const) {
      const { body, status } = yield* get(key, `/events?${query}`)
      expect({ path: body.error?.details?.[0]?.path, status }).toEqual({ path, status: 422 })
    }
  })
})

it("every event type is listed with its description, its schema and an example", function* () {
  const { key } = yield* Server.customer()
  const { body, status } = yield* get(key, "/event-types")
  expect(status).toBe(200)
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(catalogue.map(({ type }) => type))
  for (const { example, name, schema, subscribable } of body.data) {
    expect({ name, subscribable }).toEqual({ name, subscribable: name !== "webhook.ping" })
    expect(schema).toMatchObject({ properties: { type: { enum: [name] } }, type: "object" })
    expect(schema.required).toEqual(["id", "type", "created_at", "data"])
    expect(example.type).toBe(name)
    // Self-contained: every reference leads to a definition in the same schema.
    const references = JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)
    for (const [, definition = ""] of references) expect(schema.$defs).toHaveProperty([definition])
  }
})

const listed = (key: string, query: string, headers = {}) =>
  Server.send("GET", `/api/v1/events?${query}`, { headers, key })

const idsOf = ({ body }: Server.Reply): ReadonlyArray<string> => body.data.map(({ id }: { id: string }) => id)

/** Publishes an event in a transaction that commits on demand. */
const publishLate = (account: AccountId, commit: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const events = yield* Events
    const data = yield* Effect.orDie(Schema.decodeUnknown(backlinkLost.data)(backlinkLost.example))
    yield* sql.withTransaction(Effect.zipRight(events.publish(account, backlinkLost, data), commit))
  })

/** Reads on from an event like a reader, a few at a time, to the end; returns the ids in order. */
const walk = (
  key: string,
  after: string | undefined,
  limit = 7
): Effect.Effect<ReadonlyArray<string>, never, Server.TestServer> =>
  Effect.gen(function* () {
    const ids = idsOf(yield* listed(key, `order=asc&limit=${limit}${after === undefined ? "" : `&after=${after}`}`))
    const last = ids.at(-1)
    return last === undefined ? [] : [...ids, ...(yield* walk(key, last, limit))]
  })

describe("events in commit order", () => {
  it("are listed oldest first, by pages and after an event", function* () {
    const { account, key } = yield* Server.customer()
    for (const type of everyEvent) yield* publishExample[type](account)
    const whole = idsOf(yield* listed(key, "order=asc&limit=100"))
    expect(whole).toEqual(idsOf(yield* listed(key, "limit=100")).toReversed())
    expect(yield* walk(key, undefined)).toEqual(whole)
    let next: string | undefined = `/api/v1/events?after=${whole[1]}&limit=4`
    const walked: Array<string> = []
    while (next !== undefined) {
      const reply: Server.Reply = yield* Server.send("GET", next, { key })
      expect(reply.body.meta.has_next).toBe(reply.body.links.next !== undefined)
      walked.push(...idsOf(reply))
      next = reply.body.links.next
    }
    expect(walked).toEqual(whole.slice(2))
  })

  it("are missed by no reader, even if an older event is committed later", function* () {
    const { account, key } = yield* Server.customer()
    const commit = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const late = yield* Effect.fork(
      publishLate(account, Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(commit)))
    )
    yield* Deferred.await(begun)
    yield* publishExample["audit.failed"](account)
    const [first = ""] = idsOf(yield* listed(key, "order=asc"))
    expect(yield* walk(key, first)).toEqual([])
    yield* Deferred.succeed(commit, undefined)
    yield* Fiber.join(late)
    const rest = yield* walk(key, first)
    expect(rest).toHaveLength(1)
    // The event is the older of the two, and is listed after the one seen before.
    expect(idsOf(yield* listed(key, ""))).toEqual([first, ...rest])
    expect(idsOf(yield* listed(key, "order=asc"))).toEqual([first, ...rest])
  })

  it("are all seen once when two hundred are committed concurrently in another order", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const seen: Array<string> = []
    const reader = Effect.gen(function* () {
      const ids = yield* Effect.suspend(() => walk(key, seen.at(-1), 40))
      seen.push(...ids)
      return seen.length
    })
    const writers = Effect.forEach(
      Array.from({ length: 200 }, (_, place) => place),
      // Later transactions wait less, so that ids and times are stored out of order.
      (place) => publishLate(account, Effect.sleep(`${(place * 37) % 100} millis`)),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.all([writers, until(reader, (count) => count >= 200, "100 millis")], { concurrency: 2 })
    const stored = yield* sql<{
      id: string
    }>`SELECT id FROM events WHERE account_id = ${account} ORDER BY created_at, id`
    expect(new Set(seen).size).toBe(200)
    expect(seen.toSorted()).toEqual(stored.map(({ id }) => id).toSorted())
    expect(yield* walk(key, undefined, 100)).toEqual(seen)
  })

  it("are filtered by several types", function* () {
    const { account, key } = yield* Server.customer()
    for (const type of everyEvent) yield* publishExample[type](account)
    const typesOf = ({ body }: Server.Reply) => body.data.map(({ type }: { type: string }) => type)
    const asked = "type=backlink.lost,audit.completed"
    expect(typesOf(yield* listed(key, `order=asc&${asked}`))).toEqual(["audit.completed", "backlink.lost"])
    expect(typesOf(yield* listed(key, asked))).toEqual(["backlink.lost", "audit.completed"])
    const first = yield* listed(key, `order=asc&${asked}&limit=1`)
    expect(typesOf(yield* Server.send("GET", first.body.links.next, { key }))).toEqual(["backlink.lost"])
  })

  it("are refused with the name of a wrong parameter", function* () {
    const { account, key } = yield* Server.customer()
    const stranger = yield* Server.customer()
    for (const owner of [account, stranger.account, account]) yield* publishExample["audit.failed"](owner)
    const [own = ""] = idsOf(yield* listed(key, "order=asc"))
    const [foreign = ""] = idsOf(yield* listed(stranger.key, "order=asc"))
    const { next_cursor: cursor } = (yield* listed(key, "order=asc&limit=1")).body.meta
    for (const [query, code, path] of [
      [`after=${own}&cursor=${cursor}`, "validation_error", "cursor"],
      [`after=${own}&order=desc`, "validation_error", "order"],
      ["order=up", "validation_error", "order"],
      ["after=evt_1", "validation_error", "after"],
      ["type=audit.failed,nonsense", "validation_error", "type"],
      [`after=${foreign}`, "invalid_cursor", undefined],
      ["after=evt_00000000000000000000000000", "invalid_cursor", undefined],
      [`cursor=${cursor}`, "invalid_cursor", undefined]
    ] as const) {
      const { body, status } = yield* listed(key, query)
      expect({ code: body.error?.code, path: body.error?.details?.[0]?.path, query, status }).toEqual({
        code,
        path,
        query,
        status: 422
      })
    }
  })
})

describe("a request that prefers to wait", () => {
  it("is answered immediately if there are events", function* () {
    const { account, key } = yield* Server.customer()
    yield* publishExample["audit.failed"](account)
    const reply = yield* listed(key, "order=asc", { prefer: "wait=50" })
    expect(idsOf(reply)).toHaveLength(1)
    expect(reply.headers.get("preference-applied")).toBeNull()
  })

  it("is answered when the next event is committed, and uses no database connection meanwhile", function* () {
    const { account, key } = yield* Server.customer()
    yield* publishExample["audit.failed"](account)
    const [first = ""] = idsOf(yield* listed(key, "order=asc"))
    // More than the connections of the pool.
    const waiting = yield* Effect.fork(
      Effect.forEach(Array.from({ length: 30 }), () => listed(key, `after=${first}`, { prefer: "wait=50" }), {
        concurrency: "unbounded"
      })
    )
    yield* publishExample["backlink.lost"](account)
    for (const reply of yield* Fiber.join(waiting)) {
      expect(reply.body.data).toMatchObject([{ type: "backlink.lost" }])
    }
  })

  it("is answered with an empty list when its time is over", function* () {
    const { key } = yield* Server.customer()
    const reply = yield* listed(key, "order=asc", { prefer: "wait=1" })
    expect(idsOf(reply)).toEqual([])
    expect(reply.headers.get("preference-applied")).toBe("wait=1")
  })
})
