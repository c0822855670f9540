import { describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { codingOf, isKnown, withAnswerHeaders } from "../../../src/app/server/Answers.ts"
import { databaseUrl } from "../../cluster.ts"
import * as Node from "../../e2e/node.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

describe("the headers of a response", () => {
  test("let only the caller store a read that has an ETag", () => {
    const read = HttpServerResponse.text("x", { headers: { etag: '"1"', vary: "Accept" } })
    expect(
      withAnswerHeaders(read, { headers: {}, id: "req_1", method: "GET", route: "/api/v1/projects" }).headers
    ).toMatchObject({
      "cache-control": "private, no-cache",
      vary: "Accept, Authorization, X-API-Key"
    })
  })

  it("let nobody store any other response to a request with a key, success or error", function* () {
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

  it("forbid MIME sniffing, scripts and frames on every route", function* () {
    for (const path of ["/healthz", "/metrics", "/api/v1/openapi.json", "/api/v1/projects", "/nothing", "/docs"]) {
      const { headers } = yield* Server.send("GET", path)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect(headers.get("x-request-id")).toMatch(/^req_/)
    }
  })
})

/** One exchange as bytes, because `fetch` would decode the body. */
const raw = (path: string, headers: Record<string, string>) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    Effect.promise(
      () =>
        new Promise<{ head: string; body: Buffer }>((resolve, reject) => {
          const { hostname, port } = new URL(base)
          const chunks: Array<Buffer> = []
          const lines = Object.entries({ connection: "close", host: hostname, ...headers }).map(
            ([name, value]) => `${name}: ${value}`
          )
          const socket = connect(Number(port), hostname, () =>
            socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
          )
          socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)))
          socket.on("error", reject)
          socket.on("end", () => {
            const bytes = Buffer.concat(chunks)
            const end = bytes.indexOf("\r\n\r\n")
            resolve({ body: bytes.subarray(end + 4), head: bytes.subarray(0, end).toString().toLowerCase() })
          })
        })
    )
  )

describe("a response", () => {
  it("above 1 KiB is compressed with an encoding that the caller accepts", function* () {
    const plain = yield* raw("/api/v1/openapi.json", {})
    expect(plain.head).not.toContain("content-encoding")
    const br = yield* raw("/api/v1/openapi.json", { "accept-encoding": "gzip, br" })
    expect(br.head).toContain("content-encoding: br")
    expect(br.head).toContain("vary: accept-encoding")
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true)
    expect(br.body.length).toBeLessThan(plain.body.length / 5)
    const gzip = yield* raw("/api/v1/openapi.json", { "accept-encoding": "gzip;q=0.5, br;q=0" })
    expect(gzip.head).toContain("content-encoding: gzip")
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true)
    expect((yield* raw("/healthz", { "accept-encoding": "br" })).head).not.toContain("content-encoding")
  })

  it("is 304 when the caller already has it, until its data change", function* () {
    const { account, key } = yield* Server.customer()
    const ask = (tag?: string) =>
      Server.send("GET", "/api/v1/projects", { headers: tag === undefined ? {} : { "if-none-match": tag }, key })
    const first = yield* ask()
    const tag = first.headers.get("etag") ?? ""
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    const again = yield* ask(tag)
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", tag])
    expect(again.headers.get("x-ratelimit-remaining")).toBe("598")
    expect(again.headers.get("x-request-id")).toMatch(/^req_/)
    yield* Server.projectOf(account)
    expect((yield* ask(tag)).status).toBe(200)
  })

  it("has no ETag if the request failed or changed something", function* () {
    const { key } = yield* Server.customer()
    expect((yield* Server.send("GET", "/api/v1/projects/x", { headers: { "if-none-match": "*" }, key })).status).toBe(
      404
    )
    const made = yield* Server.send("POST", "/api/v1/projects", { body: { url: "https://a.example" }, key })
    expect(made.headers.get("etag")).toBeNull()
  })
})

test("the encoding of a response is the best that the caller accepts", () => {
  expect(codingOf(undefined)).toBeUndefined()
  expect(codingOf("identity")).toBeUndefined()
  expect(codingOf("gzip, deflate")).toBe("gzip")
  expect(codingOf("gzip, deflate, br")).toBe("br")
  expect(codingOf("*")).toBe("br")
  expect(codingOf("*;q=0")).toBeUndefined()
  expect(codingOf("gzip;q=1.0, br;q=0.2")).toBe("gzip")
})

test("ETags are compared weakly", () => {
  expect(isKnown('"a", W/"b"', 'W/"b"')).toBe(true)
  expect(isKnown('"b"', 'W/"b"')).toBe(true)
  expect(isKnown("*", 'W/"b"')).toBe(true)
  expect(isKnown('"c"', 'W/"b"')).toBe(false)
  expect(isKnown(undefined, 'W/"b"')).toBe(false)
})

const line = /level=INFO .*message="GET [^"]*"/

it("the access log has one line for each request with its id, route, status and milliseconds, except probes; a setting turns it off", () =>
  Effect.gen(function* () {
    const settings = {
      DATABASE_URL: yield* databaseUrl,
      FINDABLE_MASTER_KEY: Server.settings.FINDABLE_MASTER_KEY,
      FINDABLE_ROLE: "api"
    }
    const [logging, silent] = yield* Effect.all([
      Node.start(settings),
      Node.start({ ...settings, FINDABLE_ACCESS_LOG: "false" })
    ])
    for (const { base } of [logging, silent]) {
      yield* Node.ask(`${base}/healthz`)
      yield* Node.ask(`${base}/api/v1/keywords?search=%1B%5B31m`)
    }
    const { headers } = yield* Node.ask(`${logging.base}/api/v1/nothing`)
    for (const node of [logging, silent]) node.kill("SIGTERM")
    yield* Effect.all([logging.exited, silent.exited])
    const lines = logging
      .output()
      .split("\n")
      .filter((text) => line.test(text))
    expect(lines).toHaveLength(2)
    for (const part of [/message="GET \/api\/v1\/keywords"/, /request_id=req_\w{26}/, /status=401/, /ms=[\d.]+/]) {
      expect(lines[0]).toMatch(part)
    }
    for (const part of ['message="GET none"', `request_id=${headers.get("x-request-id")}`, "status=404"]) {
      expect(lines[1]).toContain(part)
    }
    expect(silent.output()).not.toMatch(line)
  }).pipe(Effect.scoped))
