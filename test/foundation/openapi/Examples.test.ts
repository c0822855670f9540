import { describe, expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import Ajv2020 from "ajv/dist/2020"
import formats from "ajv-formats"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Connections } from "../../../src/features/rankings/sync/Connections.ts"
import { isJson, type Json } from "../../../src/foundation/openapi/Operation.ts"
import { installationLayer } from "../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { cut, Names } from "./exampleNames.ts"
import { ExampleSite, site } from "./exampleSite.ts"
import { send, steps, type Walk } from "./exampleWalk.ts"

const objects = (list: ReadonlyArray<unknown>): ReadonlyArray<Json> => list.filter(isJson)

const ofLists = (
  example: ReadonlyArray<unknown>,
  answer: ReadonlyArray<unknown>,
  at: string
): ReadonlyArray<string> => {
  if ((example.length === 0) !== (answer.length === 0)) return [`${at} is empty in one of them`]
  const items = objects(answer)
  return objects(example).flatMap((item, index) => {
    const often = Object.keys(items[0] ?? {}).filter((name) => items.every((other) => name in other))
    return [
      ...often.filter((name) => !(name in item)).map((name) => `${at}.${index}.${name} is missing`),
      ...Object.entries(item).flatMap(([name, value]) => {
        const having = items.filter((other) => name in other)
        const alike = having.find((other) => shapeProblems(value, other[name], "").length === 0) ?? having[0]
        return alike === undefined
          ? [`${at}.${index}.${name} is in no answer`]
          : shapeProblems(value, alike[name], `${at}.${index}.${name}`)
      })
    ]
  })
}

/**
 * Places where an example and a response differ in shape: other fields, other types, or a list that is empty in only one of them. Null
 * matches any shape. Lists of examples are shortened, so an entry needs the fields that all entries of the response have, and may have those of any.
 */
const shapeProblems = (example: unknown, answer: unknown, at: string): ReadonlyArray<string> => {
  if (example === null || answer === null) return []
  if (Array.isArray(example) && Array.isArray(answer)) return ofLists(example, answer, at)
  if (isJson(example) && isJson(answer)) {
    const names = new Set([...Object.keys(example), ...Object.keys(answer)])
    return [...names].flatMap((name) =>
      name in example && name in answer
        ? shapeProblems(example[name], answer[name], `${at}.${name}`)
        : [`${at}.${name} is in ${name in example ? "the example" : "the answer"} alone`]
    )
  }
  return typeof example === typeof answer ? [] : [`${at} is ${typeof example}, and ${typeof answer} in the answer`]
}

// `UPDATE_EXAMPLES=1 bun test --timeout 60000 test/foundation/openapi/Examples.test.ts` rewrites the responses of the examples, from their requests.

const it = suite(
  Layer.unwrapScoped(
    Effect.map(site, (local) =>
      Connections.Default.pipe(
        Layer.provide(installationLayer),
        Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings))))),
        Layer.provideMerge(
          Server.workersWith({
            FINDABLE_GEO_DAILY_USD: "20",
            FINDABLE_OPENAI_KEY: "sk-example",
            FINDABLE_OPENAI_URL: local.engine
          })
        ),
        Layer.provideMerge(Layer.succeed(ExampleSite, local))
      )
    )
  )
)

const isUpdate = process.env.UPDATE_EXAMPLES === "1"

const folder = resolve(import.meta.dir, "../../../src/foundation/openapi/examples")

/** An operation of the document with its place. */
interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<{ in: string; name: string; example?: string }>
  readonly requestBody?: { content: Record<string, Json> }
  readonly responses: Record<string, { content?: Record<string, Json> }>
  readonly tag: string
}

const document = Effect.map(Server.send("GET", "/api/v1/openapi.json"), ({ body }) => body)

const operationsOf = (paths: unknown): ReadonlyMap<string, Operation> =>
  new Map(
    Object.entries(Object(paths)).flatMap(([path, item]) =>
      Object.entries(Object(item)).map(([method, value]) => {
        const operation = Object(value)
        return [operation.operationId, { ...operation, method: method.toUpperCase(), path, tag: operation.tags[0] }]
      })
    )
  )

/** The first media type of a body. */
const mediaOf = (body: { readonly content?: Record<string, Json> } | undefined): readonly [string, Json] | undefined =>
  Object.entries(body?.content ?? {})[0]

/** The response with an example; for one without a body the status of its file. */
const answerOf = ({ responses }: Operation) => {
  const found = Object.entries(responses).find(([, response]) => mediaOf(response)?.[1].example !== undefined)
  return { example: found === undefined ? undefined : mediaOf(found[1])?.[1].example, status: found?.[0] ?? "204" }
}

