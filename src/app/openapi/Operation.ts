import * as Record from "effect/Record"
import { codes } from "../../foundation/http/ErrorCodes.ts"
import type { Facts } from "./Facts.ts"
import { parameter } from "./Parameters.ts"
import { closed, isJson, type Json, propertiesOf } from "./Schemas.ts"

const header = (description: string, schema: Json) => ({ description, schema })
const text = { type: "string" }
const count = { minimum: 0, type: "integer" }
const seconds = { minimum: 1, type: "integer" }

/** Headers of answers. */
export const headers = {
  Allow: header("methods of the route", text),
  ETag: header("names this state: sent back in `If-None-Match`, an unchanged answer is 304", text),
  Location: header("URL of the thing", { format: "uri-reference", type: "string" }),
  "Retry-After": header("seconds after which a request succeeds", seconds),
  "WWW-Authenticate": header("how to authenticate (RFC 6750)", text),
  "X-RateLimit-Limit": header("requests, or runs, in the window at most", count),
  "X-RateLimit-Remaining": header("what is left in the window", count),
  "X-RateLimit-Reset": header("seconds until the oldest one leaves the window", seconds),
  "X-Request-Id": header("id of this request, as in the error envelope and the log", text)
}

const refer = (...names: ReadonlyArray<keyof typeof headers>) =>
  Record.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const headersOf = (status: string, scope: string | undefined, creates: boolean, isRead: boolean) =>
  refer(
    "X-Request-Id",
    ...(status === "429" || (scope !== undefined && status !== "401" && status !== "405")
      ? (["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const)
      : []),
    ...(status === "401" ? (["WWW-Authenticate"] as const) : []),
    ...(isRead && (status === "200" || status === "304") ? (["ETag"] as const) : []),
    ...(status === "405" ? (["Allow"] as const) : []),
    ...(creates && status.startsWith("2") ? (["Location"] as const) : []),
    ...(status === "429" || status === "503" ? (["Retry-After"] as const) : [])
  )

const error = (code: keyof typeof codes) => ({
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  description: `\`${code}\`: ${codes[code].meaning}`
})

/** Errors that the contract does not declare, by status: of bodies, and of routes. */
const undeclared = (codesOf: ReadonlyArray<keyof typeof codes>) =>
  Record.fromEntries(codesOf.map((code) => [String(codes[code].status), error(code)]))

/** Descriptions of successes that the contract does not describe. */
const successes: Readonly<Record<string, string>> = {
  "200": "The answer",
  "201": "Created; `Location` has its URL",
  "202": "Accepted; `Location` has the URL of its state",
  "204": "Done; the answer has no body"
}

/** For an operation without a declared success, so that clients can be written before there is one. */
const reserved = { "202": { description: "Reserved: this version never answers it" } }

const unchanged = { "304": { description: "The caller has it already: its `If-None-Match` names this state" } }

/** A parameter or field with its description where the contract has one. */
const withText = (value: Json, description: string | undefined): Json =>
  description === undefined ? value : { ...value, description }

const jsonSchemaOf = (body: Json) => {
  const media = isJson(body.content) ? body.content["application/json"] : undefined
  return isJson(media) ? media.schema : undefined
}

/** The members of a choice, which the platform nests; of any other schema itself. */
const choicesOf = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJson).flatMap(choicesOf) : [schema]

/** The body that the server takes: closed, and optional when no field is required. A choice is described by what there is to choose from. */
const requestBody = (body: unknown, schemas: Json, texts: Facts["fields"]): Json => {
  if (!isJson(body)) return {}
  const inner = closed(jsonSchemaOf(body), schemas)
  const fields = Record.map(propertiesOf(inner), (field, name) =>
    isJson(field) ? withText(field, texts[name]) : field
  )
  const { description: own, ...rest } = isJson(inner) ? inner : {}
  const choices = choicesOf(rest)
  const description = own ?? choices.flatMap(({ description }) => description ?? []).join("; or: ")
  const only = choices.length > 1 ? { anyOf: choices } : rest
  const schema = Object.keys(fields).length > 0 ? { ...rest, properties: fields } : only
  const needed = choices.every(({ required }) => Array.isArray(required) && required.length > 0)
  return { requestBody: { ...body, content: { "application/json": { schema } }, description, required: needed } }
}

/** Bytes have no schema in OpenAPI 3.1. Generated clients send the first type; the server takes any. */
const fileBody = (description: string): Json => ({
  requestBody: { content: { "application/octet-stream": {}, "*/*": {} }, description, required: true }
})

const scopeNote = (scope: string | undefined) =>
  scope === undefined
    ? "Needs no key."
    : scope === "any"
      ? "Needs a key, of any scope."
      : `Needs a key with the scope \`${scope}\`.`

const repeatNotes: Readonly<Record<string, string>> = {
  delete: "Sending it twice deletes once: the second answer is 404.",
  get: "Changes nothing.",
  patch: "Sending it twice leaves the same state.",
  put: "Sending it twice leaves the same state."
}

const postNote = (parameters: ReadonlyArray<unknown>) =>
  parameters.some((value) => isJson(value) && value.name === "Idempotency-Key")
    ? "With an `Idempotency-Key` it can be sent again safely: a repeated request gets 200 with what the first one made."
    : "Takes no `Idempotency-Key`."

const exportNote =
  "With `Accept: text/csv` or `application/x-ndjson` the whole list is streamed: `limit` is ignored, and `cursor` is refused. An account has four such answers at once on a node; one whose reader takes less than 64 KiB a minute is aborted."

/** The media types of an exported list, which OpenAPI 3.1 has no schemas for. */
const withExports = (content: unknown) => ({
  ...(isJson(content) ? content : {}),
  "application/x-ndjson": { schema: { description: "one record of `data` per line, as JSON", type: "string" } },
  "text/csv": {
    schema: {
      description:
        "RFC 4180: a row with the names of the fields, then one row per record; objects and lists are JSON text",
      type: "string"
    }
  }
})

/** An operation with everything that the contract implies. */
export const operation = (
  value: Json,
  method: string,
  { fields, file, isExportable, parameters: texts, scope }: Facts,
  schemas: Json
): Json => {
  if (!isJson(value.responses)) return value
  const declared = isJson(value.responses) ? value.responses : {}
  const parameters = (Array.isArray(value.parameters) ? value.parameters : []).map(parameter(value.operationId, texts))
  const creates = "201" in declared || "202" in declared
  // The platform adds its own 400 to every endpoint; the contract declares 422 instead.
  const responses: Json = {
    ...(Object.keys(declared).some((status) => status.startsWith("2")) ? {} : reserved),
    ...Record.remove(declared, "400"),
    ...(method === "get" ? unchanged : {}),
    ...undeclared([
      "method_not_allowed",
      ...("requestBody" in value ? (["payload_too_large", "unsupported_media_type"] as const) : [])
    ])
  }
  const descriptions = [
    ...(typeof value.description === "string" ? [value.description] : []),
    ...(isExportable ? [exportNote] : [])
  ]
  return {
    ...value,
    ...(file === undefined ? requestBody(value.requestBody, schemas, fields) : fileBody(file)),
    description: [...descriptions, `${scopeNote(scope)} ${repeatNotes[method] ?? postNote(parameters)}`].join("\n\n"),
    parameters,
    responses: Record.map(responses, (response, status) =>
      isJson(response)
        ? {
            ...response,
            ...(isExportable && status === "200" ? { content: withExports(response.content) } : {}),
            description:
              response.description === undefined || response.description === "Success"
                ? (successes[status] ?? "The answer")
                : response.description,
            headers: headersOf(status, scope, creates, method === "get")
          }
        : response
    ),
    security: scope === undefined ? [] : [{ bearer: [] }, { apiKey: [] }]
  }
}
