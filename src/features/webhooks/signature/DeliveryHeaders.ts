import * as Redacted from "effect/Redacted"
import type { EventId } from "../../events/EventId.ts"
import type { EventType } from "../Catalogue.ts"
import { hmac } from "./Hmac.ts"
import type { Secret } from "./Secret.ts"
import { format } from "./SignatureHeader.ts"
import * as StandardSignature from "./StandardSignature.ts"

/** The parts of one attempt that are signed and sent. */
export interface SignedAttempt {
  readonly body: Uint8Array
  readonly eventId: EventId
  readonly eventType: EventType
  /** The current secret, and those before it that have not expired, the newest first. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<Secret>>
  /** Unix seconds of this attempt, not of the event. */
  readonly timestamp: number
}

/** The headers of one attempt: the four that the service names, and the three of Standard Webhooks over the same bytes. */
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
    "webhook-signature": StandardSignature.sign({ body, id: eventId, secrets, timestamp })
  }
}
