import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import { codes } from "./http/Failure.ts"
import * as OpenApiWebhooks from "./webhooks/OpenApi.ts"

type Json = Record<string, unknown>

const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

const header = (description: string, type: "string" | "integer") => ({ description, schema: { type } })

/** Headers of answers, each declared once. */
const headers = {
  Allow: header("methods of the route", "string"),
  Location: header("where the thing is", "string"),
  "Retry-After": header("seconds after which a request succeeds", "integer"),
  "WWW-Authenticate": header("what to authenticate with (RFC 6750)", "string"),
  "X-RateLimit-Limit": header("requests, or runs, in the window at most", "integer"),
  "X-RateLimit-Remaining": header("what is left in the window", "integer"),
  "X-RateLimit-Reset": header("seconds until the oldest leaves the window", "integer"),
  "X-Request-Id": header("id of this exchange, as in the error envelope and the log", "string")
}

const refer = (...names: ReadonlyArray<keyof typeof headers>) =>
  Record.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const headersOf = (status: string, authenticated: boolean) =>
  refer(
    "X-Request-Id",
    ...(authenticated && status !== "401"
      ? (["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const)
      : []),
    ...(status === "401" ? (["WWW-Authenticate"] as const) : []),
    ...(status === "202" ? (["Location"] as const) : []),
    ...(status === "429" || status === "503" ? (["Retry-After"] as const) : [])
  )

/** The errors of reading a body, which no contract declares: every endpoint that takes one has them. */
const unreadable = Record.fromEntries(
  (["payload_too_large", "unsupported_media_type"] as const).map((code) => [
    String(codes[code].status),
    {
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      description: `\`${code}\`: ${codes[code].meaning}`
    }
  ])
)

/** The envelope in general: any code of the table. */
const errorSchema = {
  properties: {
    error: {
      properties: {
        code: { enum: Object.keys(codes), type: "string" },
        details: { items: { $ref: "#/components/schemas/FieldProblem" }, type: "array" },
        message: { type: "string" },
        request_id: { type: "string" }
      },
      required: ["code", "message", "request_id"],
      type: "object"
    }
  },
  required: ["error"],
  type: "object"
}

const operation = (value: unknown): unknown => {
  if (!isJson(value) || !isJson(value.responses)) return value
  const authenticated = "401" in value.responses
  // The platform lists its own decoding error for every endpoint; ours is the declared 422.
  const responses = { ...Record.remove(value.responses, "400"), ...("requestBody" in value ? unreadable : {}) }
  return {
    ...value,
    responses: Record.map(responses, (response, status) =>
      isJson(response) ? { ...response, headers: headersOf(status, authenticated) } : response
    ),
    security: authenticated ? [{ bearer: [] }, { apiKey: [] }] : []
  }
}

const methods = new Set(["get", "post", "put", "patch", "delete"])

const pathItem = (value: unknown): unknown =>
  isJson(value) ? Record.map(value, (item, key) => (methods.has(key) ? operation(item) : item)) : value

const ofThePlatform = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])

const schemasOf = (components: unknown): Json =>
  isJson(components) && isJson(components.schemas)
    ? Record.filter(components.schemas, (_, name) => !ofThePlatform.has(name))
    : {}

/** Completes the generated OpenAPI document: headers of every answer, the two ways to send a key, no 400 that is never sent. */
export const complete = (document: Json): Json => ({
  ...document,
  components: {
    headers,
    schemas: { ...OpenApiWebhooks.schemas, ...schemasOf(document.components), Error: errorSchema },
    securitySchemes: {
      apiKey: { in: "header", name: "X-API-Key", type: "apiKey" },
      bearer: { bearerFormat: "fnd_live_… or fnd_test_…", scheme: "bearer", type: "http" }
    }
  },
  paths: isJson(document.paths) ? Record.map(document.paths, pathItem) : {},
  webhooks: OpenApiWebhooks.webhooks
})
