import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { bytes, EventBody, EventId } from "../../../src/features/events/EventKind.ts"
import { catalogue, type EventType, Payload } from "../../../src/features/webhooks/Catalogue.ts"
import * as DeliveryHeaders from "../../../src/features/webhooks/signature/DeliveryHeaders.ts"
import { Secret } from "../../../src/features/webhooks/signature/Secret.ts"

/** A delivery as an endpoint receives it. */
export interface Delivery {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export const current = Secret.make("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
export const replaced = Secret.make("whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=")
export const unrelated = Secret.make("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")

export const eventTypes: ReadonlyArray<EventType> = catalogue.map((kind) => kind.type)

/** Seconds of the machine's clock: the foreign libraries know no other. */
export const now = () => Math.floor(Date.now() / 1000)

/** The example of an event type as the server would send it. */
export const deliver = (
  type: EventType,
  { secrets = [current], timestamp = now() }: { secrets?: ReadonlyArray<Secret>; timestamp?: number } = {}
): Promise<Delivery> =>
  Effect.gen(function* () {
    const kind = catalogue.find((candidate) => candidate.type === type)
    const example = yield* Schema.decodeUnknown(Payload)(kind?.examplePayload)
    const encoded = yield* Schema.encode(Payload)(example)
    const body = EventBody.make(JSON.stringify(encoded))
    const headers = DeliveryHeaders.make({
      body: bytes(body),
      eventId: EventId.make(example.id),
      eventType: type,
      secrets: secrets.map((secret) => Redacted.make(secret)),
      timestamp
    })
    return { body, headers }
  }).pipe(Effect.runPromise)
