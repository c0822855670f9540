import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Events } from "../../../../src/features/events/Events.ts"
import type { EventName } from "../../../../src/features/webhooks/Catalogue.ts"
import { WebhookId } from "../../../../src/features/webhooks/Domain.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, newestUntil, passTime, publishExample } from "../pipeline.ts"
import { type Answer, receiver } from "../receiver.ts"
import { acceptedBy, everybody } from "../verifiers.ts"
import { type Service, taking } from "./services.ts"

const base = "https://findable.example"

const it = suite(
  Layer.provideMerge(
    Layer.merge(ListsRepo.Default, Events.Default),
    Server.workersWith({ FINDABLE_PUBLIC_URL: `${base}/` })
  )
)

/** A customer whose webhook has a format, with such a chat service. */
const chatting = (format: Service | undefined, answer?: Answer, events: ReadonlyArray<EventName> = ["audit.failed"]) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const target = yield* receiver(answer ?? (format === undefined ? undefined : taking(format)))
    const body = { events, url: target.url, ...(format === undefined ? {} : { format }) }
    const made = yield* Server.send("POST", "/api/v1/webhooks", { body, key })
    expect(made.status).toBe(201)
    const id = WebhookId.make(made.body.data.id)
    const send = (method: string, path: string, body?: unknown) =>
      Server.send(method, `/api/v1/webhooks/${id}${path}`, { body, key })
    const genuine = (index: number) =>
      Effect.promise(async () => {
        const received = target.received[index]
        return received === undefined ? [] : acceptedBy(received, made.body.data.secret)
      })
    return { account, genuine, id, made: made.body.data, send, target }
  })

describe("the format of a webhook", () => {
  it("is json by default, can be read and changed, and an unknown one is refused by name", function* () {
    const { made, send } = yield* chatting(undefined)
    expect(made.format).toBe("json")
    expect((yield* send("PATCH", "", { format: "teams" })).body.data.format).toBe("teams")
    expect((yield* send("PATCH", "", { description: "x" })).body.data.format).toBe("teams")
    const { body, status } = yield* send("PATCH", "", { format: "Slack" })
    expect([status, body.error.details]).toEqual([
      422,
      [{ message: "must be one of json, slack, discord, teams", path: "format" }]
    ])
  })
})

describe.each(["slack", "discord", "teams"] as const)("%s", (format) => {
  it("applies to events, pings and test deliveries, which are signed and have a link", function* () {
    const { account, genuine, id, send, target } = yield* chatting(format)
    yield* publishExample["audit.failed"](account)
    const delivered = yield* attempted({ id }, 1)
    expect(delivered).toMatchObject({ format, status: "delivered" })
    const ping = yield* send("POST", "/ping", { verify_rejection: true })
    // The service does not check the signature.
    expect(ping.body.data).toMatchObject({ delivered: true, rejects_forgery: false, signature_verified: true })
    const tested = yield* send("POST", "/test", { type: "site_health.score_dropped" })
    expect(tested.body.data).toMatchObject({ format, test: true })
    const [event, first, , last] = yield* target.arrived(4)
    expect([event, first, last].map((received) => received?.body)).toEqual([
      expect.stringContaining("Audit failed"),
      expect.stringContaining("Ping from Findable"),
      expect.stringContaining("Test: Site health score dropped")
    ])
    for (const { body } of target.received) expect(body).toContain(`${base}/console#/`)
    for (const index of [0, 1, 3]) expect(yield* genuine(index)).toEqual(everybody)
  })

  it("stays the same for all attempts and resends of a delivery, even if the webhook is changed", function* () {
    const { account, id, send, target } = yield* chatting(format, (_, index) =>
      index === 0 ? new Response("", { status: 500 }) : new Response("")
    )
    yield* publishExample["audit.failed"](account)
    const { id: delivery } = yield* attempted({ id }, 1)
    yield* send("PATCH", "", { format: "json" })
    yield* passTime
    expect(yield* attempted({ id }, 2)).toMatchObject({ format, status: "delivered" })
    yield* send("POST", `/deliveries/${delivery}/redeliver`)
    const again = yield* attempted({ id }, 3)
    expect(again).toMatchObject({ format, id: delivery, status: "delivered" })
    const [first, ...others] = target.received.map(({ body }) => body)
    expect<unknown>(others).toEqual([first, first])
    // Deliveries queued later have the new format.
    yield* publishExample["audit.failed"](account)
    const next = yield* newestUntil({ id }, ({ id, status }) => id !== delivery && status === "delivered")
    expect(next.format).toBe("json")
    expect(JSON.parse(target.received.at(-1)?.body ?? "")).toMatchObject({ type: "audit.failed" })
  })

  it("applies to missed events when they are recovered", function* () {
    const { account, id, send, target } = yield* chatting(undefined, taking(format))
    yield* send("PATCH", "", { is_active: false })
    yield* publishExample["audit.failed"](account)
    yield* send("PATCH", "", { format, is_active: true })
    yield* send("POST", "/recover", { since: "2026-01-01T00:00:00Z" })
    expect(yield* attempted({ id }, 1)).toMatchObject({ format, status: "delivered" })
    expect(target.received[0]?.body).toContain("Audit failed")
  })
})

