import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import { catalogue } from "../../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { everyEvent, publishExample } from "../pipeline.ts"

// No workers and no webhooks: events are there all the same.
const it = suite(Layer.provideMerge(Events.Default, Server.layer))

const get = (key: string, path: string) => Server.send("GET", `/api/v1${path}`, { key })

/** An account to which each event happened once, an hour apart. */
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
  it("are listed, the newest first, page by page", function* () {
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

  it("are narrowed by type and time", function* () {
    const { key } = yield* eventful
    const typesOf = (query: string) =>
      Effect.map(get(key, `/events?${query}`), ({ body }) => body.data.map(({ type }: { type: string }) => type))
    expect(yield* typesOf("type=backlink.lost")).toEqual(["backlink.lost"])
    const within = "since=2026-11-21T02:00:00Z&until=2026-11-21T04:00:00Z"
    expect(yield* typesOf(within)).toEqual(everyEvent.slice(1, 3).toReversed())
    expect(yield* typesOf(`${within}&type=backlink.lost`)).toEqual([])
  })

  it("are read one by one, by nobody else", function* () {
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

  it("need webhooks:manage, and filters that are right", function* () {
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

it("every type is shown with what it means, its schema and an example", function* () {
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
