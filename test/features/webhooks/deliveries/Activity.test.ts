import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, layer, passTime, publishExample, subscribe, subscriber } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const it = suite(layer)

const get = (key: string, path: string) => Server.send("GET", `/api/v1${path}`, { key })

it("a webhook says what became of its deliveries of the last day, and when it last accepted one", function* () {
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

it("the deliveries of all webhooks of an account are one list, the newest first, walked once", function* () {
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

  const ids = (rows: ReadonlyArray<{ webhook_id: string }>) => new Set(rows.map((row) => row.webhook_id))
  expect(ids((yield* list("status=pending")).body.data)).toEqual(new Set([two.id]))
  expect((yield* list("status=failed")).body.data).toEqual([])
  const wrong = yield* list("status=done")
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([422, "status"])
  const next = (yield* list("limit=1")).body.meta.next_cursor
  expect((yield* list(`status=failed&cursor=${next}`)).body.error.code).toBe("invalid_cursor")
})

it("a key with webhooks:read reads all of it and changes nothing", function* () {
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
