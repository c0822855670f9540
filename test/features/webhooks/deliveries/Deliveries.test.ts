import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Payload } from "../../../../src/features/webhooks/Catalogue.ts"
import * as Signature from "../../../../src/features/webhooks/signature/Signature.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { attempted, everyEvent, layer, passTime, publishExample, subscriber } from "../pipeline.ts"
import { type Received, receiver } from "../receiver.ts"
import { acceptedBy, everybody } from "../verifiers.ts"

const it = suite(layer)

const verdictOn = (received: Received | undefined, secret: string) =>
  Effect.promise(async () => (received === undefined ? [] : acceptedBy(received, secret)))

const decode = Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })

/** The same event, byte for byte, by an attempt of its own. */
const expectSameEvent = (first: Received | undefined, second: Received | undefined) => {
  expect(second?.body).toBe(first?.body ?? "")
  expect(second?.headers["service-event-id"]).toBe(first?.headers["service-event-id"] ?? "")
  expect(second?.headers["webhook-id"]).toBe(first?.headers["service-event-id"] ?? "")
}

it("a secret that was replaced signs for its own 24 hours, beside two newer ones", function* () {
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

describe.each(everyEvent)("%s is verified by our own verifier and three foreign ones", (type) => {
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

  it(`${type}: on a retry, with the same bytes and a time of its own`, function* () {
    const target = yield* receiver((_, index) => new Response("no", { status: index === 0 ? 500 : 200 }))
    const webhook = yield* subscriber(target.url)
    yield* publishExample[type](webhook.account)
    yield* attempted(webhook, 1)
    yield* passTime
    const [first, retry] = yield* target.arrived(2)
    expectSameEvent(first, retry)
    expect(yield* verdictOn(retry, webhook.secret)).toEqual(everybody)
  })

  it(`${type}: while the secret is rotated with both, and afterwards with the new one only`, function* () {
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

  it(`${type}: on a redelivery, marked as manual in the log`, function* () {
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
