import * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { codes } from "../http/ApiError.ts"
import { Exportable, FileBody } from "../http/Contract.ts"

/** Facts of an operation in the contract that the generated document lacks. */
export interface Facts {
  /** The scope that a key needs; undefined for operations without a key. */
  readonly scope: string | undefined
  /** Whether the whole list is also available as CSV and NDJSON. */
  readonly isExportable: boolean
  /** Description of the file in its body; undefined for other bodies. */
  readonly file: string | undefined
  /** Descriptions of query parameters and headers, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** Descriptions of the fields of its body, by name. */
  readonly fields: Readonly<Record<string, string>>
}

/** The facts of an operation that is not in the contract. */
export const noFacts: Facts = { fields: {}, file: undefined, isExportable: false, parameters: {}, scope: undefined }

/** Descriptions of the fields themselves. For a struct with defaults, the platform writes only the descriptions of the fields' schemas. */
const texts = (schema: Option.Option<Schema.Schema.All>): Readonly<Record<string, string>> =>
  Option.match(schema, {
    onNone: () => ({}),
    onSome: ({ ast }) =>
      Record.fromEntries(
        AST.getPropertySignatures(AST.isTransformation(ast) ? ast.to : ast).flatMap((signature) =>
          Option.toArray(AST.getDescriptionAnnotation(signature)).map((text) => [String(signature.name), text] as const)
        )
      )
  })

/** The facts of every operation, by method and path as the document writes them. */
export const factsOf = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): ReadonlyMap<string, Facts> => {
  const facts = new Map<string, Facts>()
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const key = Array.from(middleware, (tag) => tag.key).find((name) => name.startsWith("scope/"))
      facts.set(`${endpoint.method.toLowerCase()} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`, {
        fields: texts(endpoint.payloadSchema),
        file: Option.getOrUndefined(Context.getOption(endpoint.annotations, FileBody)),
        isExportable: Option.isSome(Context.getOption(endpoint.annotations, Exportable)),
        parameters: { ...texts(endpoint.urlParamsSchema), ...texts(endpoint.headersSchema) },
        scope: key?.slice("scope/".length)
      })
    }
  })
  return facts
}

/** Descriptions that the schema library generates; the keywords beside them have the same meaning. */
const generated =
  /^an? (?:string|non empty string|number|finite number|non-negative number|positive number|integer|array)\b/

/** A tuple of equal items as a plain array, since few tools support `prefixItems`. */
const asArray = ({ prefixItems, ...schema }: Json): Json => {
  if (!Array.isArray(prefixItems)) return schema
  const [first, ...others] = prefixItems.map((item) =>
    JSON.stringify(isJson(item) ? Record.remove(item, "description") : item)
  )
  return others.every((other) => other === first)
    ? {
        ...schema,
        items: JSON.parse(first ?? "{}"),
        maxItems: prefixItems.length,
        minItems: prefixItems.length
      }
    : { ...schema, prefixItems }
}

/** Whether the schema library added a keyword. A `title` with a string is a keyword; a field named `title` has a schema. */
const isNoise = (value: unknown, key: string) =>
  (key === "title" && typeof value === "string") ||
  (key === "$id" && typeof value === "string") ||
  (key === "additionalProperties" && value === true) ||
  (key === "description" && typeof value === "string" && generated.test(value))

/** A reference with its own description in the form of OpenAPI 3.1: as siblings, which make no extra type in generators. */
const asReference = ({ allOf, ...schema }: Json): Json => {
  const [only, ...others] = Array.isArray(allOf) ? allOf : []
  return isJson(only) && "$ref" in only && others.length === 0
    ? { ...only, ...schema }
    : { ...schema, ...(allOf === undefined ? {} : { allOf }) }
}

/** A choice with each schema once. A single schema is no choice. */
const asChoice = ({ anyOf, ...schema }: Json): Json => {
  if (!Array.isArray(anyOf)) return schema
  const [only, ...others] = [...new Map(anyOf.map((one) => [JSON.stringify(one), one])).values()]
  return isJson(only) && others.length === 0 ? { ...only, ...schema } : { ...schema, anyOf: [only, ...others] }
}

/** Removes the library's titles and descriptions from all schemas below a value. Fields may have the names of keywords. */
export const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isJson(value)) return value
  const tidied = Record.map(
    Record.filter(asReference(asArray(value)), (item, key) => !isNoise(item, key)),
    (item, key) => {
      if (key === "properties" && isJson(item)) return Record.map(item, tidy)
      return key === "example" || key === "examples" ? item : tidy(item)
    }
  )
  return asChoice(tidied)
}

