import { describe, expect, test } from "bun:test"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { withAnswerHeaders } from "../../../src/app/server/Answers.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("the headers of an answer", () => {
  test("let a caller keep its own read that has an ETag, and nobody else", () => {
    const read = HttpServerResponse.text("x", { headers: { etag: '"1"', vary: "Accept" } })
    expect(
      withAnswerHeaders(read, { headers: {}, id: "req_1", method: "GET", route: "/api/v1/projects" }).headers
    ).toMatchObject({
      "cache-control": "private, no-cache",
      vary: "Accept, Authorization, X-API-Key"
    })
  })

  it("let nobody keep any other keyed answer, good or bad", function* () {
    const { key } = yield* Server.customer()
    const answers = yield* Effect.all([
      Server.send("GET", "/api/v1/projects"),
      Server.send("POST", "/api/v1/projects", { body: { url: "https://a.example" }, key }),
      Server.send("GET", "/api/v1/nothing", { key }),
      Server.send("DELETE", "/api/v1/projects", { key })
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 201, 404, 405])
    for (const { headers } of answers) expect(headers.get("cache-control")).toBe("no-store")
  })

  it("say on every route that the type is the type, and that nothing may run or be framed", function* () {
    for (const path of ["/healthz", "/metrics", "/api/v1/openapi.json", "/api/v1/projects", "/nothing", "/docs"]) {
      const { headers } = yield* Server.send("GET", path)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect(headers.get("x-request-id")).toMatch(/^req_/)
    }
  })
})
