import { expect, test } from "bun:test"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { EventId } from "../../../../src/features/events/EventKind.ts"
import * as DeliveryHeaders from "../../../../src/features/webhooks/signature/DeliveryHeaders.ts"
import { Secret } from "../../../../src/features/webhooks/signature/Secret.ts"

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

test("a forged signature has the form of one, and other bytes than the genuine one, whatever the library makes of base64", () => {
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
