import * as Schema from "effect/Schema"
import { auditCompleted, auditFailed } from "../audits/Events.ts"
import { backlinkLost } from "../observations/backlinks/Events.ts"
import { interventionDeployed, interventionRolledBack } from "../observations/interventions/Events.ts"
import { geoScoreChanged } from "../observations/visibility/Events.ts"
import { rankingClimbed, rankingDropped, trafficDropped, trafficRecovered } from "../rankings/Events.ts"
import { deliveryExhausted, webhookDeactivated, webhookPing } from "./Events.ts"

/** The events that can be subscribed to: those of the business first, then those about webhooks. */
export const subscribable = [
  auditCompleted,
  auditFailed,
  rankingDropped,
  rankingClimbed,
  trafficDropped,
  trafficRecovered,
  interventionDeployed,
  interventionRolledBack,
  backlinkLost,
  geoScoreChanged,
  webhookDeactivated,
  deliveryExhausted
] as const

/** Every type of event that is ever delivered. */
export const catalogue = [...subscribable, webhookPing] as const

/** The kind of a deliverable event. */
export type EventKind = (typeof catalogue)[number]

const oneOf = (kinds: ReadonlyArray<EventKind>) => ({
  message: `must be one of ${kinds.map(({ type }) => type).join(", ")}`,
  override: true
})

/** A name that a subscription may list. */
export const EventName = Schema.Literal(...subscribable.map((kind) => kind.type)).annotations({
  identifier: "EventName",
  description: "Type of an event that a webhook may receive",
  message: () => oneOf(subscribable)
})
export type EventName = (typeof subscribable)[number]["type"]

/** The type of any delivered event: the subscribable names and `webhook.ping`. */
export const EventType = Schema.Literal(...catalogue.map((kind) => kind.type)).annotations({
  identifier: "DeliveredEventType",
  description: "Type of an event that is ever delivered",
  message: () => oneOf(catalogue)
})
export type EventType = EventKind["type"]

/** The body of any delivery. */
export const Payload = Schema.Union(...catalogue.map((kind) => kind.payload))
export type Payload = typeof Payload.Type
