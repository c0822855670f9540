import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"

import * as Server from "../../server.ts"

const it = suite(Server.layer)
const open = suite(Server.layerWith({ FINDABLE_CORS_ORIGINS: "https://app.example, http://localhost:5173" }))

const ask = (method: string, origin: string, key?: string) =>
  Server.send(method, "/api/v1/projects", {
    headers: { "access-control-request-method": "POST", origin },
    key
  })

describe("pages of other origins", () => {
  it("may read nothing by default", function* () {
    const asked = yield* ask("OPTIONS", "https://app.example")
    const { key } = yield* Server.customer()
    const read = yield* ask("GET", "https://app.example", key)
    expect([asked.status, read.status]).toEqual([405, 200])
    for (const { headers } of [asked, read]) expect(headers.get("access-control-allow-origin")).toBeNull()
  })

  open("may use the API when their origin is configured, without cookies", function* () {
    const asked = yield* ask("OPTIONS", "http://localhost:5173")
    expect(asked.status).toBe(204)
    expect(asked.headers.get("access-control-allow-origin")).toBe("http://localhost:5173")
    expect(asked.headers.get("access-control-allow-methods")).toContain("POST")
    expect(asked.headers.get("access-control-allow-headers")).toContain("X-API-Key")
    const { key } = yield* Server.customer()
    const read = yield* ask("GET", "https://app.example", key)
    expect(read.status).toBe(200)
    expect(read.headers.get("access-control-allow-origin")).toBe("https://app.example")
    expect(read.headers.get("access-control-expose-headers")).toContain("X-Request-Id")
    expect(read.headers.get("access-control-allow-credentials")).toBeNull()
    expect(read.headers.get("vary")).toContain("Origin")
    const refused = yield* ask("GET", "https://app.example")
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, "https://app.example"])
  })

  open("may send and read every header that the contract names", function* () {
    const { body, headers } = yield* Server.send("GET", "/api/v1/openapi.json", {
      headers: { origin: "https://app.example" }
    })
    const asked = yield* ask("OPTIONS", "https://app.example")
    const listed = (value: string | null) => new Set((value ?? "").split(", "))
    const sent = listed(asked.headers.get("access-control-allow-headers"))
    const told = listed(headers.get("access-control-expose-headers"))
    const operations = Object.values<Server.Reply["body"]>(body.paths).flatMap((path) =>
      Object.values<Server.Reply["body"]>(path)
    )
    for (const { parameters, responses } of operations) {
      for (const parameter of parameters) if (parameter.in === "header") expect(sent).toContain(parameter.name)
      for (const response of Object.values<Server.Reply["body"]>(responses)) {
        for (const name of Object.keys(response.headers ?? {})) expect(told).toContain(name)
      }
    }
    expect(told).toContain("Preference-Applied")
  })

  open("may do nothing if their origin is not configured", function* () {
    for (const origin of ["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"]) {
      const asked = yield* ask("OPTIONS", origin)
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([405, null])
    }
  })
})
