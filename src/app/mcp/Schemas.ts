import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

/** A whole number within bounds. */
export const whole = (minimum: number, maximum?: number) =>
  Schema.Number.pipe(
    Schema.filter(
      (value) =>
        (Number.isInteger(value) && value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) ||
        `must be a whole number ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
      { jsonSchema: { minimum, type: "integer", ...(maximum === undefined ? {} : { maximum }) } }
    )
  )

/** What agents read of an argument, beside its type. */
interface Note<A> {
  readonly default?: A
  readonly description?: string
}

/** The schema with a note; a JSON Schema of its own takes it up. */
const noted = <A, I>(schema: Schema.Schema<A, I>, note: Note<A>) =>
  schema.annotations({
    ...note,
    ...Option.match(AST.getJSONSchemaAnnotation(schema.ast), {
      onNone: () => ({}),
      onSome: (own) => ({ jsonSchema: { ...own, ...note } })
    })
  })

/** An argument that may be left out. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description?: string) =>
  Schema.optionalWith(description === undefined ? schema : noted(schema, { description }), { exact: true })

/** The same with the value that it has then. */
export const defaulting = <A, I>(schema: Schema.Schema<A, I>, value: A, description?: string) =>
  Schema.optionalWith(noted(schema, { default: value, ...(description !== undefined && { description }) }), {
    default: () => value,
    exact: true
  })

/** A part of JSON Schema without what an agent does not need: titles, the type of an enumeration, empty lists of required fields. */
const lean = (key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value) || key === "properties") return value
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, of]) =>
        name !== "$schema" &&
        name !== "title" &&
        !(name === "type" && "enum" in value) &&
        !(name === "required" && Array.isArray(of) && of.length === 0)
    )
  )
}

type Json = string | number | boolean | null | Array<Json> | { [key: string]: Json }

const Json: Schema.Schema<Json> = Schema.suspend(() =>
  Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null, Schema.mutable(Schema.Array(Json)), Members)
)

const Members = Schema.mutable(Schema.Record({ key: Schema.String, value: Json }))

/** The JSON Schema of a tool's arguments. */
const InputSchema = Schema.mutable(
  Schema.extend(Schema.Struct({ properties: Members, type: Schema.Literal("object") }), Members)
)
export type InputSchema = typeof InputSchema.Type

const parsed = Schema.decodeUnknownSync(Schema.parseJson(InputSchema))

/** The JSON Schema of arguments, as agents read it. */
export const inputSchemaOf = <A, I>(schema: Schema.Schema<A, I>): InputSchema =>
  parsed(JSON.stringify(JSONSchema.make(schema), lean))