const nameOf = (reference: unknown) =>
  typeof reference === "string" ? reference.replace("#/components/schemas/", "") : undefined

/** Inlines references to schemas that are only a number. */
export const inlined = (value: unknown, numbers: Readonly<Record<string, Json>>): unknown => {
  if (Array.isArray(value)) return value.map((item) => inlined(item, numbers))
  if (!isJson(value)) return value
  const number = numbers[nameOf(value.$ref) ?? ""]
  return number === undefined
    ? Record.map(value, (item) => inlined(item, numbers))
    : { ...number, ...Record.remove(value, "$ref") }
}

/** The schemas that are only a number; the library names them. */
export const numbersOf = (schemas: Json): Readonly<Record<string, Json>> =>
  Record.filter(
    schemas,
    (schema): schema is Json => isJson(schema) && (schema.type === "integer" || schema.type === "number")
  )

/** Closes the schema of a body, since the server refuses unknown fields. */
const closed = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => closed(item, schemas))
  if (!isJson(schema)) return schema
  const target = schemas[nameOf(schema.$ref) ?? ""]
  if (isJson(target)) return closed({ ...target, ...Record.remove(schema, "$ref") }, schemas)
  const inner = Record.map(schema, (item, key) =>
    key === "properties" && isJson(item) ? Record.map(item, (field) => closed(field, schemas)) : closed(item, schemas)
  )
  // A schema with `additionalProperties` describes an open object.
  return schema.type === "object" && isJson(schema.properties) && !("additionalProperties" in schema)
    ? { ...inner, additionalProperties: false }
    : inner
}

/** The names of all schemas that a value refers to, directly or through others. */
export const reached = (value: unknown, schemas: Json, seen = new Set<string>()): Set<string> => {
  for (const [, name = ""] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (seen.has(name)) continue
    seen.add(name)
    reached(schemas[name], schemas, seen)
  }
  return seen
}

/** An object of a JSON document. */
export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

/** Properties of an object schema; empty for other schemas. */
const propertiesOf = (schema: unknown): Json => (isJson(schema) && isJson(schema.properties) ? schema.properties : {})

/** The contract declares ids in paths as any text, because a malformed id ends with 404. The document shows their form. */
const pathIds: Readonly<Record<string, Json>> = {
  day: { format: "date", type: "string" },
  delivery_id: { pattern: "^dlv_", type: "string" },
  event_id: { pattern: "^evt_", type: "string" },
  fix_id: { type: "string" },
  keyword_id: { pattern: "^kw_", type: "string" },
  webhook_id: { pattern: "^wh_", type: "string" }
}
const uuid = { format: "uuid", type: "string" }

/** Header names in title case. */
const titled = (name: string) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** A plain `id` belongs to the thing of its group: `growth-projects.get` takes a `growth_project_id`. */
const idName = (operation: unknown) =>
  `${String(operation)
    .replace(/s?\..*$/, "")
    .replaceAll("-", "_")}_id`

/** Words for the things of ids, if the contract has other names. */
const subjects: Readonly<Record<string, string>> = {
  growth_project: "experiment domain",
  intervention: "change",
  project: "site",
  run: "crawl",
  webhook: "endpoint"
}

/** A parameter of an operation in the document: header names in title case, the form of ids, one description. */
const parameter =
  (operation: unknown, texts: Facts["parameters"]) =>
  (value: unknown): unknown => {
    if (!isJson(value) || typeof value.name !== "string") return value
    const { schema, ...rest } = value
    const description = texts[value.name] ?? value.description
    // The description is beside the schema only.
    const known = { ...rest, description, schema: isJson(schema) ? Record.remove(schema, "description") : schema }
    if (value.in === "header") return { ...known, name: titled(value.name) }
    if (value.in !== "path") return known
    const name = value.name === "id" ? idName(operation) : value.name
    const own = name.replace(/_id$/, "")
    const subject = subjects[own] ?? own.replaceAll("_", " ")
    return { ...known, description: description ?? `Id of the ${subject}`, schema: pathIds[name] ?? uuid }
  }

const header = (description: string, schema: Json) => ({ description, schema })
const text = { type: "string" }
const count = { minimum: 0, type: "integer" }
const seconds = { minimum: 1, type: "integer" }

