import * as JSONSchema from "effect/JSONSchema"
import * as Record from "effect/Record"
import { AnyEnvelope } from "../http/ApiError.ts"
import {
  type Facts,
  headers,
  inlined,
  isJson,
  type Json,
  noFacts,
  numbersOf,
  operation,
  reached,
  tidy
} from "./Operation.ts"

/** Adds the error envelope with any code, for responses that the contract does not declare. */
const withError = (schemas: Json): Json => {
  const definitions: Record<string, JSONSchema.JsonSchema7> = {}
  JSONSchema.fromAST(AnyEnvelope.ast, {
    additionalPropertiesStrategy: "allow",
    definitionPath: "#/components/schemas/",
    definitions,
    target: "openApi3.1"
  })
  return { ...schemas, ...definitions }
}

const methods = new Set(["get", "post", "put", "patch", "delete"])

const ofThePlatform = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])

const schemasOf = (components: unknown): Json =>
  isJson(components) && isJson(components.schemas)
    ? Record.filter(components.schemas, (_, name) => !ofThePlatform.has(name))
    : {}

const inWords = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ")

/** Groups keep the names that clients use; the reference shows them in words. */
const tagged = (tag: unknown) =>
  isJson(tag) && typeof tag.name === "string" ? { ...tag, "x-displayName": inWords(tag.name) } : tag

/** The deliveries of webhooks: an operation for each type of event, with the schemas of the operations. */
export interface Deliveries {
  readonly schemas: Json
  readonly webhooks: Json
}

/**
 * Completes the generated OpenAPI document: scopes, headers and errors of each operation, closed bodies, and deliveries. Removes additions of the schema
 * library.
 */
export const complete = (document: Json, facts: ReadonlyMap<string, Facts>, deliveries: Deliveries): Json => {
  const generated = withError({ ...deliveries.schemas, ...schemasOf(document.components) })
  const tidied = tidy(generated)
  const all: Json = isJson(tidied) ? tidied : {}
  const numbers = numbersOf(all)
  const simplified = inlined(
    Record.filter(all, (_, name) => !(name in numbers)),
    numbers
  )
  const schemas: Json = isJson(simplified) ? simplified : {}
  const written = (value: unknown) => inlined(tidy(value), numbers)
  const paths = Record.map(isJson(document.paths) ? document.paths : {}, (item, path) =>
    isJson(item)
      ? Record.map(item, (value, method) => {
          const plain = written(value)
          return methods.has(method) && isJson(plain)
            ? operation(plain, method, facts.get(`${method} ${path}`) ?? noFacts, schemas)
            : plain
        })
      : item
  )
  const webhooks = written(deliveries.webhooks)
  const used = reached([paths, webhooks], schemas)
  return {
    ...document,
    components: {
      headers,
      schemas: Record.filter(schemas, (_, name) => used.has(name)),
      securitySchemes: {
        apiKey: { description: "The API key itself", in: "header", name: "X-API-Key", type: "apiKey" },
        bearer: {
          bearerFormat: "fnd_live_… or fnd_test_…",
          description: "`Authorization: Bearer <key>`",
          scheme: "bearer",
          type: "http"
        }
      }
    },
    paths,
    tags: Array.isArray(document.tags) ? document.tags.map(tagged) : [],
    webhooks
  }
}

/** The document of a program that sends no deliveries, without the deliveries' bodies and schemas. */
export const withoutWebhooks = ({ webhooks: _, ...document }: Json): Json => {
  const { components, paths } = document
  if (!isJson(components) || !isJson(components.schemas)) return document
  const used = reached([paths], components.schemas)
  return {
    ...document,
    components: { ...components, schemas: Record.filter(components.schemas, (_, name) => used.has(name)) }
  }
}
