import { describe, expect } from "bun:test"
import { connect } from "node:net"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** Sends raw bytes and returns everything received until the server closes or falls silent. */
const raw = (base: string, text: string) =>
  Effect.async<string>((resume) => {
    const { hostname, port } = new URL(base)
    let received = ""
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.setTimeout(1000, () => socket.destroy())
    socket.on("data", (chunk) => {
      received += String(chunk)
    })
    socket.on("error", () => socket.destroy())
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

describe("every response is an envelope", () => {
  it("when the server fails, and it reveals nothing of the failure", function* () {
    const { key } = yield* Server.customer()
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE projects RENAME TO secret_name`
    const reply = yield* Server.send("GET", "/api/v1/projects", { key })
    yield* sql`ALTER TABLE secret_name RENAME TO projects`
    expect([reply.status, reply.body.error.code]).toEqual([500, "internal_error"])
    expect(JSON.stringify(reply.body)).not.toMatch(/projects|relation|sql/i)
    expect(reply.headers.get("x-request-id")).toBe(reply.body.error.request_id)
    expect((yield* Server.send("GET", "/api/v1/projects", { key })).status).toBe(200)
  })

  it("when a body is larger than allowed, with Content-Length or chunked", function* () {
    const { key } = yield* Server.customer()
    const { base } = yield* Server.TestServer
    const head = `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`
    const announced = yield* raw(base, `${head}Content-Length: 3000000000\r\n\r\n{`)
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
    const chunked = yield* raw(base, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`)
    for (const answer of [announced, chunked]) {
      expect(answer).toStartWith("HTTP/1.1 413")
      expect(answer).toContain('"payload_too_large"')
      expect(answer).toMatch(/x-request-id: req_/i)
    }
  })

  it("when a client disconnects in the middle of a request, and the next client is served", function* () {
    const { key } = yield* Server.customer()
    const { base } = yield* Server.TestServer
    yield* Effect.forEach(
      Array.from({ length: 40 }),
      () =>
        Effect.timeoutOption(
          raw(
            base,
            `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 100\r\n\r\n{"url"`
          ),
          "30 millis"
        ),
      { concurrency: 10, discard: true }
    )
    expect((yield* Server.send("GET", "/api/v1/projects", { key })).body.data).toEqual([])
  })

  it("when a caller sends a request id, which is replaced", function* () {
    const reply = yield* Server.send("GET", "/healthz", { headers: { "x-request-id": "req_mine" } })
    expect(reply.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{26}$/)
  })
})

describe("a flood of requests without a usable key", () => {
  it("is limited without a query for the key", function* () {
    const statuses = new Set<number>()
    const last = yield* Effect.iterate(0, {
      while: (sent) => sent < 1300,
      body: (sent) =>
        Effect.as(
          Effect.forEach(
            Array.from({ length: 20 }),
            () => Effect.map(Server.send("GET", "/api/v1/projects"), ({ status }) => statuses.add(status)),
            { concurrency: 20 }
          ),
          sent + 20
        )
    })
    expect(last).toBe(1300)
    expect(statuses).toEqual(new Set([401, 429]))
    const refused = yield* Server.send("GET", "/api/v1/projects")
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limit_exceeded"])
    const wait = Number(refused.headers.get("retry-after"))
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
  })
})