/** Headers of responses. */
export const headers = {
  Allow: header("methods that the endpoint has", text),
  ETag: header("version of this response: send it back in `If-None-Match` to get 304 when nothing changed", text),
  Location: header("URL of the created object", { format: "uri-reference", type: "string" }),
  "Retry-After": header("seconds to wait before the next request", seconds),
  "WWW-Authenticate": header("how to authenticate (RFC 6750)", text),
  "X-RateLimit-Limit": header("maximum requests, or crawls, in the window", count),
  "X-RateLimit-Remaining": header("requests, or crawls, left in the window", count),
  "X-RateLimit-Reset": header("seconds until the window has room again", seconds),
  "X-Request-Id": header("id of this request, as in the error response and the log", text)
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

/** Errors of bodies and routes, which the contract does not declare, by status. */
const undeclared = (codesOf: ReadonlyArray<keyof typeof codes>) =>
  Record.fromEntries(codesOf.map((code) => [String(codes[code].status), error(code)]))

/** Descriptions of successes that the contract does not describe. */
const successes: Readonly<Record<string, string>> = {
  "200": "The response",
  "201": "Created; `Location` is its URL",
  "202": "Accepted; `Location` is the URL to poll",
  "204": "Done; the response has no body"
}

/** A placeholder for the success of an operation without one, so clients can be written before the success exists. */
const reserved = { "202": { description: "Reserved: this version never returns it" } }

const unchanged = { "304": { description: "Not modified since the version in `If-None-Match`" } }

/** A parameter or field with the contract's description, if any. */
const withText = (value: Json, description: string | undefined): Json =>
  description === undefined ? value : { ...value, description }

const jsonSchemaOf = (body: Json) => {
  const media = isJson(body.content) ? body.content["application/json"] : undefined
  return isJson(media) ? media.schema : undefined
}

/** The members of a choice, which the platform nests; any other schema alone. */
const choicesOf = (schema: Json): ReadonlyArray<Json> =>
  Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJson).flatMap(choicesOf) : [schema]

/** The meaning of each code, for a response with several errors. The platform describes the first error only. */
const meanings = (response: Json, schemas: Json): string | undefined => {
  const schema = jsonSchemaOf(response)
  if (!isJson(schema) || !Array.isArray(schema.anyOf)) return undefined
  const texts = choicesOf(schema).flatMap(({ $ref }) => {
    const named = schemas[nameOf($ref) ?? ""]
    return isJson(named) && typeof named.description === "string" ? named.description.split(/; (?=`\w+`:)/) : []
  })
  return texts.length === 0 ? undefined : [...new Set(texts)].join("; ")
}

/** The body that the server accepts: closed, and optional when it is an object without required fields. A choice gets a description of its members. */
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
  const needed = choices.every(
    ({ required, type }) => type === "array" || (Array.isArray(required) && required.length > 0)
  )
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
      ? "Needs an API key with any scope."
      : `Needs an API key with the scope \`${scope}\`.`

const repeatNotes: Readonly<Record<string, string>> = {
  delete: "A second request returns 404.",
  get: "Read-only.",
  patch: "Safe to retry: a second request has the same result.",
  put: "Safe to retry: a second request has the same result."
}

const postNote = (parameters: ReadonlyArray<unknown>) =>
  parameters.some((value) => isJson(value) && value.name === "Idempotency-Key")
    ? "Safe to retry with an `Idempotency-Key`: a repeated request returns 200 with the result of the first."
    : "Takes no `Idempotency-Key`."

const exportNote =
  "Send `Accept: text/csv` or `application/x-ndjson` to stream the whole list: `limit` is ignored, and `cursor` is rejected. An account can have four such exports open at a time on a server; one that is read at less than 64 KiB a minute is aborted."

/** The media types of an exported list; OpenAPI 3.1 has no schemas for them. */
const withExports = (content: unknown) => ({
  ...(isJson(content) ? content : {}),
  "application/x-ndjson": { schema: { description: "one record of `data` per line, as JSON", type: "string" } },
  "text/csv": {
    schema: {
      description: "RFC 4180: a header row, then one row per record; objects and lists are JSON text",
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
                ? (successes[status] ?? "The response")
                : ((status.startsWith("4") ? meanings(response, schemas) : undefined) ?? response.description),
            headers: headersOf(status, scope, creates, method === "get")
          }
        : response
    ),
    security: scope === undefined ? [] : [{ bearer: [] }, { apiKey: [] }]
  }
}
