import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import { catalogue } from "../../../src/features/webhooks/Catalogue.ts"
import { codes } from "../../../src/foundation/http/ApiError.ts"
import { isJson } from "../../../src/foundation/openapi/Operation.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import { endpoints, filled } from "./endpoints.ts"

const it = suite(Server.layer)

/** An id without a thing. */
const absent = "00000000-0000-4000-8000-000000000000"

const isOfVisibility = (place: string) => /geo/i.test(place)

/** Texts of a document with their places: descriptions, summaries, titles. */
const textsOf = (value: unknown, at = ""): ReadonlyArray<readonly [string, string]> =>
  isJson(value) || Array.isArray(value)
    ? Object.entries(value).flatMap(([name, item]) =>
        typeof item === "string"
          ? /^(?:description|summary|title)$/.test(name)
            ? [[`${at}/${name}`, item] as const]
            : []
          : textsOf(item, `${at}/${name}`)
      )
    : []

describe("the words of the contract", () => {
  it("the OpenAPI document uses the words of the glossary", function* () {
    const { body } = yield* Server.send("GET", "/api/v1/openapi.json")
    const texts = textsOf(body)
    expect(texts.length).toBeGreaterThan(3000)
    const stray = texts.flatMap(([at, text]) =>
      strayWords(text, isOfVisibility(at) || /AI visibility/.test(text)).map((word) => `${at}: ${word}`)
    )
    expect([...new Set(stray)]).toEqual([])
  })

  test("the descriptions of events use the words of the glossary", () => {
    const stray = catalogue.flatMap(({ description, type }) =>
      strayWords(description, isOfVisibility(type)).map((word) => `${type}: ${word}`)
    )
    expect(stray).toEqual([])
  })

  test("the meanings of error codes use the words of the glossary", () => {
    const stray = Object.entries(codes).flatMap(([code, { meaning }]) =>
      strayWords(meaning).map((word) => `${code}: ${word}`)
    )
    expect(stray).toEqual([])
  })
})

describe("the message of an error is complete by itself", () => {
  for (const endpoint of endpoints.filter(({ method, path }) => method !== "DELETE" || !path.endsWith("/key"))) {
    it(`${endpoint.title} says what is wrong in the words of the glossary`, function* () {
      const { key } = yield* Server.customer()
      const path = filled(endpoint, absent)
      const requests = [
        Server.send(endpoint.method, `${path}?no_parameter_is_called_so=1`, { key }),
        Server.send(endpoint.method, path, { key, ...(endpoint.hasBody && { body: { noFieldIsCalledSo: 1 } }) }),
        Server.send(endpoint.method, path)
      ]
      const faults: Array<string> = []
      for (const request of requests) {
        const { body } = yield* request
        const error = isJson(body) && isJson(body.error) ? body.error : undefined
        if (typeof error?.message !== "string") continue
        const { details, message } = error
        const [first] = Array.isArray(details) ? details : []
        if (message.length < 15) faults.push(`${message}: too short`)
        if (isJson(first) && first.path !== "body" && !message.includes(`${first.path} ${first.message}`))
          faults.push(`${message}: lacks path and reason`)
        // The suggested name of a field is a name, not prose.
        const prose = message.replace(/Did you mean [\w., ]+\?/, "")
        faults.push(...strayWords(prose, isOfVisibility(path)).map((word) => `${message}: ${word}`))
      }
      expect(faults).toEqual([])
    })
  }

  it("the message for an unknown path names the path, the most similar endpoint and where to look", () =>
    Effect.map(Server.send("GET", "/api/v1/project"), ({ body }) =>
      expect(body.error.message).toBe("No endpoint at GET /api/v1/project. Did you mean /api/v1/projects? See /docs.")
    ))
})
