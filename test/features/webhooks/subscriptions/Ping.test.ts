import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Payload } from "../../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { layer, log, newestUntil, publishExample, subscriber } from "../pipeline.ts"
import { type Answer, type Received, receiver } from "../receiver.ts"
import { acceptedBy, everybody } from "../verifiers.ts"

const it = suite(layer)

const verdictOn = (received: Received | undefined, secret: string) =>
  Effect.promise(async () => (received === undefined ? [] : acceptedBy(received, secret)))

const decode = Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })

describe("a ping", () => {
  it("is verified by our own verifier and three others, and returns its timings", function* () {
    const target = yield* receiver(() => new Response("something internal", { status: 201 }))
    const webhook = yield* subscriber(target.url)
    const { body, status } = yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
    const [received] = target.received
    expect(status).toBe(200)
    expect(yield* verdictOn(received, webhook.secret)).toEqual(everybody)
    expect(yield* decode(received?.body)).toMatchObject({ type: "webhook.ping", data: { webhook_id: webhook.id } })
    expect(body.data).toEqual({
      event_id: received?.headers["service-event-id"],
      event_type: "webhook.ping",
      delivered: true,
      status_code: 201,
      latency_ms: expect.any(Number),
      timings: {
        dns_ms: null,
        connect_ms: expect.any(Number),
        tls_ms: null,
        first_byte_ms: expect.any(Number),
        body_ms: expect.any(Number)
      },
      signature_verified: true,
      error: null
    })
    const { body_ms, connect_ms, first_byte_ms } = body.data.timings
    expect(body.data.latency_ms).toBeGreaterThan(connect_ms + first_byte_ms + body_ms - 0.4)
  })

  it("never shows the endpoint's response, and is not in the log", function* () {
    const target = yield* receiver(() => new Response("something internal", { status: 500 }))
    const webhook = yield* subscriber(target.url)
    const { body, status } = yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      delivered: false,
      status_code: 500,
      error: { code: "http" },
      signature_verified: null
    })
    expect(JSON.stringify(body)).not.toContain("internal")
    expect(yield* log(webhook)).toEqual([])
    expect(target.received).toHaveLength(1)
  })

  it("is sent to a disabled webhook too, and signed with both secrets during a rotation", function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    yield* Server.send("PATCH", webhook.path, { body: { is_active: false }, key: webhook.key })
    const rotated = yield* Server.send("POST", `${webhook.path}/rotate-secret`, { key: webhook.key })
    const { body } = yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
    expect(body.data).toMatchObject({ delivered: true, signature_verified: true })
    expect(yield* verdictOn(target.received[0], webhook.secret)).toEqual(everybody)
    expect(yield* verdictOn(target.received[0], rotated.body.data.secret)).toEqual(everybody)
  })

  it("returns the cause and the timings so far if nothing listens at the URL", function* () {
    const gone = yield* Effect.scoped(Effect.map(receiver(), ({ url }) => url))
    const webhook = yield* subscriber(gone)
    const { body } = yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
    expect(body.data).toMatchObject({
      delivered: false,
      status_code: null,
      error: { code: "connect" },
      signature_verified: null,
      timings: { connect_ms: null, first_byte_ms: null }
    })
  })

  it("is sent over a new connection, even if one is kept alive", function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    yield* publishExample["audit.failed"](webhook.account)
    yield* newestUntil(webhook, ({ status }) => status === "delivered")
    const { body } = yield* Server.send("POST", `${webhook.path}/ping`, { key: webhook.key })
    expect(body.data.timings.connect_ms).toBeNumber()
  })
})

describe("a ping with verify_rejection", () => {
  const pinged = (answer: Answer) =>
    Effect.gen(function* () {
      const target = yield* receiver(answer)
      const webhook = yield* subscriber(target.url)
      const options = { body: { verify_rejection: true }, key: webhook.key }
      const { body } = yield* Server.send("POST", `${webhook.path}/ping`, options)
      return { data: body.data, target, webhook }
    })

  it("sends a second, forged request that every verifier refuses, and reports that the endpoint refused it", function* () {
    const { data, target, webhook } = yield* pinged(
      (_, index) => new Response(null, { status: index === 0 ? 204 : 401 })
    )
    expect(data).toMatchObject({ delivered: true, rejects_forgery: true, signature_verified: true })
    const [genuine, forged, ...others] = target.received
    expect(others).toEqual([])
    expect(yield* verdictOn(genuine, webhook.secret)).toEqual(everybody)
    expect(yield* verdictOn(forged, webhook.secret)).toEqual([])
    expect(forged?.headers["service-event-id"]).not.toBe(genuine?.headers["service-event-id"] ?? "")
  })

  it("reports an endpoint that accepts forgeries, and nothing about an endpoint that fails or refuses pings", function* () {
    const status =
      (...statuses: ReadonlyArray<number>): Answer =>
      (_, index) =>
        new Response("", { status: statuses[index] ?? 500 })
    expect((yield* pinged(status(200, 200))).data.rejects_forgery).toBe(false)
    expect((yield* pinged(status(200, 500))).data.rejects_forgery).toBeNull()
    const { data, target } = yield* pinged(status(401, 401))
    expect(data.rejects_forgery).toBeNull()
    expect(target.received).toHaveLength(1)
  })

  it("needs true or false, and a ping without it reports nothing about forgeries", function* () {
    const target = yield* receiver()
    const webhook = yield* subscriber(target.url)
    const ask = (body: unknown) => Server.send("POST", `${webhook.path}/ping`, { body, key: webhook.key })
    const reply = yield* ask({ verify_rejection: "yes" })
    expect({ path: reply.body.error?.details?.[0]?.path, status: reply.status }).toEqual({
      path: "verify_rejection",
      status: 422
    })
    expect((yield* ask({ verify_rejection: false })).body.data).not.toHaveProperty("rejects_forgery")
    expect(target.received).toHaveLength(1)
  })
})
