// JSON Schemas of the OpenAPI document as TypeScript types: the bodies and responses of the contract, for programs without a schema library.

export type Json = Readonly<Record<string, unknown>>

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields of an object of objects. */
export const entries = (value: unknown): ReadonlyArray<readonly [string, Json]> =>
  isJson(value) ? Object.entries(value).filter((entry): entry is [string, Json] => isJson(entry[1])) : []

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A description as a comment, or nothing. */
export const comment = (text: unknown, indent: string): string =>
  typeof text === "string" && text !== ""
    ? `${indent}/** ${text
        .replaceAll("*/", "*\\/")
        .replace(/\s*\n\s*/g, " ")
        .trim()} */\n`
    : ""

export const quoted = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** Keywords that TypeScript types cannot express, and that may be left out. */
const silent = new Set(
  "$comment $schema default deprecated description example examples exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf pattern readOnly title uniqueItems writeOnly".split(
    " "
  )
)

const known = new Set([
  ...silent,
  ..."$ref additionalProperties allOf anyOf const enum items oneOf properties required type".split(" ")
])

const union = (types: ReadonlyArray<string>) => [...new Set(types)].join(" | ") || "never"

const field = (indent: string, [name, schema]: readonly [string, unknown], isRequired: boolean) =>
  `${comment(isJson(schema) ? schema.description : undefined, indent)}${indent}readonly ${quoted(name)}${isRequired ? "" : "?"}: ${typeOf(schema, indent)}\n`

/** The fields of an object, between braces. */
export const fieldsOf = (schema: Json, indent: string): string => {
  const required = new Set(list(schema.required))
  const inner = `${indent}  `
  const named = Object.entries(isJson(schema.properties) ? schema.properties : {})
  const fields = named.map((entry) => field(inner, entry, required.has(entry[0])))
  return fields.length === 0 ? "{}" : `{\n${fields.join("")}${indent}}`
}

const objectOf = (schema: Json, indent: string): string => {
  const { additionalProperties: others, properties } = schema
  if (isJson(properties) && Object.keys(properties).length > 0) return fieldsOf(schema, indent)
  return `Readonly<Record<string, ${isJson(others) ? typeOf(others, indent) : "unknown"}>>`
}

const plain = (type: unknown, schema: Json, indent: string): string => {
  switch (type) {
    case "array":
      return `ReadonlyArray<${typeOf(schema.items, indent)}>`
    case "integer":
    case "number":
      return "number"
    case "boolean":
    case "null":
    case "string":
      return type
    case "object":
      return objectOf(schema, indent)
    default:
      throw new Error(`The type ${JSON.stringify(type)} has no counterpart in TypeScript`)
  }
}

/** The type of the values that a schema accepts. */
export const typeOf = (schema: unknown, indent = ""): string => {
  if (!isJson(schema)) return "unknown"
  const strange = Object.keys(schema).filter((name) => !known.has(name) && !name.startsWith("x-"))
  if (strange.length > 0) throw new Error(`The keyword ${strange[0]} has no counterpart in TypeScript`)
  const { $ref, allOf, anyOf, const: only, enum: values, oneOf, type } = schema
  if (typeof $ref === "string") return $ref.replace(/^.*\//, "")
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  if (Array.isArray(allOf)) return allOf.map((one) => `(${typeOf(one, indent)})`).join(" & ")
  const alternatives = [...list(anyOf), ...list(oneOf)]
  if (alternatives.length > 0) return union(alternatives.map((one) => typeOf(one, indent)))
  if (Array.isArray(type)) return union(type.map((one) => plain(one, schema, indent)))
  return type === undefined ? "unknown" : plain(type, schema, indent)
}

/** A named schema as an exported declaration. */
export const declaration = ([name, schema]: readonly [string, Json]): string => {
  const head = comment(schema.description, "")
  const isObject = schema.type === "object" && isJson(schema.properties) && Object.keys(schema.properties).length > 0
  return isObject
    ? `${head}export interface ${name} ${fieldsOf(schema, "")}\n`
    : `${head}export type ${name} = ${typeOf(schema)}\n`
}
