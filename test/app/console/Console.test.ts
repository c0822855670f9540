import { describe, expect } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { bundle, Unbuilt } from "../../../src/app/console/Bundle.ts"
import * as Console from "../../../src/app/console/Console.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { budget, sentBytes } from "./budget.ts"

const it = suite(Server.layer)

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const ask = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(Server.TestServer, ({ base }) => Effect.promise(() => fetch(`${base}${path}`, init)))

describe("the console's routes", () => {
  it("serve the page at both of its paths under the strict policy, without anything of another origin", function* () {
    for (const path of ["/console", "/console/"]) {
      const page = yield* ask(path)
      expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
      expect(page.headers.get("content-security-policy")).toBe(policy)
      expect(page.headers.get("x-request-id")).toMatch(/^req_/)
      const text = yield* Effect.promise(() => page.text())
      const loaded = Array.from(text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g), ([, to]) => to)
      expect(loaded).toEqual(["/console/console.css", "/console/console.js"])
      for (const to of loaded) expect((yield* ask(to ?? "")).status).toBe(200)
    }
  })

  it("support HEAD and ETags, and reject other names and methods", function* () {
    for (const path of ["/console", "/console/console.js", "/console/console.css"]) {
      const head = yield* ask(path, { method: "HEAD" })
      expect([head.status, head.headers.get("content-security-policy")]).toEqual([200, policy])
      expect(head.headers.get("cache-control")).toBe("no-cache")
      const etag = head.headers.get("etag") ?? ""
      expect((yield* ask(path, { headers: { "if-none-match": etag } })).status).toBe(304)
    }
    expect((yield* ask("/console/other.js")).status).toBe(404)
    expect((yield* ask("/console/console.js/")).status).toBe(404)
    const posted = yield* ask("/console", { method: "POST" })
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  it("send all screens compressed, within the budget of bytes, and the other scripts only when a screen needs them", function* () {
    const assets = yield* bundle
    const { all, files, first, page } = yield* Effect.promise(() => sentBytes(assets))
    expect(all).toBeLessThanOrEqual(budget.all)
    expect(first).toBeLessThanOrEqual(budget.first)
    expect(first).toBeLessThan(all)
    const { base } = yield* Server.TestServer
    const paths = [
      ["/console", page] as const,
      ...Array.from(files, ([name, bytes]) => [`/console/${name}`, bytes] as const)
    ]
    for (const [path, bytes] of paths) {
      const answer = yield* Effect.promise(() =>
        fetch(`${base}${path}`, { decompress: false, headers: { "accept-encoding": "gzip" } })
      )
      const length = (yield* Effect.promise(() => answer.arrayBuffer())).byteLength
      expect([path, answer.status, length]).toEqual([path, 200, bytes])
    }
  })
})

describe("the assets of the page", () => {
  it("are built once for twelve concurrent callers, even if one of them disconnects", function* () {
    let made = 0
    const door = yield* Deferred.make<void>()
    const assets = yield* Console.once(
      Effect.suspend(() => {
        made++
        return Effect.as(Deferred.await(door), { "console.css": "2", "console.js": "1" })
      })
    )
    const first = yield* Effect.fork(assets)
    const others = yield* Effect.fork(
      Effect.all(
        Array.from({ length: 12 }, () => assets),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.yieldNow()
    yield* Effect.fork(first.interruptAsFork(first.id()))
    yield* Deferred.succeed(door, undefined)
    expect(yield* others).toEqual(Array(12).fill({ "console.css": "2", "console.js": "1" }))
    expect(yield* assets).toEqual({ "console.css": "2", "console.js": "1" })
    expect(made).toBe(1)
  })
})

const broken = suite(
  Server.layerWith({}, OutboundLive.layer, Console.layerOf(new Unbuilt({ message: "main.tsx is not there" })))
)

describe("a console whose script cannot be built", () => {
  broken("shows an error page under the same policy, while the API works", function* () {
    const page = yield* ask("/console")
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([503, policy])
    expect(page.headers.get("retry-after")).toBe("5")
    const text = yield* Effect.promise(() => page.text())
    expect(text).toContain("<h1>The console is not available</h1>")
    // File paths of the machine belong in its log only.
    expect(text).not.toContain("main.tsx")
    const script = yield* Server.send("GET", "/console/console.js")
    expect([script.status, script.body.error.code]).toEqual([503, "service_unavailable"])
    expect((yield* ask("/healthz")).status).toBe(200)
  })
})
