import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Payload } from "../../../../src/features/webhooks/Catalogue.ts"
import { Delivery } from "../../../../src/features/webhooks/deliveries/Delivery.ts"
import * as Signature from "../../../../src/features/webhooks/signature/Signature.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { valueOf } from "../exposed.ts"
import { attempted, everyEvent, layer, passTime, publishExample, subscribe, subscriber, until } from "../pipeline.ts"
import { type Received, receiver } from "../receiver.ts"
import { acceptedBy, everybody } from "../verifiers.ts"

const it = suite(layer)

const verdictOn = (received: Received | undefined, secret: string) =>
  Effect.promise(async () => (received === undefined ? [] : acceptedBy(received, secret)))

const decode = Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })

/** Both attempts deliver the same event, byte for byte. */
const expectSameEvent = (first: Received | undefined, second: Received | undefined) => {
  expect(second?.body).toBe(first?.body ?? "")
  expect(second?.headers["service-event-id"]).toBe(first?.headers["service-event-id"] ?? "")
  expect(second?.headers["webhook-id"]).toBe(first?.headers["service-event-id"] ?? "")
}

it("a replaced secret signs for 24 hours, beside two newer ones", function* () {
  const sql = yield* SqlClient.SqlClient
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url, ["audit.completed"])
  const rotate = Effect.map(
    Server.send("POST", `${webhook.path}/rotate-secret`, { key: webhook.key }),
    ({ body }): string => body.data.secret
  )
  const second = yield* rotate
  const third = yield* rotate
  yield* publishExample["audit.completed"](webhook.account)
  const [during] = yield* target.arrived(1)
  if (during === undefined) return yield* Effect.dieMessage("nothing arrived")
  for (const secret of [third, second, webhook.secret]) {
    expect(yield* verdictOn(during, secret)).toEqual(everybody)
  }
  const timestamp = Number(during.headers["service-timestamp"])
  const secrets = [third, second, webhook.secret]
  const header = yield* Effect.promise(() => Signature.sign({ body: during.body, secrets, timestamp }))
  expect(during.headers["service-signature"]).toBe(header)
  expect(during.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44} v1,\S{44}$/)
  yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
  const [, ping] = yield* target.arrived(2)
  expect(yield* verdictOn(ping, webhook.secret)).toEqual(everybody)

  yield* sql`UPDATE webhooks SET earlier_secret_expires_at = clock_timestamp() WHERE id = ${webhook.id}`
  yield* publishExample["audit.completed"](webhook.account)
  const [, , after] = yield* target.arrived(3)
  expect(yield* verdictOn(after, third)).toEqual(everybody)
  expect(yield* verdictOn(after, second)).toEqual(everybody)
  expect(yield* verdictOn(after, webhook.secret)).toEqual([])
})

const sentOf = ({ key, path }: { readonly key: string; readonly path: string }) =>
  Effect.gen(function* () {
    const { body } = yield* Server.send("GET", `${path}/deliveries`, { key })
    const [{ id, ...listed }] = body.data
    expect(JSON.stringify(listed)).not.toContain("request")
    return (yield* Server.send("GET", `${path}/deliveries/${id}`, { key })).body.data
  })

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

