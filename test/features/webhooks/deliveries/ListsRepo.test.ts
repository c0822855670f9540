import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Delivery } from "../../../../src/features/webhooks/deliveries/Delivery.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, layer, passTime, publishExample, subscriber } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const it = suite(layer)

/** All pages of a log, as the links lead through it. */
const walk = Effect.fnUntraced(function* (key: string, first: string) {
  const pages: Array<ReadonlyArray<Delivery>> = []
  let next: string | undefined = first
  while (next !== undefined) {
    const { body }: Server.Reply = yield* Server.send("GET", next, { key })
    pages.push(yield* Schema.decodeUnknown(Schema.Array(Delivery))(body.data))
    next = body.links.next
  }
  return pages
})

/** A webhook with 40 deliveries of two types and two ends, a third of them of the same microsecond. */
const busy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const webhook = yield* subscriber("http://127.0.0.1:2/", ["audit.failed", "audit.completed"])
  yield* sql`UPDATE webhooks SET is_active = false WHERE id = ${webhook.id}`
  yield* sql`
    INSERT INTO events (id, account_id, type, body, created_at)
    SELECT 'evt_' || lpad(nth::text, 26, substr(${webhook.id}, 4)), ${webhook.account},
      CASE WHEN nth % 2 = 0 THEN 'audit.failed' ELSE 'audit.completed' END, '{}', now()
    FROM generate_series(10, 49) nth`
  yield* sql`
    INSERT INTO webhook_log (id, webhook_id, event_id, event_type, attempts, status, failure_reason, finished_at, created_at)
    SELECT new_delivery_id(), ${webhook.id}, id, type, '[]', CASE WHEN place % 4 < 2 THEN 'delivered' ELSE 'failed' END,
      CASE WHEN place % 4 < 2 THEN NULL ELSE 'attempts_exhausted' END, now(),
      now() - CASE WHEN place % 3 = 0 THEN interval '1 hour' ELSE place * interval '1 second' END
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM events WHERE account_id = ${webhook.account}) e`
  return webhook
})

describe("the delivery log", () => {
  it("shows each delivery once, the newest first, whatever the page size", function* () {
    const { key, path } = yield* busy
    const [whole] = yield* walk(key, `${path}/deliveries?limit=100`)
    expect(whole).toHaveLength(40)
    const times = whole?.map(({ created_at, id }) => `${created_at} ${id}`) ?? []
    expect(times.toSorted().toReversed()).toEqual(times)
    for (const limit of [1, 7, 39, 40]) {
      const pages = yield* walk(key, `${path}/deliveries?limit=${limit}`)
      expect(pages.flat()).toEqual([...(whole ?? [])])
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE api_key_passes SET at = at - interval '1 hour'`)
    }
  })

  it("is filtered by status and type, and both, over pages", function* () {
    const { key, path } = yield* busy
    const cases = [
      ["status=failed", ({ status }: Delivery) => status === "failed"],
      ["event_type=audit.failed", ({ event_type }: Delivery) => event_type === "audit.failed"],
      [
        "status=delivered&event_type=audit.completed",
        (d: Delivery) => d.status === "delivered" && d.event_type === "audit.completed"
      ],
      ["status=pending", () => false]
    ] as const
    const [whole] = yield* walk(key, `${path}/deliveries?limit=100`)
    for (const [filter, holds] of cases) {
      const found = (yield* walk(key, `${path}/deliveries?limit=6&${filter}`)).flat()
      expect(found).toEqual(whole?.filter(holds) ?? [])
    }
  })

  it("is filtered by time and event, alone and beside the others", function* () {
    const { key, path } = yield* busy
    const [whole = []] = yield* walk(key, `${path}/deliveries?limit=100`)
    const [first, last] = [whole[5], whole[20]]
    const within = ({ created_at }: Delivery) =>
      created_at >= (last?.created_at ?? "") && created_at < (first?.created_at ?? "")
    const times = `since=${encodeURIComponent(last?.created_at ?? "")}&until=${encodeURIComponent(first?.created_at ?? "")}`
    const cases = [
      [times, within],
      [`${times}&status=failed`, (d: Delivery) => within(d) && d.status === "failed"],
      [`event_id=${first?.event_id}`, ({ id }: Delivery) => id === first?.id],
      [`event_id=${first?.event_id}&${times}`, () => false]
    ] as const
    for (const [filter, holds] of cases) {
      const found = (yield* walk(key, `${path}/deliveries?limit=6&${filter}`)).flat()
      expect(found).toEqual(whole.filter(holds))
    }
    for (const [query, field] of [
      ["event_id=evt_1", "event_id"],
      ["since=now", "since"]
    ] as const) {
      const { body, status } = yield* Server.send("GET", `${path}/deliveries?${query}`, { key })
      expect({ field: body.error?.details?.[0]?.path, status }).toEqual({ field, status: 422 })
    }
  })

  it("takes no cursor of another filter or webhook", function* () {
    const [one, other] = [yield* busy, yield* subscriber("http://127.0.0.1:2/")]
    const { body } = yield* Server.send("GET", `${one.path}/deliveries?limit=3&status=failed`, { key: one.key })
    const cursor: string = body.meta.next_cursor
    const refused = [
      [one, ""],
      [one, "&status=delivered"],
      [one, "&status=failed&event_type=audit.failed"],
      [other, "&status=failed"]
    ] as const
    for (const [{ key, path }, filter] of refused) {
      const reply = yield* Server.send("GET", `${path}/deliveries?cursor=${cursor}${filter}`, { key })
      expect({ code: reply.body.error?.code, status: reply.status }).toEqual({ code: "invalid_cursor", status: 422 })
    }
  })

  it("tells every attempt with its answer, cut in the list and whole on its own", function* () {
    const long = "x".repeat(5000)
    const target = yield* receiver((_, index) =>
      index === 0 ? new Response(long, { status: 503 }) : new Response("ok", { status: 202 })
    )
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    yield* passTime
    yield* attempted(webhook, 2)
    const { body } = yield* Server.send("GET", `${webhook.path}/deliveries`, { key: webhook.key })
    const [listed] = yield* Schema.decodeUnknown(Schema.Array(Delivery))(body.data)
    expect(listed).toMatchObject({ event_type: "audit.failed", next_attempt_at: null, status: "delivered" })
    const timings = {
      body_ms: expect.any(Number),
      dns_ms: null,
      first_byte_ms: expect.any(Number),
      tls_ms: null
    }
    const common = {
      latency_ms: expect.any(Number),
      started_at: expect.any(String),
      trigger: "automatic"
    } as const
    const [first, second] = listed?.attempts ?? []
    expect<unknown>(first).toEqual({
      ...common,
      error: { code: "http", message: "The receiver answered 503" },
      number: 1,
      response: { body: long.slice(0, 1024), truncated: true },
      timings: { ...timings, connect_ms: expect.any(Number), reused: false },
      status_code: 503
    })
    expect<unknown>(second).toEqual({
      ...common,
      error: null,
      number: 2,
      response: { body: "ok", truncated: false },
      timings: { ...timings, connect_ms: null, reused: true },
      status_code: 202
    })
    const alone = yield* Server.send("GET", `${webhook.path}/deliveries/${listed?.id}`, { key: webhook.key })
    const { attempts } = yield* Schema.decodeUnknown(Delivery)(alone.body.data)
    expect(attempts[0]?.response).toEqual({ body: long, truncated: false })
    expect(attempts[1]).toEqual(second)
  })
})
