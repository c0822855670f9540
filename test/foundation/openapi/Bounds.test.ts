import { describe, expect, test } from "bun:test"
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Api } from "../../../src/Api.ts"
import * as Examples from "../../../src/foundation/openapi/Examples.ts"
import { isJson, type Json } from "../../../src/foundation/openapi/Operation.ts"

const document = OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" })
const schemas: Json = Object(document.components.schemas)
const examples = await Effect.runPromise(Examples.of(Api.groups))

const resolved = (schema: Json): Json => {
  const target = typeof schema.$ref === "string" ? schemas[schema.$ref.replace(/^.*\//, "")] : undefined
  return isJson(target) ? resolved(target) : schema
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isSafeInteger,
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  object: isJson,
  string: (value) => typeof value === "string"
}

const formats: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT/,
  uri: /^https?:/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
}

const within = (value: number, least: unknown, most: unknown) =>
  (typeof least !== "number" || value >= least) && (typeof most !== "number" || value <= most)

/** Whether the document allows a value, by the JSON Schema keywords for size and form. */
const allows = (written: Json, value: unknown): boolean => {
  const schema = resolved(written)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isJson).some((one) => allows(one, value))
  if (typeof schema.type === "string" && types[schema.type]?.(value) === false) return false
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false
  if (typeof value === "number") return within(value, schema.minimum, schema.maximum)
  if (typeof value === "string") {
    return (
      within(value.length, schema.minLength, schema.maxLength) &&
      (typeof schema.pattern !== "string" || new RegExp(schema.pattern, "u").test(value)) &&
      (typeof schema.format !== "string" || formats[schema.format]?.test(value) !== false)
    )
  }
  if (!Array.isArray(value)) return true
  const { items } = schema
  return (
    within(value.length, schema.minItems, schema.maxItems) &&
    (!isJson(items) || value.every((item) => allows(items, item)))
  )
}

const texts = [
  "",
  "a",
  ...[20, 40, 100, 200, 201, 500, 501, 1000, 2001, 8192, 8193, 20_000].map((length) => "a".repeat(length))
]
const numbers = [-1, 0, 0.5, 1, 2, 10, 11, 25, 50, 51, 100, 101, 200, 500, 501, 1000, 1e6, 2 ** 53]
const values: ReadonlyArray<unknown> = [...texts, ...numbers, true, null]

interface Place {
  readonly title: string
  readonly name: string
  readonly schema: Json
  /** The error of the contract for a value at this place. */
  readonly problem: (value: unknown) => string | undefined
  readonly isQuery: boolean
}

const places = () => {
  const found: Array<Place> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
      const operation = Object(document.paths[path])[endpoint.method.toLowerCase()]
      const example = examples[`${group.identifier}.${endpoint.name}`]
      const add = (
        part: Option.Option<Schema.Schema.All>,
        base: unknown,
        known: ReadonlyArray<readonly [string, Json]>,
        isQuery: boolean
      ) => {
        if (Option.isNone(part)) return
        const decode = Schema.decodeUnknownEither(Schema.make<unknown>(part.value.ast))
        for (const [name, schema] of known) {
          found.push({
            isQuery,
            name,
            problem: (value) => {
              const decoded = decode({ ...Object(base), [name]: value })
              if (Either.isRight(decoded)) return undefined
              const issues = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
              return issues.find(({ path }) => path[0] === name)?.message
            },
            schema,
            title: `${endpoint.method} ${path}`
          })
        }
      }
      const body = Object(operation.requestBody?.content["application/json"]?.schema?.properties)
      const fields = Object.entries(body).flatMap(([name, schema]) => (isJson(schema) ? [[name, schema] as const] : []))
      const parameters = operation.parameters.flatMap(({ in: place, name, schema }: Json) =>
        place === "query" && isJson(schema) ? [[String(name), schema] as const] : []
      )
      add(endpoint.payloadSchema, example?.request.body, fields, false)
      add(endpoint.urlParamsSchema, example?.request.query, parameters, true)
    }
  })
  return found
}

/** Fields that accept more than the document describes: any value has no effect, and the use case refuses an unknown name with the most similar one. */
const isOpen = ({ name, title }: Place) =>
  (title === "POST /api/v1/audits" && (name === "generate_fix_packs" || name === "verify_ssl")) ||
  (title === "POST /api/v1/webhooks/{webhook_id}/test" && name === "type")

describe("the document and the contract agree on values that are too small, too large or malformed", () => {
  for (const [title, ofEndpoint] of Map.groupBy(places(), ({ title }) => title)) {
    test(title, () => {
      const differences = ofEndpoint.flatMap((place) => {
        const { isQuery, name, problem, schema } = place
        const { type } = resolved(schema)
        const isNumber = type === "integer" || type === "number"
        // A query has only texts: numbers as texts for a number, other texts for other types.
        const asked = isQuery ? (isNumber ? numbers : texts) : values
        return asked.flatMap((value) => {
          const isAllowed = allows(schema, value)
          const said = problem(isQuery ? String(value) : value)
          if (isAllowed === (said === undefined) || (!isAllowed && isOpen(place))) return []
          const shown = JSON.stringify(value).slice(0, 30)
          return [`${name} ${shown}: the document ${isAllowed ? "allows" : "refuses"} it, the contract says ${said}`]
        })
      })
      expect(differences).toEqual([])
    })
  }
})
