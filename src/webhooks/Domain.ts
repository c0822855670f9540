import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Entropy } from "../secrets/Entropy.ts"

/** An id of one event, the same on every attempt and replay: what a receiver deduplicates by. */
export const EventId = Schema.String.pipe(
  Schema.pattern(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/EventId")
)
export type EventId = typeof EventId.Type

/** An id of one subscription. */
export const WebhookId = Schema.String.pipe(
  Schema.pattern(/^wh_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/WebhookId")
)
export type WebhookId = typeof WebhookId.Type

/** An id of one delivery: one event on its way to one subscription. The database makes it (`new_delivery_id` in sql/0004_webhooks.sql). */
export const DeliveryId = Schema.String.pipe(
  Schema.pattern(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/DeliveryId")
)
export type DeliveryId = typeof DeliveryId.Type

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const timeDigits = 10
const randomDigits = 16

/** 26 digits of Crockford's base 32: 50 bits of the time in milliseconds, then 80 random bits, so that ids made later sort later. */
const suffix: Effect.Effect<string, never, Entropy> = Effect.gen(function* () {
  const entropy = yield* Entropy
  const now = yield* Clock.currentTimeMillis
  const random = yield* entropy.bytes(randomDigits)
  const time = Array.from({ length: timeDigits }, (_, index) => Math.floor(now / 32 ** (timeDigits - 1 - index)) % 32)
  // Five bits of each random byte: a power of two divides 256, so no digit is likelier than another.
  return [...time, ...Array.from(random, (byte) => byte % 32)].map((digit) => alphabet.charAt(digit)).join("")
})

/** Makes an id for a new event. */
export const makeEventId = Effect.map(suffix, (text) => EventId.make(`evt_${text}`))

/** Makes an id for a new subscription. */
export const makeWebhookId = Effect.map(suffix, (text) => WebhookId.make(`wh_${text}`))
