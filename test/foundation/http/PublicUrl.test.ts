import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import { raw } from "../../raw.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)
const behind = suite(Server.layerWith({ FINDABLE_PUBLIC_URL: "https://search.example/findable/" }))

/** Requests a list with raw headers and the key. */
const list = (lines: ReadonlyArray<string>, version = "1.1") =>
  Effect.gen(function* () {
    const { key } = yield* Server.customer()
    const { base } = yield* Server.TestServer
    const head = [`GET /api/v1/projects?limit=1 HTTP/${version}`, ...lines, `X-API-Key: ${key}`, "Connection: close"]
    const answer = yield* raw(Number(new URL(base).port), `${head.join("\r\n")}\r\n\r\n`)
    const [status = ""] = /\d{3}/.exec(answer) ?? []
    const text = answer.split("\r\n\r\n").slice(1).join("")
    return { body: text.startsWith("{") ? JSON.parse(text) : text, status: Number(status) }
  })

const malformed = [
  "a b",
  "",
  "[::1",
  "a:99999",
  "a:b",
  "exa%mple",
  "a/b",
  "a?b",
  "a#b",
  "a@b",
  "<x>",
  "a, b",
  "a\r\nHost: b"
]

const start = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  return yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { key })
})

describe("without a public URL", () => {
  it("a list returns 422 and names the Host when it is malformed or absent", function* () {
    const bare = { body: { error: { code: "validation_error", details: [{ path: "host" }] } }, status: 422 }
    for (const host of malformed) {
      expect({ host, ...(yield* list([`Host: ${host}`])) }).toMatchObject({ host, ...bare })
    }
    expect(yield* list([], "1.0")).toMatchObject(bare)
  })

  it("links name the host of the request", function* () {
    for (const host of ["search.example", "search.example:8080", "[2001:db8::1]:81", "192.0.2.7"]) {
      const { body } = yield* list([`Host: ${host}`])
      expect(body.links.self).toBe(`http://${host}/api/v1/projects?limit=1`)
    }
  })

  it("Location is a path", () =>
    Effect.map(start, ({ body, headers }) => expect(headers.get("location")).toBe(`/api/v1/runs/${body.data.id}`)))
})

describe("with a public URL", () => {
  behind("links have its path, and the Host header is ignored", function* () {
    for (const host of [...malformed, "evil.example"]) {
      const { body } = yield* list([`Host: ${host}`])
      expect(body.links).toEqual({ self: "https://search.example/findable/api/v1/projects?limit=1" })
    }
  })

  behind("Location has its path", () =>
    Effect.map(start, ({ body, headers }) =>
      expect(headers.get("location")).toBe(`/findable/api/v1/runs/${body.data.id}`)
    )
  )
})
