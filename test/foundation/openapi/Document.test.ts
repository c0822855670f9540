import { describe, expect } from "bun:test"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import { endpoints } from "../../app/server/endpoints.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)
const document = Effect.map(Server.send("GET", "/api/v1/openapi.json"), ({ body }) => body)
const templated = (path: string) => path.replace(/:(\w+)/g, "{$1}")

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", function* () {
    const { errors, valid } = yield* Effect.flatMap(document, (body) =>
      Effect.promise(() => new Validator().validate(body))
    )
    expect({ errors, valid }).toEqual({ errors: undefined, valid: true })
  })

  it("has exactly the endpoints of the contract", function* () {
    const { paths } = yield* document
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`)
    )
    expect(listed.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${templated(path)}`).sort())
  })

  it("has no two paths that match the same URL", function* () {
    const { paths } = yield* document
    const segments = Object.keys(paths).map((path) => path.split("/"))
    const methods = (path: ReadonlyArray<string>) => Object.keys(paths[path.join("/")] ?? {})
    const fits = (a = "", b = "") => a === b || a.startsWith("{") || b.startsWith("{")
    const ambiguous = segments.flatMap((one, index) =>
      segments
        .slice(index + 1)
        .filter((other) => other.length === one.length && other.every((part, at) => fits(part, one[at])))
        // Paths without a common method are distinguished by the method.
        .filter((other) => methods(other).some((method) => methods(one).includes(method)))
        // The more literal path takes precedence.
        .filter((other) => {
          const braces = (path: ReadonlyArray<string>) => path.map((part) => part.startsWith("{"))
          const [mine, theirs] = [braces(one), braces(other)]
          return mine.some((is, at) => is && theirs[at] === false) && theirs.some((is, at) => is && mine[at] === false)
        })
        .map((other) => `${one.join("/")} ${other.join("/")}`)
    )
    expect(ambiguous).toEqual([])
  })

  it("resolves every reference", function* () {
    const body = yield* document
    const text = JSON.stringify(body)
    const references = new Set(
      Array.from(text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g), (match) => `${match[1]}/${match[2]}`)
    )
    for (const reference of references) {
      const [kind = "", name = ""] = reference.split("/")
      expect({ known: name in body.components[kind], reference }).toEqual({ known: true, reference })
    }
  })

  it("lists for every endpoint with a key its errors, its rate limit and its server errors", function* () {
    const { paths } = yield* document
    for (const { hasBody, method, path, scope } of endpoints) {
      if (scope === undefined) continue
      const { responses, security } = paths[templated(path)][method.toLowerCase()]
      const wanted = ["401", "403", "429", "500", "503", ...(hasBody ? ["413", "415", "422"] : [])]
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(wanted))
      expect(Object.keys(responses)).not.toContain("400")
      expect(security).toEqual([{ bearer: [] }, { apiKey: [] }])
    }
  })

  it("says for every operation what it does, which scope it needs and what a repeated request does", function* () {
    const { paths, tags } = yield* document
    for (const { hasBody, isForeign, isList, method, path, scope, title } of endpoints) {
      const { description, parameters, requestBody, responses, summary } = paths[templated(path)][method.toLowerCase()]
      expect({ summary, title }).toEqual({ summary: expect.stringMatching(/^[A-Z].{5,60}[^.]$/), title })
      const note =
        scope === undefined ? "Needs no key." : scope === "any" ? "Needs an API key" : `the scope \`${scope}\`.`
      expect({ description, title }).toEqual({ description: expect.stringContaining(note), title })
      expect({ description, title }).toEqual({
        description: expect.stringMatching(/Read-only|Safe to retry|second request|Idempotency-Key/),
        title
      })
      if (isList)
        expect({ description, title }).toEqual({
          description: expect.stringMatching(/first|in the order|sorted by/),
          title
        })
      for (const parameter of parameters.filter((one: { in: string }) => one.in === "path")) {
        expect({ parameter, title }).toMatchObject({
          parameter: { description: expect.any(String), example: expect.any(String) }
        })
      }
      if (hasBody) {
        const { schema } = requestBody.content["application/json"]
        const choices: ReadonlyArray<{
          additionalProperties?: object | boolean
          required?: ReadonlyArray<string>
          type?: string
        }> = schema.anyOf ?? [schema]
        for (const { additionalProperties, type } of choices) {
          const open = type === "array" ? undefined : {}
          expect({ closed: additionalProperties, title }).toEqual({ closed: isForeign ? open : false, title })
        }
        const needed = choices.every(({ required = [], type }) => type === "array" || required.length > 0)
        expect({ required: requestBody.required, title }).toEqual({ required: needed, title })
      }
      if ("201" in responses || "202" in responses) {
        for (const status of Object.keys(responses).filter((one) => one.startsWith("2"))) {
          if (!String(responses[status].description).startsWith("Reserved"))
            expect(responses[status].headers).toHaveProperty("Location")
        }
      }
    }
    for (const tag of tags) {
      expect(tag).toMatchObject({
        description: expect.any(String),
        "x-displayName": expect.stringMatching(/^[A-Z][a-z ]+$/)
      })
    }
  })

  it("accepts files of any type", function* () {
    const { paths } = yield* document
    const { requestBody } = paths["/api/v1/projects/{project_id}/rankings/imports"].post
    expect(Object.keys(requestBody.content)).toEqual(["application/octet-stream", "*/*"])
  })

  it("has no artifacts of the schema library in its names and texts", function* () {
    const { components, paths, webhooks } = yield* document
    // Examples are data: a response of `GET /event-types` contains schemas.
    const text = JSON.stringify({ components, paths, webhooks }, (key, value) =>
      key === "example" ? undefined : value
    )
    const noise =
      /"title":"[^"]*|"description":"an? (?:string|non empty|non-negative|positive|number|integer|array|finite)[^"]*|"additionalProperties":true|"prefixItems"/g
    expect(text.match(noise) ?? []).toEqual([])
    const odd = Object.keys(components.schemas).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))
    expect(odd).toEqual([])
  })

  it("lists the media types of lists that can be exported", function* () {
    const { paths } = yield* document
    const exported = Object.entries(paths).filter(([, item]) => {
      const content = Object(item).get?.responses["200"]?.content ?? {}
      return "text/csv" in content && "application/x-ndjson" in content && "application/json" in content
    })
    expect(exported.map(([path]) => path).sort()).toEqual([
      "/api/v1/events",
      "/api/v1/experiments/{id}/series",
      "/api/v1/keywords",
      "/api/v1/projects/{project_id}/backlinks",
      "/api/v1/projects/{project_id}/backlinks/changes",
      "/api/v1/projects/{project_id}/backlinks/domains",
      "/api/v1/projects/{project_id}/geo/answers",
      "/api/v1/projects/{project_id}/geo/domains",
      "/api/v1/projects/{project_id}/inspections",
      "/api/v1/projects/{project_id}/opportunities",
      "/api/v1/projects/{project_id}/performance",
      "/api/v1/projects/{project_id}/rankings/snapshots/{snapshot_id}",
      "/api/v1/runs/{run_id}/dead-links",
      "/api/v1/runs/{run_id}/findings",
      "/api/v1/runs/{run_id}/pages"
    ])
    for (const [, item] of exported) expect(Object(item).get.description).toContain("`cursor` is rejected")
  })

  it("describes the confidence interval as an array of two numbers", function* () {
    const { components } = yield* document
    expect(components.schemas.Analysis.properties.confidenceInterval).toMatchObject({
      items: { type: "number" },
      maxItems: 2,
      minItems: 2,
      type: "array"
    })
  })

  it("is shown in a browser without a network", function* () {
    const { body, headers, status } = yield* Server.send("GET", "/docs")
    expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
    expect(body).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
  })
})