describe("the request of a delivery", () => {
  for (const format of ["json", "slack", "discord", "teams"])
    it(`shows the bytes that the endpoint received in the format ${format} at the latest attempt`, function* () {
      const target = yield* receiver((_, index) => new Response("no", { status: index === 0 ? 500 : 200 }))
      const webhook = yield* subscriber(target.url, ["audit.failed"])
      yield* Server.send("PATCH", webhook.path, { body: { format }, key: webhook.key })
      yield* publishExample["audit.failed"](webhook.account)
      yield* attempted(webhook, 1)
      const [first] = yield* target.arrived(1)
      const failed = yield* sentOf(webhook)
      expect(failed.request.body).toBe(first?.body)
      expect(first?.headers).toMatchObject(lowered(failed.request.headers))
      yield* passTime
      yield* attempted(webhook, 2)
      const [, second] = yield* target.arrived(2)
      const { request, status } = yield* sentOf(webhook)
      expect([status, request.body]).toEqual(["delivered", first?.body])
      expect(second?.headers).toMatchObject(lowered(request.headers))
      const sent = { body: request.body, headers: lowered(request.headers), method: "POST", path: "/" }
      expect(yield* verdictOn(sent, webhook.secret)).toEqual(everybody)
      expect(JSON.stringify(request)).not.toContain(webhook.secret)
    })

  it("is null while nothing was sent", function* () {
    const target = yield* receiver(() => new Promise<Response>(() => {}))
    const webhook = yield* subscriber(target.url, ["audit.failed"])
    yield* publishExample["audit.failed"](webhook.account)
    yield* target.arrived(1)
    expect((yield* sentOf(webhook)).request).toBeNull()
  })
})

describe.each(everyEvent)("a %s delivery is verified by our own verifier and three others", (type) => {
  it(`${type}: on its first attempt`, function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    yield* publishExample[type](webhook.account)
    const [received] = yield* target.arrived(1)
    expect(yield* verdictOn(received, webhook.secret)).toEqual(everybody)
    const payload = yield* decode(received?.body)
    expect(payload.type).toBe(type)
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "service-event-id": payload.id,
      "service-event-type": type,
      "service-timestamp": expect.stringMatching(/^\d{10}$/)
    })
    expect(received?.method).toBe("POST")
  })

  it(`${type}: on a retry, with the same bytes and another time`, function* () {
    const target = yield* receiver((_, index) => new Response("no", { status: index === 0 ? 500 : 200 }))
    const webhook = yield* subscriber(target.url)
    yield* publishExample[type](webhook.account)
    yield* attempted(webhook, 1)
    yield* passTime
    const [first, retry] = yield* target.arrived(2)
    expectSameEvent(first, retry)
    expect(yield* verdictOn(retry, webhook.secret)).toEqual(everybody)
  })

  it(`${type}: during the rotation with both secrets, and afterwards with the new one only`, function* () {
    const sql = yield* SqlClient.SqlClient
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    const rotated = yield* Server.send("POST", `${webhook.path}/rotate-secret`, { key: webhook.key })
    yield* publishExample[type](webhook.account)
    const [during] = yield* target.arrived(1)
    expect(during?.headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(yield* verdictOn(during, rotated.body.data.secret)).toEqual(everybody)
    expect(yield* verdictOn(during, webhook.secret)).toEqual(everybody)

    yield* sql`UPDATE webhooks SET previous_secret_expires_at = clock_timestamp() WHERE id = ${webhook.id}`
    yield* publishExample[type](webhook.account)
    const [, after] = yield* target.arrived(2)
    expect(yield* verdictOn(after, rotated.body.data.secret)).toEqual(everybody)
    expect(yield* verdictOn(after, webhook.secret)).toEqual([])
  })

  it(`${type}: after a resend, which the log marks as manual`, function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    yield* publishExample[type](webhook.account)
    const delivery = yield* attempted(webhook, 1)
    const path = `${webhook.path}/deliveries/${delivery.id}`
    const asked = yield* Server.send("POST", `${path}/redeliver`, { key: webhook.key })
    expect(asked.status).toBe(202)
    expect(asked.headers.get("location")).toBe(path)
    expect(asked.body.data).toMatchObject({ id: delivery.id, status: "pending", finished_at: null })
    const [first, again] = yield* target.arrived(2)
    expectSameEvent(first, again)
    expect(yield* verdictOn(again, webhook.secret)).toEqual(everybody)
    const logged = yield* attempted(webhook, 2)
    expect(logged.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([
      [1, "automatic"],
      [2, "manual"]
    ])
  })
})

