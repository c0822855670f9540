import { describe, expect, test } from "bun:test"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { EventId } from "../../../../src/features/events/EventKind.ts"
import * as DeliveryHeaders from "../../../../src/features/webhooks/signature/DeliveryHeaders.ts"
import { Secret } from "../../../../src/features/webhooks/signature/Secret.ts"
import * as Signature from "../../../../src/features/webhooks/signature/Signature.ts"
import { StandardWebhook, Stripe, SvixWebhook } from "../../../peers/verifiers.ts"
import { current, type Delivery, deliver, eventTypes, now, replaced, unrelated } from "../deliveries.ts"

type Verify = (delivery: Delivery, secret: string) => Promise<boolean>

const stripe = new Stripe("sk_test_unused")

const succeeds = (attempt: () => unknown): Promise<boolean> =>
  Promise.resolve()
    .then(attempt)
    .then(() => true)
    .catch(() => false)

const own: Verify = ({ body, headers }, secret) =>
  Signature.verify({ body, header: headers["Service-Signature"], now: now(), secret }).then(({ valid }) => valid)

const byStripe: Verify = ({ body, headers }, secret) =>
  succeeds(() => stripe.webhooks.constructEventAsync(body, headers["Service-Signature"] ?? "", secret))

const byStandardWebhooks: Verify = ({ body, headers }, secret) =>
  succeeds(() => new StandardWebhook(secret).verify(body, { ...headers }))

const bySvix: Verify = ({ body, headers }, secret) =>
  succeeds(() => new SvixWebhook(secret).verify(body, { ...headers }))

const everybody: ReadonlyArray<readonly [string, Verify]> = [
  ["our own verifier", own],
  ["npm stripe", byStripe],
  ["npm standardwebhooks", byStandardWebhooks],
  ["npm svix", bySvix]
]

describe.each(everybody)("%s", (_, verify) => {
  describe.each(eventTypes)("accepts %s", (type) => {
    test("on the first attempt", async () => {
      expect(await verify(await deliver(type), current)).toBe(true)
    })

    test("on a retry with another time and the same body", async () => {
      const [first, retry] = [await deliver(type, { timestamp: now() - 200 }), await deliver(type)]
      expect(retry.body).toBe(first.body)
      expect(retry.headers["Service-Signature"]).not.toBe(first.headers["Service-Signature"])
      expect(await verify(retry, current)).toBe(true)
    })

    test("during a rotation, with the new secret and with the old one", async () => {
      const delivery = await deliver(type, { secrets: [current, replaced] })
      expect(await verify(delivery, current)).toBe(true)
      expect(await verify(delivery, replaced)).toBe(true)
    })

    test("after a rotation with the new secret only", async () => {
      const delivery = await deliver(type)
      expect(await verify(delivery, current)).toBe(true)
      expect(await verify(delivery, replaced)).toBe(false)
    })
  })

  const replaceHeaders = (delivery: Delivery, change: (value: string) => string): Delivery => ({
    ...delivery,
    headers: {
      ...delivery.headers,
      "Service-Signature": change(delivery.headers["Service-Signature"] ?? ""),
      "webhook-signature": change(delivery.headers["webhook-signature"] ?? "")
    }
  })
  const shiftDigit = (value: string) =>
    value.replace(/(v1[=,])(.)/, (_, start: string, digit: string) => start + (digit === "0" ? "1" : "0"))
  const withTimestamp = (delivery: Delivery, timestamp: number): Delivery => ({
    ...delivery,
    headers: {
      ...delivery.headers,
      "Service-Signature": (delivery.headers["Service-Signature"] ?? "").replace(/t=\d+/, `t=${timestamp}`),
      "webhook-timestamp": `${timestamp}`
    }
  })

  const tampering: ReadonlyArray<readonly [string, () => Promise<Delivery>]> = [
    [
      "a changed value in the body",
      () => deliver("audit.completed").then((d) => ({ ...d, body: d.body.replace("partial", "completed") }))
    ],
    ["an added line break", () => deliver("audit.completed").then((d) => ({ ...d, body: `${d.body}\n` }))],
    ["a truncated body", () => deliver("audit.completed").then((d) => ({ ...d, body: `${d.body.slice(0, -2)}}` }))],
    [
      "the same JSON written with other white space",
      () => deliver("audit.completed").then((d) => ({ ...d, body: JSON.stringify(JSON.parse(d.body), null, 1) }))
    ],
    [
      "the body of another event",
      () => deliver("audit.completed").then(async (d) => ({ ...d, body: (await deliver("audit.failed")).body }))
    ],
    ["a changed signature", () => deliver("audit.completed").then((d) => replaceHeaders(d, shiftDigit))],
    [
      "a signature cut short",
      () => deliver("audit.completed").then((d) => replaceHeaders(d, (value) => value.slice(0, -4)))
    ],
    [
      "a signature in upper case",
      () =>
        deliver("audit.completed").then((d) =>
          replaceHeaders(d, (value) =>
            value.replace(/v1([=,])(.*)/, (_, sign, rest) => `v1${sign}${rest.toUpperCase()}`)
          )
        )
    ],
    [
      "a signature of another scheme",
      () => deliver("audit.completed").then((d) => replaceHeaders(d, (value) => value.replaceAll("v1", "v0")))
    ],
    ["no signature", () => deliver("audit.completed").then((d) => replaceHeaders(d, () => ""))],
    ["a signature by another secret", () => deliver("audit.completed", { secrets: [unrelated] })],
    ["a timestamp moved by a second", () => deliver("audit.completed").then((d) => withTimestamp(d, now() - 1 - 60))],
    ["a replay after 301 seconds", () => deliver("audit.completed", { timestamp: now() - 301 })],
    [
      "an old delivery under a fresh timestamp",
      () => deliver("audit.completed", { timestamp: now() - 900 }).then((d) => withTimestamp(d, now()))
    ]
  ]

  test.each(tampering)("refuses %s", async (_, tampered) => {
    expect(await verify(await tampered(), current)).toBe(false)
  })
})

