/**
 * Platform adapter: synchronous HMAC-SHA256 by `node:crypto`. `crypto.subtle` takes a thread hop for each code, three to four times the cost for a delivery.
 */
import { createHmac } from "node:crypto"
import * as Redacted from "effect/Redacted"
import type { EventId } from "../../events/EventKind.ts"
import { keyBytes, type Secret } from "./Secret.ts"
import { format } from "./SignatureHeader.ts"

/** The code (RFC 2104) of `prefix` followed by `body`. */
const hmac = (key: string | Uint8Array, prefix: string, body: Uint8Array, as: "hex" | "base64"): string =>
  createHmac("sha256", key).update(prefix).update(body).digest(as)

/** The signed and sent parts of one attempt. */
interface SignedAttempt {
  readonly body: Uint8Array
  readonly eventId: EventId
  readonly eventType: string
  /** The current secret, and earlier ones that have not expired, latest first. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<Secret>>
  /** Unix seconds of this attempt, not of the event. */
  readonly timestamp: number
}

/**
 * The value of `webhook-signature` by the Standard Webhooks specification 1.0.0: one `v1,<base64>` over `<id>.<timestamp>.<body>` per secret, separated by
 * spaces, keyed with the secret's decoded bytes.
 */
const standardSignature = ({ body, eventId, timestamp }: SignedAttempt, secrets: ReadonlyArray<Secret>): string =>
  secrets.map((secret) => `v1,${hmac(keyBytes(secret), `${eventId}.${timestamp}.`, body, "base64")}`).join(" ")

/** The headers of one attempt: the service's four, and the three of Standard Webhooks over the same bytes. */
export const make = (attempt: SignedAttempt) => {
  const { body, eventId, eventType, timestamp } = attempt
  const secrets = attempt.secrets.map((secret) => Redacted.value(secret))
  const signatures = secrets.map((secret) => hmac(secret, `${timestamp}.`, body, "hex"))
  return {
    "Content-Type": "application/json",
    "User-Agent": "Findable-Webhooks/1",
    "Service-Event-ID": eventId,
    "Service-Event-Type": eventType,
    "Service-Timestamp": `${timestamp}`,
    "Service-Signature": format(timestamp, signatures),
    "webhook-id": eventId,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": standardSignature(attempt, secrets)
  }
}

/** Changes the last digit. In base64 only its first four bits count: 0 and 4 differ, 0 and 1 do not, and many libraries compare the bytes. */
const spoiled = (text: string) => text.replace(/.(?==?$)/, (last) => (last === "0" ? "4" : "0"))

/** The headers with well-formed signatures that do not verify. */
export const forged = (headers: ReturnType<typeof make>) => ({
  ...headers,
  "Service-Signature": headers["Service-Signature"]
    .split(",")
    .map((part) => spoiled(part))
    .join(","),
  "webhook-signature": headers["webhook-signature"]
    .split(" ")
    .map((part) => spoiled(part))
    .join(" ")
})