const refusals: ReadonlyArray<readonly [Service, number, string]> = [
  ["slack", 400, "invalid_payload"],
  ["slack", 400, "no_text"],
  ["slack", 403, "action_prohibited"],
  ["slack", 404, "channel_not_found"],
  ["discord", 400, '{"message":"Cannot send an empty message","code":50006}'],
  ["discord", 404, '{"message":"Unknown Webhook","code":10015}'],
  ["teams", 400, '{"error":{"code":"TriggerInputSchemaMismatch"}}'],
  ["teams", 413, "Payload Too Large"]
]

describe("a chat service's refusal", () => {
  for (const [service, status, said] of refusals)
    it(`${service}, ${status} ${said}, is a failed attempt, and is shown`, function* () {
      const { account, id } = yield* chatting(service, () => new Response(said, { status }))
      yield* publishExample["audit.failed"](account)
      const { attempts, status: state } = yield* attempted({ id }, 1)
      expect(attempts[0]).toMatchObject({ error: { code: "http" }, response: { body: said }, status_code: status })
      expect(state).toBe("pending")
    })

  it("slack, 410 channel_is_archived, disables the webhook", function* () {
    const { account, id, send } = yield* chatting("slack", () => new Response("channel_is_archived", { status: 410 }))
    yield* publishExample["audit.failed"](account)
    yield* attempted({ id }, 1)
    expect((yield* send("GET", "")).body.data).toMatchObject({ deactivation: { reason: "gone" }, is_active: false })
  })

  const limits: ReadonlyArray<readonly [Service, Record<string, string>, string]> = [
    ["slack", { "retry-after": "90" }, "rate_limited"],
    ["discord", { "retry-after": "90" }, '{"message":"You are being rate limited.","retry_after":89.4,"global":false}'],
    ["discord", {}, '{"message":"You are being rate limited.","retry_after":89.4,"global":false}'],
    ["teams", { "retry-after": "90" }, "{}"]
  ]
  for (const [service, headers, said] of limits)
    it(`${service}, 429 with ${headers["retry-after"] === undefined ? "retry_after in its body" : "Retry-After"}, delays the next attempt`, function* () {
      const sql = yield* SqlClient.SqlClient
      const { account, id } = yield* chatting(service, () => new Response(said, { headers, status: 429 }))
      yield* publishExample["audit.failed"](account)
      yield* attempted({ id }, 1)
      const [row] = yield* sql<{ seconds: number }>`
        SELECT extract(epoch FROM next_attempt_at - waits_since)::float8 AS seconds FROM webhook_queue WHERE webhook_id = ${id}`
      expect(Math.round(row?.seconds ?? 0)).toBe(90)
    })
})