const get = (key: string, path: string) => Server.send("GET", `/api/v1${path}`, { key })

it("a webhook shows the results of its deliveries in the last day, and the time of its last success", function* () {
  const sql = yield* SqlClient.SqlClient
  let status = 200
  const target = yield* receiver(() => new Response("", { status }))
  const webhook = yield* subscriber(target.url)
  const activity = Effect.map(get(webhook.key, `/webhooks/${webhook.id}`), ({ body }) => {
    const { last_24h, last_success_at } = body.data
    return { last_24h, last_success_at }
  })
  const none = { delivered: 0, failed: 0, pending: 0 }
  expect(yield* activity).toEqual({ last_24h: none, last_success_at: null })
  yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
  expect(yield* activity).toEqual({ last_24h: none, last_success_at: null })

  yield* publishExample["audit.failed"](webhook.account)
  const accepted = yield* attempted(webhook, 1)
  yield* Server.send("POST", `${webhook.path}/test`, { body: { type: "audit.failed" }, key: webhook.key })
  const tested = yield* attempted(webhook, 1)
  expect(tested.id).not.toBe(accepted.id)
  status = 500
  yield* publishExample["backlink.lost"](webhook.account)
  yield* attempted(webhook, 1)
  expect(yield* activity).toEqual({
    last_24h: { delivered: 2, failed: 0, pending: 1 },
    last_success_at: tested.finished_at
  })
  const [listed] = (yield* get(webhook.key, "/webhooks")).body.data
  expect(listed.last_24h).toEqual({ delivered: 2, failed: 0, pending: 1 })

  yield* sql`UPDATE webhook_log SET created_at = created_at - interval '25 hours' WHERE id = ${accepted.id}`
  const patched = yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
  expect(patched.body.data.last_24h).toEqual({ delivered: 1, failed: 1, pending: 0 })
  yield* passTime
  expect((yield* activity).last_24h).toEqual({ delivered: 1, failed: 1, pending: 0 })
})

it("the deliveries of all webhooks of an account are one list, latest first, with each delivery once", function* () {
  const well = yield* receiver()
  const ill = yield* receiver(() => new Response("", { status: 500 }))
  const one = yield* subscriber(well.url)
  const two = { ...one, ...(yield* subscribe(one.key, ill.url)) }
  const stranger = yield* subscriber(well.url)
  yield* publishExample["audit.failed"](stranger.account)
  for (const type of ["audit.failed", "backlink.lost", "audit.completed"] as const) {
    yield* publishExample[type](one.account)
    yield* attempted(one, 1)
    yield* attempted(two, 1)
  }
  const list = (query: string) => get(one.key, `/deliveries?${query}`)
  const whole = (yield* list("")).body
  expect(whole.data).toHaveLength(6)
  expect(new Set(whole.data.map((row: { webhook_id: string }) => row.webhook_id))).toEqual(new Set([one.id, two.id]))
  const [own] = (yield* get(one.key, `/webhooks/${one.id}/deliveries?limit=1`)).body.data
  expect(whole.data).toContainEqual(own)

  const walked: Array<unknown> = []
  let page = (yield* list("limit=4")).body
  walked.push(...page.data)
  yield* publishExample["audit.failed"](one.account)
  while (page.meta.has_next) {
    page = (yield* list(`limit=4&cursor=${page.meta.next_cursor}`)).body
    walked.push(...page.data)
  }
  expect(walked).toEqual(whole.data)
  yield* attempted(one, 1)

  const ids = (rows: ReadonlyArray<{ webhook_id: string }>) => new Set(rows.map((row) => row.webhook_id))
  expect(ids((yield* list("status=pending")).body.data)).toEqual(new Set([two.id]))
  expect((yield* list("status=failed")).body.data).toEqual([])
  const wrong = yield* list("status=done")
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([422, "status"])
  const next = (yield* list("limit=1")).body.meta.next_cursor
  expect((yield* list(`status=failed&cursor=${next}`)).body.error.code).toBe("invalid_cursor")
})

