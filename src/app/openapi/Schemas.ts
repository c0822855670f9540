import * as Record from "effect/Record"
import { isJson, type Json } from "./Json.ts"

/** Descriptions that the schema library writes by itself; the keywords beside them say the same. */
const byItself =
  /^an? (?:string|non empty string|number|finite number|non-negative number|positive number|integer|array)\b/

/** A list of fixed length whose items are all alike, as a plain array: few readers know `prefixItems`. */
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

/** Whether a keyword is the schema library's own: a title that is a string belongs to no field, since a field's name maps to a schema. */
const isNoise = (value: unknown, key: string) =>
  (key === "title" && typeof value === "string") ||
  (key === "$id" && typeof value === "string") ||
  (key === "additionalProperties" && value === true) ||
  (key === "description" && typeof value === "string" && byItself.test(value))

/** Schemas below a value without the library's own titles and descriptions. Fields may be called like keywords. */
export const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isJson(value)) return value
  return Record.map(
    Record.filter(asArray(value), (item, key) => !isNoise(item, key)),
    (item, key) => {
      if (key === "properties" && isJson(item)) return Record.map(item, tidy)
      return key === "example" || key === "examples" ? item : tidy(item)
    }
  )
}

const nameOf = (reference: unknown) =>
  typeof reference === "string" ? reference.replace("#/components/schemas/", "") : undefined

/** Replaces references to schemas that only name a number by the number. */
export const inlined = (value: unknown, numbers: Readonly<Record<string, Json>>): unknown => {
  if (Array.isArray(value)) return value.map((item) => inlined(item, numbers))
  if (!isJson(value)) return value
  const number = numbers[nameOf(value.$ref) ?? ""]
  return number === undefined
    ? Record.map(value, (item) => inlined(item, numbers))
    : { ...number, ...Record.remove(value, "$ref") }
}

/** The schemas that are a number and no more, whose names are the library's. */
export const numbersOf = (schemas: Json): Readonly<Record<string, Json>> =>
  Record.filter(
    schemas,
    (schema): schema is Json => isJson(schema) && (schema.type === "integer" || schema.type === "number")
  )

/** A body that the server takes is closed: a field that it does not know is refused. */
export const closed = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => closed(item, schemas))
  if (!isJson(schema)) return schema
  const target = schemas[nameOf(schema.$ref) ?? ""]
  if (target !== undefined) return closed(target, schemas)
  const inner = Record.map(schema, (item, key) =>
    key === "properties" && isJson(item) ? Record.map(item, (field) => closed(field, schemas)) : closed(item, schemas)
  )
  return schema.type === "object" && isJson(schema.properties) ? { ...inner, additionalProperties: false } : inner
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
