import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"

/** Descriptions that the schema library generates; the keywords beside them say the same. */
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

/** Whether the schema library added a keyword. A `title` that is a string is a keyword: a field called so maps to a schema. */
const isNoise = (value: unknown, key: string) =>
  (key === "title" && typeof value === "string") ||
  (key === "$id" && typeof value === "string") ||
  (key === "additionalProperties" && value === true) ||
  (key === "description" && typeof value === "string" && generated.test(value))

/** A reference with a text of its own as OpenAPI 3.1 writes it: siblings, from which generators make no type of their own. */
const asReference = ({ allOf, ...schema }: Json): Json => {
  const [only, ...others] = Array.isArray(allOf) ? allOf : []
  return isJson(only) && "$ref" in only && others.length === 0
    ? { ...only, ...schema }
    : { ...schema, ...(allOf === undefined ? {} : { allOf }) }
}

/** Removes the library's titles and descriptions from all schemas below a value. Fields may have the names of keywords. */
export const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (!isJson(value)) return value
  return Record.map(
    Record.filter(asReference(asArray(value)), (item, key) => !isNoise(item, key)),
    (item, key) => {
      if (key === "properties" && isJson(item)) return Record.map(item, tidy)
      return key === "example" || key === "examples" ? item : tidy(item)
    }
  )
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
export const closed = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => closed(item, schemas))
  if (!isJson(schema)) return schema
  const target = schemas[nameOf(schema.$ref) ?? ""]
  if (isJson(target)) return closed({ ...target, ...Record.remove(schema, "$ref") }, schemas)
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

/** An object of a JSON document. */
export type Json = Record<string, unknown>

export const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

/** The properties of a schema; none of what is no object. */
export const propertiesOf = (schema: unknown): Json =>
  isJson(schema) && isJson(schema.properties) ? schema.properties : {}
