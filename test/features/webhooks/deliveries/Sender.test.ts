import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Accounts } from "../../../../src/features/accounts/Accounts.ts"
import { Events } from "../../../../src/features/events/Events.ts"
import { WebhookUrl } from "../../../../src/features/webhooks/Domain.ts"
import { ListsRepo } from "../../../../src/features/webhooks/deliveries/Deliveries.ts"
import { DeliveriesRepo } from "../../../../src/features/webhooks/deliveries/DeliveriesRepo.ts"
import { AttemptTimings, KeptResponse } from "../../../../src/features/webhooks/deliveries/Delivery.ts"
import { QueueRepo } from "../../../../src/features/webhooks/deliveries/Queue.ts"
import * as Sender from "../../../../src/features/webhooks/deliveries/Sender.ts"
import { Attempts } from "../../../../src/features/webhooks/deliveries/Sender.ts"
import { Ping } from "../../../../src/features/webhooks/subscriptions/Ping.ts"
import { CreateSubscription } from "../../../../src/features/webhooks/subscriptions/Subscription.ts"
import { Subscriptions } from "../../../../src/features/webhooks/subscriptions/Subscriptions.ts"
import {
  Outbound,
  OutboundError,
  type OutboundReason,
  type OutboundRequest,
  type OutboundResponse
} from "../../../../src/foundation/outbound/Outbound.ts"
import * as OutboundLive from "../../../../src/foundation/outbound/OutboundLive.ts"
import { ResolveFailed } from "../../../../src/foundation/outbound/Vet.ts"
import * as cluster from "../../../cluster.ts"
import * as Hostile from "../../../foundation/outbound/hostile.ts"
import { it as alone, suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { log, publishExample } from "../pipeline.ts"
import { receiver } from "../receiver.ts"

const timings = { dnsMs: 3, connectMs: 5, tlsMs: null, firstByteMs: 20, bodyMs: 3, totalMs: 31, reused: true }

const answer = (change: Partial<OutboundResponse>): OutboundResponse => ({
  status: 200,
  headers: [],
  body: new TextEncoder().encode("ok"),
  bytesRead: 2,
  truncated: false,
  remoteAddress: "192.0.2.1",
  timings,
  ...change
})

const request = {
  url: WebhookUrl.make("https://example.com/hooks?a=1"),
  headers: { "Service-Event-ID": "evt_1" },
  body: new TextEncoder().encode('{"a":1}'),
  reuse: true
}

/** The result of an attempt with this network. */
const sent = (network: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError>) =>
  Sender.send(request).pipe(
    Effect.provideService(Outbound, { exchange: network, vet: () => Effect.dieMessage("not a part of an attempt") })
  )

const answeredWith = (change: Partial<OutboundResponse>) => sent(() => Effect.succeed(answer(change)))

describe("an attempt of a delivery", () => {
  alone(
    "is a POST of the given bytes, within 15 seconds and with at most 16 KiB of an undecoded response",
    function* () {
      const requests: Array<OutboundRequest> = []
      yield* sent((asked) => {
        requests.push(asked)
        return Effect.succeed(answer({}))
      })
      const [asked] = requests
      expect(requests.length).toBe(1)
      expect(asked).toMatchObject({ method: "POST", decode: false, keepBytes: 16_384, maxBytes: 16_384 })
      expect(asked?.url.href).toBe(request.url)
      expect(asked?.headers).toEqual(request.headers)
      expect(asked?.body).toEqual(request.body)
      expect(Duration.toSeconds(asked?.deadline ?? 0)).toBe(15)
    }
  )

  for (const status of [200, 201, 202, 204, 299]) {
    alone(`is delivered with status ${status}, with its latency by phases`, () =>
      Effect.map(answeredWith({ status }), (outcome) => {
        expect(outcome).toEqual({
          _tag: "Delivered",
          statusCode: status,
          latencyMs: 31,
          timings: { dns_ms: 3, connect_ms: 5, tls_ms: null, first_byte_ms: 20, body_ms: 3, reused: true },
          response: { body: "ok", headers: {}, truncated: false }
        })
      })
    )
  }

  for (const status of [100, 199, 400, 401, 404, 410, 429, 500, 503, 599]) {
    alone(`fails as http with status ${status}, and its response is stored`, () =>
      Effect.map(answeredWith({ status }), (outcome) => {
        expect(outcome).toMatchObject({
          _tag: "Failed",
          statusCode: status,
          error: { code: "http", message: `The endpoint returned ${status}` },
          response: { body: "ok", truncated: false }
        })
      })
    )
  }

  for (const status of [300, 301, 302, 303, 304, 307, 308]) {
    alone(`fails as a redirect with status ${status}, which is not followed`, function* () {
      const outcome = yield* answeredWith({ status, headers: [["location", "http://169.254.169.254/"]] })
      expect(outcome).toMatchObject({ _tag: "Failed", statusCode: status, error: { code: "redirect" } })
      // The header is in the kept response alone.
      const { response: _, ...told } = outcome
      expect(JSON.stringify(told)).not.toContain("169.254")
    })
  }

  const reasons: ReadonlyArray<readonly [OutboundReason, string]> = [
    ["blocked_url", "blocked"],
    ["blocked_address", "blocked"],
    ["dns", "dns"],
    ["connect", "connect"],
    ["tls", "tls"],
    ["reset", "reset"],
    ["timeout", "timeout"],
    ["protocol", "protocol"]
  ]
  for (const [reason, code] of reasons) {
    alone(`fails as ${code} after a ${reason} error, with the timings so far`, function* () {
      const outcome = yield* sent(() => Effect.fail(new OutboundError({ reason, message: "why", timings })))
      expect(outcome).toEqual({
        _tag: "Failed",
        error: { code: expect.stringMatching(code), message: "why" },
        statusCode: null,
        retryAfter: null,
        response: null,
        latencyMs: 31,
        timings: { dns_ms: 3, connect_ms: 5, tls_ms: null, first_byte_ms: 20, body_ms: 3, reused: true }
      })
      expect(Schema.is(AttemptTimings)(outcome.timings)).toBe(true)
    })
  }

  alone("passes on the endpoint's Retry-After unchanged", function* () {
    const asked = yield* answeredWith({
      status: 429,
      headers: [
        ["date", "x"],
        ["retry-after", "120"]
      ]
    })
    expect(asked).toMatchObject({ retryAfter: "120" })
    expect(yield* answeredWith({ status: 429 })).toMatchObject({ retryAfter: null })
  })

  alone("keeps a response of any bytes as text that the database can store", function* () {
    const body = Uint8Array.of(0x61, 0x00, 0xff, 0x62)
    const outcome = yield* answeredWith({ body, truncated: true })
    expect(outcome.response).toEqual({ body: "a\uFFFD\uFFFDb", headers: {}, truncated: true })
    expect(Schema.is(KeptResponse)(outcome.response)).toBe(true)
  })
})

/** DNS answers by name: each look-up takes the next one, and the last one stays. */
const answers = new Map<string, Array<ReadonlyArray<string>>>()

const resolver = {
  addresses: (name: string) =>
    Effect.suspend(() => {
      const known = answers.get(name) ?? []
      const [next] = known.length > 1 ? known.splice(0, 1) : known
      return next === undefined ? new ResolveFailed({ message: `${name} has no address` }) : Effect.succeed(next)
    })
}

// The network is protected as in production: no private range is allowed.
const it = suite(
  Layer.mergeAll(
    Accounts.Default,
    Attempts.Default,
    DeliveriesRepo.Default,
    Events.Default,
    ListsRepo.Default,
    Ping.Default,
    QueueRepo.Default,
    Subscriptions.Default
  ).pipe(
    Layer.provideMerge(Layer.succeed(Outbound, OutboundLive.make({ allowed: [], authorities: [], resolver }))),
    Layer.provideMerge(cluster.layer),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings)))))
  )
)

