import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isWebAddress } from "../../foundation/schema/Scalars.ts"
import { sortableId } from "../../foundation/secrets/Entropy.ts"
import { EventId } from "../events/EventKind.ts"

/** An id of one subscription. */
export const WebhookId = Schema.String.pipe(
  Schema.pattern(/^wh_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/WebhookId")
)
export type WebhookId = typeof WebhookId.Type

/** An id of one delivery: one event for one subscription. The database generates it (`new_delivery_id` in sql/0005_webhooks.sql). */
export const DeliveryId = Schema.String.pipe(
  Schema.pattern(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/DeliveryId")
)
export type DeliveryId = typeof DeliveryId.Type

/** Makes an id for a new subscription. */
export const makeWebhookId = Effect.map(sortableId, (text) => WebhookId.make(`wh_${text}`))

/** An id in a path: a malformed one becomes an unknown id, so the request gives 404 after all checks before ownership. */
const inPath = <A extends string>(id: Schema.Schema<A, string>, prefix: string) => {
  const is = Schema.is(id)
  return Schema.transform(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text) => (is(text) ? text : `${prefix}_${"0".repeat(26)}`),
    encode: (text) => text
  })
}

/** The path of one subscription. */
export const OfWebhook = Schema.Struct({ webhook_id: inPath(WebhookId, "wh") })

/** The path of one delivery of a subscription. */
export const OfDelivery = Schema.Struct({ ...OfWebhook.fields, delivery_id: inPath(DeliveryId, "dlv") })

/** The path of one event. */
export const OfEvent = Schema.Struct({ event_id: inPath(EventId, "evt") })

const longestUrl = 2048

/** What is wrong with a URL, or undefined; every request, not this check, decides whether its host is public. */
const problemOf = (text: string): string | undefined => {
  if (text.length > longestUrl) return `must be at most ${longestUrl} characters long`
  if (!isWebAddress(text)) return "must be an absolute http or https URL"
  if (text.includes("#")) return "must not have a fragment"
  const { password, username } = new URL(text)
  return username === "" && password === "" ? undefined : "must not contain credentials"
}

/** The URL of an endpoint, as written. */
export const WebhookUrl = Schema.String.annotations({ message: () => "must be an absolute http or https URL" }).pipe(
  Schema.filter(problemOf, {
    description: "URL of the endpoint: http or https, without credentials and fragment, on a public host",
    jsonSchema: { format: "uri", maxLength: longestUrl }
  }),
  Schema.brand("webhooks/WebhookUrl")
)
export type WebhookUrl = typeof WebhookUrl.Type

const formats = ["json", "slack", "discord", "teams"] as const

/** The format for an endpoint: the event as JSON, or a message for a chat service. */
export const Format = Schema.Literal(...formats).annotations({
  identifier: "WebhookFormat",
  description:
    "Format of deliveries: `json`, the event; `slack`, `discord`, `teams`: a chat message for the incoming webhooks of these services",
  message: () => ({ message: `must be one of ${formats.join(", ")}`, override: true })
})
export type Format = typeof Format.Type

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Milliseconds to wait after the first, second … failed attempt. A delivery has one more attempt than there are delays; no other place counts them. */
export const retryDelays: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour
]

/** Maximum subscriptions of an account. */
export const subscriptionsPerAccount = 20

/** Hours for which a replaced secret signs beside its successor. */
export const overlapHours = 24

/** Length of a worker's lock in seconds; the worker renews it three times in that time. */
export const leaseSeconds = 15

/** Maximum webhooks with due deliveries per poll of the queue. */
export const polledAtOnce = 40

/** Maximum acceptances, or failures, per write. */
export const writtenAtOnce = 200

/** Days with only failures until a subscription may be deactivated. */
export const patienceDays = 5

/** Minimum hours between two failed deliveries of these days: one bad evening does not deactivate a webhook. */
export const overlookedHours = 12

/** Characters of a response's body in a list of deliveries; a single delivery shows the whole kept body. */
export const listedBody = 1024

/** Events per transaction of a recovery. */
export const recoveredAtOnce = 1000

/** Events per transaction of retention. */
export const purgedAtOnce = 200

/** Events per transaction that assigns places in the order of commits. */
export const placedAtOnce = 1000
