import { describe, expect } from "bun:test"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import { suite } from "./harness.ts"
import { endpoints } from "./server/endpoints.ts"
import * as Server from "./server.ts"

const it = suite(Server.layer)
const document = Effect.map(Server.send("GET", "/api/v1/openapi.json"), ({ body }) => body)
const templated = (path: string) => path.replace(/:(\w+)/g, "{$1}")

describe("the OpenAPI document", () => {
  it.effect("is valid OpenAPI 3.1", () =>
    Effect.gen(function* () {
      const { errors, valid } = yield* Effect.flatMap(document, (body) =>
        Effect.promise(() => new Validator().validate(body))
      )
      expect({ errors, valid }).toEqual({ errors: undefined, valid: true })
    })
  )

  it.effect("has exactly the endpoints of the contract", () =>
    Effect.gen(function* () {
      const { paths } = yield* document
      const listed = Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${path}`)
      )
      expect(listed.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${templated(path)}`).sort())
    })
  )

  it.effect("resolves every reference", () =>
    Effect.gen(function* () {
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
  )

  it.effect("tells for every endpoint with a key how it is refused, limited, and what it answers when we fail", () =>
    Effect.gen(function* () {
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
  )

  it.effect("can be read in a browser without a network", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* Server.send("GET", "/docs")
      expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
      expect(body).not.toMatch(/<(?:script|link)[^>]+(?:src|href)="https?:/)
    })
  )
})
