import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { auditCompleted, auditFailed } from "../audits/Events.ts"
import { backlinkLost } from "../backlinks/Events.ts"
import { interventionDeployed, interventionRolledBack } from "../interventions/Events.ts"
import { rankingClimbed, rankingDropped, trafficDropped, trafficRecovered } from "../rankings/Events.ts"
import { siteHealthCompleted, siteHealthFailed, siteHealthScoreDropped } from "../sitehealth/Events.ts"
import { geoScoreChanged } from "../visibility/Events.ts"
import { deliveryExhausted, webhookDeactivated, webhookPing } from "./Events.ts"

/** The events for subscriptions: business events first, then events about webhooks. */
export const subscribable = [
  auditCompleted,
  auditFailed,
  siteHealthCompleted,
  siteHealthFailed,
  siteHealthScoreDropped,
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

/** Every type of delivered event. */
export const catalogue = [...subscribable, webhookPing] as const

/** The kind of a deliverable event. */
type EventKind = (typeof catalogue)[number]

const oneOf = (kinds: ReadonlyArray<EventKind>) => ({
  message: `must be one of ${kinds.map(({ type }) => type).join(", ")}`,
  override: true
})

/** A name for a subscription's list. */
export const EventName = Schema.Literal(...subscribable.map((kind) => kind.type)).annotations({
  identifier: "EventName",
  description: "Event type that an endpoint can subscribe to",
  message: () => oneOf(subscribable)
})
export type EventName = (typeof subscribable)[number]["type"]

/** The type of any delivered event: the subscribable names and `webhook.ping`. */
export const EventType = Schema.Literal(...catalogue.map((kind) => kind.type)).annotations({
  identifier: "DeliveredEventType",
  description: "Event type",
  message: () => oneOf(catalogue)
})
export type EventType = EventKind["type"]

/** The body of any delivery. */
export const Payload = Schema.Union(...catalogue.map((kind) => kind.payload))
export type Payload = typeof Payload.Type

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" }
})

const headers = [
  header(
    "Service-Signature",
    "`t=<unix_seconds>,v1=<hex HMAC-SHA256 of <t>.<raw_body>>`, latest secret first; up to two more `v1`, each for 24 hours after its secret was replaced"
  ),
  header("Service-Event-ID", "Id of the event, the same on every attempt"),
  header("Service-Event-Type", "Type of the event"),
  header("Service-Timestamp", "Unix seconds of the attempt"),
  header("webhook-id", "Id of the event, as Standard Webhooks names it"),
  header("webhook-timestamp", "Unix seconds of the attempt, as Standard Webhooks names them"),
  header(
    "webhook-signature",
    "`v1,<base64>`, as in Standard Webhooks, latest secret first: up to three, separated by spaces"
  )
]

const definitions: Record<string, JSONSchema.JsonSchema7> = {}

/** Adds the parts of the schema to `definitions` and returns a reference to it. */
const reference = ({ payload }: EventKind) =>
  JSONSchema.fromAST(payload.ast, {
    additionalPropertiesStrategy: "allow",
    definitionPath: "#/components/schemas/",
    definitions,
    target: "openApi3.1"
  })

const operation = (kind: EventKind) => ({
  post: {
    operationId: `deliver.${kind.type}`,
    summary: kind.type,
    description: kind.description,
    tags: ["webhooks"],
    parameters: headers,
    requestBody: {
      description: kind.description,
      required: true,
      content: {
        "application/json": { schema: reference(kind), example: kind.examplePayload }
      }
    },
    responses: {
      "2XX": { description: "Accepted; Findable ignores the body" },
      "410": { description: "Gone: Findable disables the endpoint" },
      default: { description: "Failed: Findable retries later, after `Retry-After` if a 429 or 503 has one" }
    }
  }
})

/** The `webhooks` section of the OpenAPI 3.1 document, one entry per type of event, and its schemas for `components.schemas`. */
export const deliveries = {
  schemas: definitions,
  webhooks: Object.fromEntries(catalogue.map((kind) => [kind.type, operation(kind)]))
}