// npm stripe checks only old timestamps, and would accept a delivery from the future.
test.each(everybody.filter(([name]) => name !== "npm stripe"))(
  "%s refuses a timestamp more than 300 seconds ahead",
  async (_, verify) => {
    expect(await verify(await deliver("audit.completed", { timestamp: now() + 310 }), current)).toBe(false)
  }
)

test("the headers of a delivery are the four of the contract and the three of Standard Webhooks", async () => {
  const timestamp = now()
  const { body, headers } = await deliver("ranking.dropped", { timestamp })
  const id = JSON.parse(body).id
  expect(headers).toEqual({
    "Content-Type": "application/json",
    "User-Agent": "Findable-Webhooks/1",
    "Service-Event-ID": id,
    "Service-Event-Type": "ranking.dropped",
    "Service-Timestamp": `${timestamp}`,
    "Service-Signature": expect.stringMatching(new RegExp(`^t=${timestamp},v1=[0-9a-f]{64}$`)),
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/)
  })
})

test("two secrets give two signatures, the new one first, separated as each scheme requires", async () => {
  const { headers } = await deliver("ranking.dropped", { secrets: [current, replaced] })
  expect(headers["Service-Signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  expect(headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/)
})

const secrets = ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="].map(
  (key) => Redacted.make(Secret.make(`whsec_${key}`))
)

/** The signatures of both kinds as the bytes that a library compares. */
const codesOf = (headers: ReturnType<typeof DeliveryHeaders.forged>) => ({
  service: headers["Service-Signature"]
    .split("v1=")
    .slice(1)
    .map((text) => Buffer.from(text, "hex").toString("hex")),
  standard: headers["webhook-signature"].split(" ").map((text) => Buffer.from(text.slice(3), "base64").toString("hex"))
})

test("a forged signature has the form of a genuine one and other bytes, for any base64 decoder", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (body) => {
      const eventId = EventId.make("evt_01kakx3q7m8v2b5n9r4t6w0yzc")
      const genuine = DeliveryHeaders.make({
        body,
        eventId,
        eventType: "webhook.ping",
        secrets,
        timestamp: 1_795_257_133
      })
      const [expected, found] = [codesOf(genuine), codesOf(DeliveryHeaders.forged(genuine))]
      for (const kind of ["service", "standard"] as const) {
        expect(found[kind].map((code) => code.length)).toEqual([64, 64])
        for (const code of found[kind]) expect(expected[kind]).not.toContain(code)
      }
    }),
    { numRuns: 300 }
  )
})
