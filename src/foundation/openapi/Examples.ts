import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { isJson, type Json } from "./Operation.ts"

const Values = Schema.Record({ key: Schema.String, value: Schema.String })

/** A request to an operation and its response, possibly with cut lists and texts. */
const Example = Schema.Struct({
  request: Schema.Struct({
    path: Schema.optionalWith(Values, { default: () => ({}) }),
    query: Schema.optionalWith(Values, { default: () => ({}) }),
    header: Schema.optionalWith(Values, { default: () => ({}) }),
    body: Schema.optional(Schema.Unknown)
  }),
  /** The status of the response. */
  status: Schema.Int,
  /** The body; absent for a response without a body. */
  answer: Schema.optional(Schema.Unknown)
})
type Example = typeof Example.Type

/** The examples of a group of operations, by `operationId`. */
const Examples = Schema.Record({ key: Schema.String, value: Example })
type Examples = typeof Examples.Type

/** The text of a parameter as a value of its schema's type. */
const typed = (example: string, schema: unknown): number | string =>
  isJson(schema) && (schema.type === "integer" || schema.type === "number") ? Number(example) : example

const parameter =
  ({ request }: Example) =>
  (value: unknown): unknown => {
    if (!isJson(value) || typeof value.name !== "string") return value
    const values = value.in === "path" ? request.path : value.in === "query" ? request.query : request.header
    return Option.match(Record.get(values, value.name), {
      onNone: () => value,
      onSome: (example) => ({ ...value, example: typed(example, value.schema) })
    })
  }

/** Puts an example into the first media type of a body. */
const inContent = (body: Json, example: unknown): Json => {
  if (example === undefined || !isJson(body.content)) return body
  const [type] = Object.keys(body.content)
  return {
    ...body,
    content: Record.map(body.content, (media, name) => (name === type && isJson(media) ? { ...media, example } : media))
  }
}

const operation = (value: Json, example: Example): Json => ({
  ...value,
  ...(Array.isArray(value.parameters) ? { parameters: value.parameters.map(parameter(example)) } : {}),
  ...(isJson(value.requestBody) ? { requestBody: inContent(value.requestBody, example.request.body) } : {}),
  ...(isJson(value.responses)
    ? {
        responses: Record.map(value.responses, (response, status) =>
          isJson(response) && status === String(example.status) ? inContent(response, example.answer) : response
        )
      }
    : {})
})

/** The document with the examples of each operation's request and response. */
export const withExamples = <D extends object>(document: D, examples: Examples): D => {
  const { paths } = Object(document)
  if (!isJson(paths)) return document
  return {
    ...document,
    paths: Record.map(paths, (item) =>
      isJson(item)
        ? Record.map(item, (value) => {
            const example = isJson(value) ? examples[String(value.operationId)] : undefined
            return isJson(value) && example !== undefined ? operation(value, example) : value
          })
        : item
    )
  }
}

/** Platform adapter: the examples of the operations, one file per group. The files are beside the code, in the package too. */

const decode = Schema.decodeUnknown(Schema.parseJson(Examples))

const read = (group: string) =>
  Effect.flatMap(
    Effect.promise(() => Bun.file(new URL(`examples/${group}.json`, import.meta.url)).text()),
    decode
  )

/** The examples of all operations of these groups, by `operationId`. */
export const of = (groups: object): Effect.Effect<Examples> =>
  Effect.forEach(Object.keys(groups), read).pipe(
    Effect.map((files): Examples => Object.assign({}, ...files)),
    Effect.orDie
  )
