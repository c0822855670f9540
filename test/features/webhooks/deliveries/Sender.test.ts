import { describe, expect } from "bun:test"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { WebhookUrl } from "../../../../src/features/webhooks/Domain.ts"
import { AttemptTimings, KeptResponse } from "../../../../src/features/webhooks/deliveries/Delivery.ts"
import * as Sender from "../../../../src/features/webhooks/deliveries/Sender.ts"
import {
  Outbound,
  OutboundError,
  type OutboundReason,
  type OutboundRequest,
  type OutboundResponse
} from "../../../../src/foundation/outbound/Outbound.ts"
import { it } from "../../../harness.ts"

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

/** What comes of an attempt when the network behaves like this. */
const sent = (network: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundError>) =>
  Sender.send(request).pipe(
    Effect.provideService(Outbound, { exchange: network, vet: () => Effect.dieMessage("not a part of an attempt") })
  )

const answeredWith = (change: Partial<OutboundResponse>) => sent(() => Effect.succeed(answer(change)))

describe("an attempt", () => {
  it("is a POST of the given bytes, with 15 seconds for all of it and at most 16 KiB of undecoded answer", function* () {
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
  })

  for (const status of [200, 201, 202, 204, 299]) {
    it(`answered ${status} is delivered, with its latency by phases`, () =>
      Effect.map(answeredWith({ status }), (outcome) => {
        expect(outcome).toEqual({
          _tag: "Delivered",
          statusCode: status,
          latencyMs: 31,
          timings: { dns_ms: 3, connect_ms: 5, tls_ms: null, first_byte_ms: 20, body_ms: 3, reused: true },
          response: { body: "ok", truncated: false }
        })
      }))
  }

  for (const status of [100, 199, 400, 401, 404, 410, 429, 500, 503, 599]) {
    it(`answered ${status} has failed as http, and what was answered is kept`, () =>
      Effect.map(answeredWith({ status }), (outcome) => {
        expect(outcome).toMatchObject({
          _tag: "Failed",
          statusCode: status,
          error: { code: "http", message: `The receiver answered ${status}` },
          response: { body: "ok", truncated: false }
        })
      }))
  }

  for (const status of [300, 301, 302, 303, 304, 307, 308]) {
    it(`answered ${status} has failed as a redirect, which is not followed`, function* () {
      const outcome = yield* answeredWith({ status, headers: [["location", "http://169.254.169.254/"]] })
      expect(outcome).toMatchObject({ _tag: "Failed", statusCode: status, error: { code: "redirect" } })
      expect(JSON.stringify(outcome)).not.toContain("169.254")
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
    it(`lost to ${reason} has failed as ${code}, with the phases it reached`, function* () {
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

  it("hands on the receiver's Retry-After as it came", function* () {
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

  it("keeps an answer of any bytes as text that can be stored", function* () {
    const body = Uint8Array.of(0x61, 0x00, 0xff, 0x62)
    const outcome = yield* answeredWith({ body, truncated: true })
    expect(outcome.response).toEqual({ body: "a\uFFFD\uFFFDb", truncated: true })
    expect(Schema.is(KeptResponse)(outcome.response)).toBe(true)
  })
})