const decode = Schema.decodeUnknownEither(CreateSubscription)

const account = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.create("a", "free"), ({ id }) => id))

/** A webhook created while its host name had a public IP address. */
const subscribed = (name: string, port: number, later: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const owner = yield* account
    const { create } = yield* Subscriptions
    answers.set(name, [["93.184.215.14"], later])
    const url = `http://${name}:${port}/`
    const asked = yield* decode({ events: ["audit.failed"], url })
    return { ...(yield* create(owner, asked)), account: owner }
  })

describe("a private IP address", () => {
  it("is refused in the URL of a new webhook, in all its spellings", function* () {
    const owner = yield* account
    const { create, patch } = yield* Subscriptions
    answers.set("public.example", [["93.184.215.14"]])
    const fine = yield* create(owner, yield* decode({ events: ["audit.failed"], url: "https://public.example/" }))
    expect(Hostile.literals.length).toBeGreaterThanOrEqual(100)
    for (const url of Hostile.literals) {
      const asked = decode({ events: ["audit.failed"], url })
      // Some spellings are no absolute URL.
      if (Either.isLeft(asked)) continue
      for (const refused of [create(owner, asked.right), patch(owner, fine.id, { url: asked.right.url })]) {
        const error = yield* Effect.flip(refused)
        expect({ error, url }).toMatchObject({ error: { _tag: "Invalid", details: [{ path: "url" }] }, url })
      }
    }
  })

  it("is refused behind a host name, even as one of several", function* () {
    const owner = yield* account
    const { create } = yield* Subscriptions
    for (const addresses of [
      ["127.0.0.1"],
      ["::1"],
      ["10.0.0.1", "93.184.215.14"],
      ["93.184.215.14", "169.254.169.254"],
      ["::ffff:127.0.0.1"]
    ]) {
      answers.set("inner.example", [addresses])
      const error = yield* Effect.flip(
        create(owner, yield* decode({ events: ["audit.failed"], url: "https://inner.example/" }))
      )
      expect(error.details?.[0]?.message).toStartWith("must be public")
    }
  })

  it("receives no request when a public name resolves to it later, and the log says why", function* () {
    const target = yield* receiver()
    const { attempt } = yield* Attempts
    const { claim, renew } = yield* QueueRepo
    const { ping } = yield* Ping
    const webhook = yield* subscribed("rebound.example", Number(new URL(target.url).port), ["127.0.0.1"])
    yield* publishExample["audit.failed"](webhook.account)
    const worker = crypto.randomUUID()
    yield* renew(worker)
    const turns = [{ count: 10, since: "-infinity", webhook: webhook.id }]
    const outcomes = yield* Effect.forEach(yield* claim({ turns, worker }), attempt)
    expect(outcomes).toMatchObject([{ error: { code: "blocked" }, response: null, statusCode: null }])
    const answer = yield* ping(webhook.account, webhook.id, { verify_rejection: false })
    expect(answer).toMatchObject({ delivered: false, error: { code: "blocked" }, status_code: null })
    expect(target.received).toEqual([])
  })

  it("stored in the database receives no request, in any of its spellings", function* () {
    const sql = yield* SqlClient.SqlClient
    const { ping } = yield* Ping
    const webhook = yield* subscribed("stored.example", 80, ["93.184.215.14"])
    for (const url of Hostile.literals) {
      if (Either.isLeft(decode({ events: ["audit.failed"], url }))) continue
      yield* sql`UPDATE webhooks SET url = ${url} WHERE id = ${webhook.id}`
      expect((yield* ping(webhook.account, webhook.id, { verify_rejection: false })).error?.code).toBe("blocked")
    }
    expect(yield* log(webhook)).toEqual([])
  })
})

it("a host name that does not resolve is refused with the name of the field", function* () {
  const { create } = yield* Subscriptions
  const asked = yield* decode({ events: ["audit.failed"], url: "https://nowhere.example/" })
  const error = yield* Effect.flip(create(yield* account, asked))
  expect(error.details).toEqual([
    expect.objectContaining({
      message: "must have a host that DNS resolves: nowhere.example has no address",
      path: "url"
    })
  ])
})
