import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

type Json = Record<string, unknown>

const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

const header = (description: string, type: "string" | "integer") => ({ description, schema: { type } })

const requestId = { "X-Request-Id": header("id of this exchange, as in the log", "string") }

const rate = {
  "X-RateLimit-Limit": header("requests in the window at most", "integer"),
  "X-RateLimit-Remaining": header("requests left in the window", "integer"),
  "X-RateLimit-Reset": header("seconds until the oldest request leaves the window", "integer")
}

const retry = { "Retry-After": header("seconds after which a request succeeds", "integer") }

const challenge = { "WWW-Authenticate": header("what to authenticate with (RFC 6750)", "string") }

const headersOf = (status: string, authenticated: boolean) => ({
  ...requestId,
  ...(authenticated && status !== "401" ? rate : {}),
  ...(status === "401" ? challenge : {}),
  ...(status === "429" || status === "503" ? retry : {})
})

const response = (authenticated: boolean) => (value: unknown, status: string) =>
  isJson(value)
    ? { ...value, headers: { ...headersOf(status, authenticated), ...(isJson(value.headers) ? value.headers : {}) } }
    : value

const operation = (value: unknown): unknown => {
  if (!isJson(value) || !isJson(value.responses)) return value
  const authenticated = "401" in value.responses
  // The platform lists its own decoding error for every endpoint; ours is the declared 422.
  const responses = Record.remove(value.responses, "400")
  return {
    ...value,
    ...(authenticated ? { security: [{ bearer: [] }, { apiKey: [] }] } : { security: [] }),
    responses: Record.map(responses, response(authenticated))
  }
}

const methods = new Set(["get", "post", "put", "patch", "delete"])

const pathItem = (value: unknown): unknown =>
  isJson(value) ? Record.map(value, (item, key) => (methods.has(key) ? operation(item) : item)) : value

/** Completes the generated OpenAPI document: headers of every answer, the two ways to send a key, no 400 that is never sent. */
export const complete = (document: Json): Json => ({
  ...document,
  components: {
    ...(isJson(document.components) ? document.components : {}),
    securitySchemes: {
      apiKey: { in: "header", name: "X-API-Key", type: "apiKey" },
      bearer: { bearerFormat: "fnd_live_… or fnd_test_…", scheme: "bearer", type: "http" }
    }
  },
  paths: isJson(document.paths) ? Record.map(document.paths, pathItem) : {}
})
