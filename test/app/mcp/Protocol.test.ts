import { describe, expect } from "bun:test"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { ask, call, modern } from "./wire.ts"

const it = suite(Server.layer)

const message = (method: string, params?: object, id: string | number = 1) => ({ id, jsonrpc: "2.0", method, params })

const initialize = (protocolVersion: string) =>
  message("initialize", { capabilities: {}, clientInfo: { name: "test", version: "1" }, protocolVersion }, "first")

describe("the MCP endpoint", () => {
  for (const version of ["2025-03-26", "2025-06-18", "2025-11-25"])
    it(`speaks ${version}, without a session`, function* () {
      const { key } = yield* Server.customer()
      const { body, headers, status } = yield* ask(key, initialize(version))
      expect(status).toBe(200)
      expect(body).toMatchObject({
        id: "first",
        result: { capabilities: { tools: {} }, protocolVersion: version, serverInfo: { name: "findable" } }
      })
      expect(body.result.instructions).toContain("list_sites")
      expect(headers.get("mcp-session-id")).toBeNull()
      expect(headers.get("x-ratelimit-limit")).toBeNull()
      const begun = yield* ask(key, { jsonrpc: "2.0", method: "notifications/initialized" })
      expect([begun.status, begun.body]).toEqual([202, ""])
    })

  for (const version of ["2024-11-05", "1999-01-01"])
    it(`offers its latest version with sessions to a client of ${version}`, function* () {
      const { key } = yield* Server.customer()
      expect((yield* ask(key, initialize(version))).body.result.protocolVersion).toBe("2025-11-25")
    })

  it("speaks 2026-07-28, in which each message names its protocol version and client", function* () {
    const { key } = yield* Server.customer()
    const discover = modern("server/discover")
    const { body } = yield* ask(key, discover.message, discover.headers)
    expect(body.result).toMatchObject({ capabilities: { tools: {} }, supportedVersions: ["2026-07-28"] })
    const list = modern("tools/list")
    expect((yield* ask(key, list.message, list.headers)).body.result.tools).toHaveLength(12)
    const sites = modern("tools/call", { name: "list_sites" })
    const { body: listed, headers } = yield* ask(key, sites.message, sites.headers)
    expect(JSON.parse(listed.result.content[0].text)).toEqual({ next_cursor: null, rows: [], total: 0 })
    expect(headers.get("x-ratelimit-limit")).not.toBeNull()
    const unknown = modern("tools/fetch")
    expect((yield* ask(key, unknown.message, unknown.headers)).body.error.code).toBe(-32601)
  })

  it("accepts calls without arguments and ids that are strings", function* () {
    const { key } = yield* Server.customer()
    const { body, headers } = yield* ask(key, message("tools/call", { name: "list_sites" }, "a-text"))
    expect(body).toMatchObject({ id: "a-text", jsonrpc: "2.0" })
    expect(JSON.parse(body.result.content[0].text).rows).toEqual([])
    expect(headers.get("x-ratelimit-remaining")).not.toBeNull()
  })

  const wrong: ReadonlyArray<readonly [what: string, body: unknown, status: number, code: number]> = [
    ["an unknown tool", message("tools/call", { name: "delete_everything" }), 200, -32602],
    ["a call without a name", message("tools/call", {}), 200, -32602],
    ["an unknown method", message("resources/list"), 200, -32601],
    ["a batch", [message("ping"), message("tools/list")], 400, -32600],
    ["an object without a message", { hello: 1 }, 400, -32600],
    ["a number", "5", 400, -32600],
    ["invalid JSON", "{", 400, -32700]
  ]
  for (const [what, body, status, code] of wrong)
    it(`refuses ${what} with the error code of JSON-RPC`, function* () {
      const { key } = yield* Server.customer()
      const answer = yield* ask(key, body, { "content-type": "application/json" })
      expect([answer.status, answer.body.error.code]).toEqual([status, code])
    })

  it("refuses batches in version 2026-07-28 too", function* () {
    const { key } = yield* Server.customer()
    const list = modern("tools/list")
    const { body, status } = yield* ask(key, [list.message], list.headers)
    expect([status, body.error.code, body.id]).toEqual([400, -32600, null])
  })

  it("asks for a key before it reads the body, and refuses an unknown or revoked key", function* () {
    for (const key of [undefined, "fnd_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "no-key"]) {
      for (const body of [message("tools/list"), message("tools/call", { name: "list_sites" }), "x".repeat(300_000)]) {
        const refusal = yield* ask(key, body, { "content-type": "application/json" })
        if (key !== undefined && key !== "no-key" && typeof body === "string") continue
        expect([refusal.status, refusal.body.error.code]).toEqual([401, "unauthorized"])
        expect(refusal.headers.get("www-authenticate")).toStartWith("Bearer ")
        expect(refusal.headers.get("www-authenticate")).not.toContain("resource_metadata")
      }
    }
  })

  it("refuses large bodies and other media types with the API's error envelope", function* () {
    const { key } = yield* Server.customer()
    const large = yield* ask(key, JSON.stringify(message("tools/call", { name: "x".repeat(300_000) })), {
      "content-type": "application/json"
    })
    expect([large.status, large.body.error.code]).toEqual([413, "payload_too_large"])
    const text = yield* ask(key, JSON.stringify(message("tools/list")), { "content-type": "text/plain" })
    expect([text.status, text.body.error.code]).toEqual([415, "unsupported_media_type"])
  })

  it("has no streams and no sessions: GET and DELETE return 405", function* () {
    const { key } = yield* Server.customer()
    for (const method of ["GET", "DELETE"]) {
      const { body, headers, status } = yield* Server.send(method, "/mcp", { key })
      expect([status, body.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "POST"])
    }
  })

  it("refuses pages of other sites, and host names that DNS rebinding points to this server", function* () {
    const { key } = yield* Server.customer()
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { host: "evil.example" },
      { host: "localhost.evil.example" }
    ]) {
      const refusal = yield* ask(key, message("tools/list"), headers)
      expect([refusal.status, refusal.body.error.code]).toEqual([403, "forbidden"])
    }
    for (const headers of [
      { origin: "http://localhost:3000" },
      { origin: "http://127.0.0.1" },
      { host: "localhost:1" }
    ])
      expect((yield* ask(key, message("tools/list"), headers)).status).toBe(200)
  })

  it("counts only calls of tools against the key's rate limit", function* () {
    const { key } = yield* Server.customer("free")
    const remaining = (headers: Headers) => Number(headers.get("x-ratelimit-remaining"))
    const first = yield* call(key, "list_sites")
    yield* ask(key, message("tools/list"))
    yield* ask(key, message("ping"))
    const second = yield* call(key, "list_sites")
    expect(remaining(first.headers) - remaining(second.headers)).toBe(1)
  })
})
