import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** The sources that a directive of the page's policy allows. */
const allowed = (policy: string, directive: string) =>
  policy
    .split(";")
    .map((part) => part.trim().split(" "))
    .find(([name]) => name === directive)
    ?.slice(1)

describe("the pages of the API reference", () => {
  it("may contact this server only", function* () {
    const { body, headers, status } = yield* Server.send("GET", "/docs")
    expect(status).toBe(200)
    const policy = headers.get("content-security-policy") ?? ""
    expect(allowed(policy, "default-src")).toEqual(["'none'"])
    expect(allowed(policy, "connect-src")).toEqual(["'self'"])
    expect(allowed(policy, "script-src")).toContain("'wasm-unsafe-eval'")
    for (const source of ["script-src", "style-src", "img-src", "font-src"]) {
      expect(
        (allowed(policy, source) ?? []).filter(
          (from) => !/^(?:'self'|'unsafe-inline'|'wasm-unsafe-eval'|data:|blob:)$/.test(from)
        )
      ).toEqual([])
    }
    expect(String(body)).not.toMatch(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//)
  })

  it("fill request forms with examples that the server accepts", function* () {
    const page = yield* Server.send("GET", "/docs")
    const contract = yield* Server.send("GET", "/api/v1/openapi.json")
    const { requestBody } = contract.body.paths["/api/v1/projects"].post
    const { example } = requestBody.content["application/json"]
    expect(example).toEqual({ name: "Example shop", url: "https://www.example.com" })
    expect(String(page.body)).toContain(JSON.stringify(example).slice(1, -1))
  })

  it("have external fonts, the share bar, the app banner and usage statistics turned off", () =>
    Effect.map(Server.send("GET", "/docs"), ({ body }) => {
      const [, configuration = "{}"] = /JSON\.stringify\((\{.*\})\)/.exec(String(body)) ?? []
      expect(JSON.parse(configuration)).toMatchObject({
        hideClientButton: true,
        showToolbar: "never",
        telemetry: false,
        withDefaultFonts: false
      })
    }))

  it("name the guides first, and are small when compressed", function* () {
    const { base } = yield* Server.TestServer
    const { body } = yield* Server.send("GET", "/docs")
    expect(String(body)).toContain("[Webhooks](docs/guides/webhooks)")
    const answer = yield* Effect.promise(() =>
      fetch(`${base}/docs`, { decompress: false, headers: { "accept-encoding": "br" } })
    )
    const bytes = yield* Effect.promise(() => answer.arrayBuffer())
    expect([answer.headers.get("content-encoding"), answer.headers.has("etag")]).toEqual(["br", true])
    expect(bytes.byteLength).toBeLessThan(1_000_000)
  })
})

describe("the guides", () => {
  it("load nothing, run nothing, and link to each other and to the reference", function* () {
    const first = yield* Server.send("GET", "/docs/guides")
    expect([first.status, first.headers.get("location")]).toEqual([302, "/docs/guides/guides"])
    const seen = new Set<string>()
    const visit = (path: string): ReturnType<typeof look> => (seen.has(path) ? Effect.void : look(path))
    const look = (path: string): Effect.Effect<void, never, Server.TestServer> =>
      Effect.gen(function* () {
        seen.add(path)
        const { body, headers, status } = yield* Server.send("GET", path)
        expect({ path, status }).toEqual({ path, status: 200 })
        expect(headers.get("content-security-policy")).not.toContain("script-src")
        expect(String(body)).not.toMatch(/<(?:script|img|iframe)\b|<link (?!rel="icon" href="data:)/)
        const hrefs = Array.from(String(body).matchAll(/<a[^>]* href="([^"]+)"/g), ([, to = ""]) => to)
        const links = hrefs.filter((to) => !/^(?:https?:|#)/.test(to))
        expect(links).toContain("../../docs")
        for (const to of links) yield* visit(new URL(to, `http://x${path}`).pathname)
      })
    const reference = "/docs"
    seen.add(reference)
    yield* look("/docs/guides/guides")
    expect(seen.size).toBeGreaterThan(60)
    const missing = yield* Server.send("GET", "/docs/guides/none")
    expect([missing.status, missing.body.error.code]).toEqual([404, "not_found"])
  })
})
