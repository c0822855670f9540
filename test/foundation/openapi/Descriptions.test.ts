import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { isJson, type Json } from "../../../src/foundation/openapi/Operation.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)
const document = Effect.map(Server.send("GET", "/api/v1/openapi.json"), ({ body }) => body)

const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isJson(value) || Array.isArray(value) ? Object.entries(value) : []

const isText = (value: unknown) => typeof value === "string" && value.trim().length >= 3

/** Visits a value and everything below it with their places; examples are data, not schemas. */
const walk = (value: unknown, at: string, visit: (value: Json, at: string) => void): void => {
  if (isJson(value)) visit(value, at)
  for (const [name, item] of entries(value))
    if (name !== "example" && name !== "examples") walk(item, `${at}.${name}`, visit)
}

/** Places without a description: fields, parameters, bodies, responses, operations, headers, named schemas. */
const undescribed = (document: Json): ReadonlyArray<string> => {
  const found: Array<string> = []
  const text = JSON.stringify(document)
  /** The text of the single use describes a named schema. */
  const isOnlyUse = ({ $ref }: Json) => typeof $ref === "string" && text.split(JSON.stringify($ref)).length === 2
  const wanted = (things: unknown, at: string) => {
    for (const [name, thing] of entries(things))
      if (
        !isJson(thing) ||
        !(isText(thing.description) || (at.endsWith("headers") && "$ref" in thing) || isOnlyUse(thing))
      )
        found.push(`${at}.${name}`)
  }
  walk(document, "", (value, at) => {
    // A field may be named like a keyword: below `properties` names are fields.
    if (at.endsWith(".properties")) wanted(value, at)
    if (Array.isArray(value.parameters)) wanted(value.parameters, `${at}.parameters`)
    if ("operationId" in value && !isText(value.description)) found.push(at)
    if (isJson(value.requestBody) && !isText(value.requestBody.description)) found.push(`${at}.requestBody`)
    if ("operationId" in value) wanted(value.responses, `${at}.responses`)
    if (isJson(value.headers) && !at.endsWith(".properties")) wanted(value.headers, `${at}.headers`)
  })
  wanted(document.tags, ".tags")
  wanted(isJson(document.components) ? document.components.schemas : {}, ".schemas")
  return found
}

/** A schema that a client generator turns into a type: own fields, or a choice between named schemas. */
const isWorthAName = (schema: Json) =>
  isJson(schema.properties) ||
  (Array.isArray(schema.anyOf) && schema.anyOf.filter((one) => isJson(one) && "$ref" in one).length > 1)

/** Places of nested schemas that client generators would have to name. */
const unnamed = (schema: unknown, at: string, isTop: boolean): ReadonlyArray<string> =>
  isJson(schema)
    ? [
        ...(isTop || !isWorthAName(schema) ? [] : [at]),
        ...entries(schema.properties).flatMap(([name, field]) => unnamed(field, `${at}.${name}`, false)),
        ...unnamed(schema.items, `${at}[]`, false),
        ...unnamed(schema.additionalProperties, `${at}{}`, false),
        ...entries(schema.anyOf).flatMap(([, one]) => unnamed(one, at, isTop))
      ]
    : []

describe("descriptions in the OpenAPI document", () => {
  it("exist for every field, parameter, body, response, operation, group and named schema", function* () {
    expect(undescribed(yield* document)).toEqual([])
  })

  it("are found missing at any place", () =>
    Effect.sync(() => {
      const bare = { type: "string" }
      const object = { description: "a thing", properties: { description: bare, id: bare } }
      expect(
        undescribed({
          components: { schemas: { Bare: { type: "object" }, Thing: object } },
          paths: {
            "/": {
              post: {
                description: "makes",
                operationId: "make",
                parameters: [{ in: "query", name: "q", schema: bare }],
                requestBody: { content: { "application/json": { schema: object } } },
                responses: { "200": { content: {} } }
              }
            }
          },
          tags: [{ name: "things" }]
        })
      ).toHaveLength(9)
    }))

  it("are on named schemas, so that a client generator does not invent names", function* () {
    const { components, paths } = yield* document
    const nested = entries(components.schemas).flatMap(([name, schema]) => unnamed(schema, name, true))
    const answers = entries(paths).flatMap(([path, item]) =>
      entries(item).flatMap(([method, operation]) =>
        entries(isJson(operation) ? operation.responses : {}).flatMap(([status, response]) =>
          entries(isJson(response) ? response.content : {}).flatMap(([, media]) =>
            unnamed(isJson(media) ? media.schema : {}, `${method} ${path} ${status}`, true)
          )
        )
      )
    )
    expect([...nested, ...answers]).toEqual([])
  })

  it("have the names of resources and events", function* () {
    const { components, webhooks } = yield* document
    expect(Object.keys(components.schemas)).toEqual(
      expect.arrayContaining(["Audit", "Experiment", "KeywordRanking", "Project", "SiteHealthRun", "Webhook", "Error"])
    )
    for (const [type, { post }] of Object.entries<Json & { post: Json }>(webhooks)) {
      const name = type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
      expect(JSON.stringify(post.requestBody)).toContain(`"#/components/schemas/${name}Event"`)
      expect(components.schemas[`${name}Event`].properties.data.$ref).toBe(`#/components/schemas/${name}Data`)
    }
  })
})
