import { codes } from "../../../src/foundation/http/ApiError.ts"
import { comment, entries, isJson, type Json, quoted, typeOf } from "./schemas.ts"

/** One operation of the OpenAPI document, as the client has it. */
export interface Operation {
  readonly group: string
  readonly name: string
  /** Method and path: "GET /api/v1/projects/{project_id}". */
  readonly route: string
  /** The field of the client's type, with its comment. */
  readonly text: string
}

const methods = ["get", "post", "put", "patch", "delete"]

/** `site-health` becomes `siteHealth`. */
const camel = (id: string) => id.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const indent = "    "

const parametersOf = (operation: Json, place: string): ReadonlyArray<Json> =>
  Array.isArray(operation.parameters) ? operation.parameters.filter(isJson).filter((one) => one.in === place) : []

/** A numeric parameter may be a number; everything in a path is text. */
const fieldOf = (parameter: Json, type: string) =>
  `${comment(parameter.description, `${indent}    `)}${indent}    readonly ${quoted(String(parameter.name))}${parameter.required === true ? "" : "?"}: ${type}\n`

/** A part of the input; it is optional if all its fields are. */
const part = (name: string, fields: ReadonlyArray<string>, isRequired: boolean) =>
  fields.length === 0 ? "" : `${indent}  readonly ${name}${isRequired ? "" : "?"}: {\n${fields.join("")}${indent}  }\n`

const bodyOf = (operation: Json): string => {
  const { requestBody } = operation
  if (!isJson(requestBody) || !isJson(requestBody.content)) return ""
  const { "application/json": media } = requestBody.content
  if (!isJson(media))
    return `${comment(requestBody.description, `${indent}  `)}${indent}  readonly file: Blob | Uint8Array<ArrayBuffer>\n`
  const isOptional = requestBody.required !== true
  return `${indent}  readonly body${isOptional ? "?" : ""}: ${typeOf(media.schema, `${indent}  `)}\n`
}

const inputOf = (operation: Json): string => {
  const paths = parametersOf(operation, "path").map((one) => fieldOf(one, "string"))
  const query = parametersOf(operation, "query")
  const queries = query.map((one) => fieldOf(one, `${typeOf(one.schema, `${indent}    `)} | undefined`))
  const headers = new Map(parametersOf(operation, "header").map((one) => [one.name, one]))
  const fields = [
    part("path", paths, true),
    part(
      "query",
      queries,
      query.some((one) => one.required === true)
    ),
    bodyOf(operation),
    headers.has("Idempotency-Key") ? `${indent}  readonly idempotencyKey?: string\n` : "",
    headers.has("Prefer")
      ? `${indent}  /** Seconds to wait for the end of the work, 50 at most. */\n${indent}  readonly wait?: number\n`
      : ""
  ].join("")
  return fields === "" ? "{}" : `{\n${fields}${indent}}`
}

const answersOf = (operation: Json): ReadonlyArray<string> | undefined => {
  const good = entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const answers = good.map(([status, response]) => {
    if (!isJson(response.content)) return `Metadata<${status}>`
    const { "application/json": media } = response.content
    return isJson(media) ? `Metadata<${status}> & ${typeOf(media.schema, indent)}` : undefined
  })
  return answers.every((answer) => answer !== undefined) ? answers : undefined
}

/** A schema as text, with the named schemas it refers to. */
const textOf = (schema: unknown, schemas: Json): string =>
  JSON.stringify(schema ?? {}).replace(
    /\{"\$ref":"#\/components\/schemas\/(\w+)"/g,
    (reference, name: string) => `${textOf(schemas[name], schemas)}${reference}`
  )

const codesIn = (schema: unknown, schemas: Json, status: string): ReadonlyArray<string> => {
  const text = textOf(schema, schemas)
  return Object.entries(codes).flatMap(([code, of]) =>
    String(of.status) === status && text.includes(`"${code}"`) ? [code] : []
  )
}

const errorsOf = (operation: Json, schemas: Json): ReadonlyArray<string> =>
  entries(operation.responses).flatMap(([status, response]) => {
    const { "application/json": media } = isJson(response.content) ? response.content : {}
    return isJson(media) ? codesIn(media.schema, schemas, status) : []
  })

/** The operations with JSON or empty responses: a report as HTML and the administrator's endpoints are for `fetch`. */
export const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const schemas = isJson(document.components) && isJson(document.components.schemas) ? document.components.schemas : {}
  return entries(document.paths).flatMap(([path, item]) =>
    entries(item).flatMap(([method, operation]): ReadonlyArray<Operation> => {
      const [group = "", name = ""] = String(operation.operationId).split(".")
      const answers = answersOf(operation)
      if (!methods.includes(method) || group === "system" || answers === undefined) return []
      const words = [operation.summary, operation.description].filter((text) => typeof text === "string").join(". ")
      const errors = errorsOf(operation, schemas).map((code) => JSON.stringify(code))
      const text = `${comment(words, indent)}${indent}readonly ${quoted(name)}: Operation<${inputOf(operation)}, ${answers.map((answer) => `(${answer})`).join(" | ")}, ${errors.join(" | ") || "never"}>\n`
      return [{ group: camel(group), name, route: `${method.toUpperCase()} ${path}`, text }]
    })
  )
}
