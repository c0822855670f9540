import { describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { codingOf, isKnown } from "../../../src/app/server/Answers.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** One exchange as bytes: `fetch` would decode the body. */
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

describe("an answer", () => {
  it("above 1 KiB is compressed as the caller accepts it", function* () {
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

  it("that the caller has already is 304, until something changes", function* () {
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

  it("that is an error or follows a change has no tag", function* () {
    const { key } = yield* Server.customer()
    expect((yield* Server.send("GET", "/api/v1/projects/x", { headers: { "if-none-match": "*" }, key })).status).toBe(
      404
    )
    const made = yield* Server.send("POST", "/api/v1/projects", { body: { url: "https://a.example" }, key })
    expect(made.headers.get("etag")).toBeNull()
  })
})

test("the coding is the best that is accepted", () => {
  expect(codingOf(undefined)).toBeUndefined()
  expect(codingOf("identity")).toBeUndefined()
  expect(codingOf("gzip, deflate")).toBe("gzip")
  expect(codingOf("gzip, deflate, br")).toBe("br")
  expect(codingOf("*")).toBe("br")
  expect(codingOf("*;q=0")).toBeUndefined()
  expect(codingOf("gzip;q=1.0, br;q=0.2")).toBe("gzip")
})

test("tags are compared weakly", () => {
  expect(isKnown('"a", W/"b"', 'W/"b"')).toBe(true)
  expect(isKnown('"b"', 'W/"b"')).toBe(true)
  expect(isKnown("*", 'W/"b"')).toBe(true)
  expect(isKnown('"c"', 'W/"b"')).toBe(false)
  expect(isKnown(undefined, 'W/"b"')).toBe(false)
})