it("a key with webhooks:read can read everything and change nothing", function* () {
  const target = yield* receiver()
  const webhook = yield* subscriber(target.url)
  yield* publishExample["audit.failed"](webhook.account)
  const { event_id, id } = yield* attempted(webhook, 1)
  const key = yield* Server.keyWith(webhook.account, ["webhooks:read"])
  const log = `/webhooks/${webhook.id}/deliveries`
  const paths = [
    "/webhooks",
    `/webhooks/${webhook.id}`,
    log,
    `${log}/${id}`,
    "/deliveries",
    "/events",
    `/events/${event_id}`,
    "/event-types"
  ]
  for (const path of paths) expect([path, (yield* get(key, path)).status]).toEqual([path, 200])
  const writes = [
    ["POST", "/webhooks"],
    ["PATCH", `/webhooks/${webhook.id}`],
    ["DELETE", `/webhooks/${webhook.id}`],
    ["POST", `/webhooks/${webhook.id}/ping`],
    ["POST", `/webhooks/${webhook.id}/recover`],
    ["POST", `/webhooks/${webhook.id}/rotate-secret`],
    ["POST", `${log}/${id}/redeliver`]
  ] as const
  for (const [method, path] of writes) {
    const { body, status } = yield* Server.send(method, `/api/v1${path}`, { key })
    expect([method, path, status, body.error.code]).toEqual([method, path, 403, "insufficient_scope"])
  }
})

/** All pages of a log, by following its links. */
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

/** A webhook with 40 deliveries of two types and two final states, a third of them created in the same microsecond. */
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
  it("shows each delivery once, latest first, for every page size", function* () {
    const { key, path } = yield* busy
    const [whole] = yield* walk(key, `${path}/deliveries?limit=100`)
    expect(whole).toHaveLength(40)
    const times = whole?.map(({ created_at, id }) => `${created_at} ${id}`) ?? []
    expect(times.toSorted().toReversed()).toEqual(times)
    for (const limit of [1, 7, 39, 40]) {
      const pages = yield* walk(key, `${path}/deliveries?limit=${limit}`)
      expect(pages.flat()).toEqual([...(whole ?? [])])
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE api_key_passes SET passes = '{}'`)
    }
  })

  it("is filtered by status and type, and by both, over several pages", function* () {
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

  it("is filtered by time and event, alone and with other filters", function* () {
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

  it("refuses a cursor of another filter or webhook", function* () {
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

  it("shows every attempt with its response, cut in the list and complete in the delivery", function* () {
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
      error: { code: "http", message: "The endpoint returned 503" },
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
    const headers = expect.objectContaining({ "content-length": String(long.length) })
    expect<unknown>(attempts[0]?.response).toEqual({ body: long, headers, truncated: false })
    expect<unknown>(attempts[1]).toEqual({ ...second, response: { ...second?.response, headers: expect.any(Object) } })
  })
})

const outcomes = Effect.all({
  delivered: valueOf('findable_webhook_attempts_total{outcome="delivered"}'),
  failed: valueOf('findable_webhook_attempts_total{outcome="failed"}'),
  retried: valueOf('findable_webhook_attempts_total{outcome="retried"}')
})

for (const [status, outcome] of [
  [204, "delivered"],
  [500, "retried"],
  [410, "failed"]
] as const) {
  it(`shows an attempt with status ${status} as ${outcome}`, function* () {
    const before = yield* outcomes
    const target = yield* receiver(() => new Response(null, { status }))
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* attempted(webhook, 1)
    // The counts are updated just after the attempt is recorded.
    yield* until(outcomes, (now) => now[outcome] > before[outcome])
    expect(yield* outcomes).toEqual({ ...before, [outcome]: before[outcome] + 1 })
  })
}