/** Sends the example of an operation as documented, with the names of this run. */
const sent = ({ key, names }: Walk, operation: Operation) => {
  const having = (place: string) =>
    operation.parameters.flatMap(({ example, in: where, name }) =>
      where === place && example !== undefined ? [[name, names.toReal(String(example))] as const] : []
    )
  const path = having("path").reduce((path, [name, value]) => path.replace(`{${name}}`, value), operation.path)
  const query = new URLSearchParams(Object.fromEntries(having("query")))
  const [type, media] = mediaOf(operation.requestBody) ?? []
  const body = media?.example
  const text = body === undefined ? undefined : names.toReal(typeof body === "string" ? body : JSON.stringify(body))
  return send(operation.method, query.size === 0 ? path : `${path}?${query}`, {
    body: text,
    headers: { ...Object.fromEntries(having("header")), ...(type === undefined ? {} : { "content-type": type }) },
    key
  })
}

/** The part of a response in an example; of this document only its identification. */
const kept = (operation: string, { openapi, info, servers, ...rest }: Json): unknown =>
  cut(operation === "system.openapi" ? { info, openapi, servers } : rest)

const recorded = (operation: string, body: unknown, names: Names): unknown => {
  if (body === "") return undefined
  const plain: unknown = JSON.parse(names.toExample(JSON.stringify(body)))
  return isJson(plain) ? kept(operation, plain) : cut(plain)
}

const record = (tag: string, operation: string, status: number, answer: unknown) => {
  const file = join(folder, `${tag}.json`)
  const examples = JSON.parse(readFileSync(file, "utf8"))
  const { request } = examples[operation]
  examples[operation] = { request, status, ...(answer === undefined ? {} : { answer }) }
  writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)
}

const pointer = (...segments: ReadonlyArray<string>) =>
  segments.map((one) => `/${encodeURIComponent(one.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** The errors of a foreign validator for a value, by the documented schema of a response. */
const validator = (document: Json) => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false })
  formats.default(ajv)
  ajv.addSchema(document, "document")
  return ({ method, path, responses }: Operation, status: string, value: unknown) => {
    const [type] = mediaOf(responses[status]) ?? []
    if (type === undefined) return []
    const place = pointer("paths", path, method.toLowerCase(), "responses", status, "content", type, "schema")
    const validate = ajv.getSchema(`document#${place}`)
    if (validate === undefined) return [`there is no schema at ${place}`]
    return validate(value) === true
      ? []
      : (validate.errors ?? []).map((problem) => `${problem.instancePath} ${problem.message}`)
  }
}

describe("the examples of the OpenAPI document", () => {
  it("exist for every operation with its parameters, its body and its response", function* () {
    const operations = operationsOf((yield* document).paths)
    const missing = [...operations].flatMap(([name, operation]) => [
      ...operation.parameters.filter(({ example }) => example === undefined).map((one) => `${name} ${one.name}`),
      ...(operation.requestBody !== undefined && mediaOf(operation.requestBody)?.[1].example === undefined
        ? [`${name} body`]
        : []),
      ...(!("204" in operation.responses) && answerOf(operation).example === undefined ? [`${name} answer`] : [])
    ])
    expect(isUpdate ? [] : missing).toEqual([])
    expect(steps.map(({ operation }) => operation).sort()).toEqual([...operations.keys()].sort())
  })

  it("get the documented response from a server, and both responses conform to the schema", function* () {
    const contract = yield* document
    const operations = operationsOf(contract.paths)
    const problemsOf = validator(contract)
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const local = yield* ExampleSite
    const names = new Names([
      ["https://findable.example.com", base],
      ["https://hooks.example.com", local.hooks],
      ["https://www.example.com", local.shop],
      ["www.example.com", new URL(local.shop).host],
      ["example.com", new URL(local.shop).hostname]
    ])
    const walk = { key, names, site: local }
    for (const { after, before, operation: name } of steps) {
      const operation = operations.get(name)
      if (operation === undefined) return yield* Effect.dieMessage(`there is no operation ${name}`)
      yield* before?.(walk) ?? Effect.void
      const { body, status } = yield* sent(walk, operation)
      yield* after?.(walk, body) ?? Effect.void
      const said = answerOf(operation)
      if (isUpdate) {
        record(operation.tag, name, status, recorded(name, body, names))
        continue
      }
      expect({ body: String(status) === said.status ? "" : body, name, status: String(status) }).toEqual({
        body: "",
        name,
        status: said.status
      })
      const shown = name === "system.openapi" ? recorded(name, body, names) : body
      expect({
        answer: problemsOf(operation, said.status, body),
        example: problemsOf(operation, said.status, said.example),
        name,
        shape: said.example === undefined ? [] : shapeProblems(said.example, shown, "")
      }).toEqual({ answer: [], example: [], name, shape: [] })
    }
  }, 180_000)
})
