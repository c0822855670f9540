import * as JSONSchema from "effect/JSONSchema"
import { catalogue, type EventKind } from "./Catalogue.ts"

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
    "`t=<unix_seconds>,v1=<hex HMAC-SHA256 of <t>.<raw_body>>`, newest secret first: up to two more `v1`, each for 24 hours after its secret was replaced"
  ),
  header("Service-Event-ID", "Id of the event, the same on every attempt"),
  header("Service-Event-Type", "Type of the event"),
  header("Service-Timestamp", "Unix seconds of the attempt"),
  header("webhook-id", "Id of the event, as Standard Webhooks names it"),
  header("webhook-timestamp", "Unix seconds of the attempt, as Standard Webhooks names them"),
  header(
    "webhook-signature",
    "`v1,<base64>`, as Standard Webhooks signs, newest secret first: up to three, with spaces between"
  )
]

const definitions: Record<string, JSONSchema.JsonSchema7> = {}

/** Adds the parts of the schema to `definitions` and answers the reference to it. */
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
      "2XX": { description: "Accepted; the body is not interpreted" },
      "410": { description: "No longer wanted: the subscription is deactivated" },
      default: { description: "Not accepted: sent again later, after `Retry-After` where a 429 or 503 has one" }
    }
  }
})

/** The `webhooks` section of the OpenAPI 3.1 document: one entry per type of event. */
export const webhooks = Object.fromEntries(catalogue.map((kind) => [kind.type, operation(kind)]))

/** The schemas that the `webhooks` section refers to in `components.schemas`. */
export const schemas: Readonly<Record<string, JSONSchema.JsonSchema7>> = definitions
