import { describe, expect } from "bun:test"
import { join } from "node:path"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { listenOnLoopback, prove, selfTest } from "../../../src/foundation/outbound/Guarded.ts"
import { Outbound, type OutboundResponse } from "../../../src/foundation/outbound/Outbound.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { it } from "../../harness.ts"
import { client, get, names, text } from "./client.ts"
import { serveBytes } from "./server.ts"

const answering = (body: string) =>
  listenOnLoopback(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Line: 1\r\nX-Line: 2\r\n\r\n${body}`)

/** Accepts connections and never responds, like a machine that is too busy. */
const silent = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })),
    (server) => Effect.sync(() => server.stop(true))
  ),
  ({ port }) => ({ heard: [], port })
)

describe("the self-test of private-network protection", () => {
  it("passes here, also twelve times concurrently", () =>
    Effect.replicateEffect(selfTest, 12, { concurrency: "unbounded", discard: true }))

  it("is repeated on a machine that responds late", function* () {
    const tries = yield* Ref.make(0)
    const listen = Effect.flatMap(
      Ref.updateAndGet(tries, (count) => count + 1),
      (count) => (count < 3 ? silent : answering("proof"))
    )
    yield* prove(listen, "500 millis")
    expect(yield* Ref.get(tries)).toBe(3)
  })

  it("distinguishes a timeout from protection that does not work", function* () {
    const slow = yield* Effect.flip(prove(silent, "100 millis"))
    expect([slow.late, slow.message]).toEqual([true, expect.stringContaining("could not be tested in time")])
    const wrong = yield* Effect.flip(prove(answering("false"), "5 seconds"))
    expect([wrong.late, wrong.message]).toEqual([false, expect.stringContaining("does not work on this machine")])
  })
})

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/** A resolver with another answer at each request; the last one stays. */
const flipping = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  let asked = 0
  return {
    asked: () => asked,
    addresses: () => Effect.sync(() => answers[Math.min(asked++, answers.length - 1)] ?? [])
  }
}

describe("the IP address of a connection", () => {
  it("is one that the caller passed, without another DNS lookup, and is checked again", function* () {
    const server = yield* serveBytes(answer)
    const resolver = flipping(["127.0.0.1"], ["127.0.0.66"])
    const { exchange, vet } = client({ resolver })
    const url = `http://rebind.test:${server.port}/`
    const addresses = yield* vet(new URL(url))
    expect((yield* exchange(get(url, { addresses }))).remoteAddress).toBe("127.0.0.1")
    expect((yield* Effect.flip(exchange(get(url, { addresses: ["10.0.0.1"] })))).reason).toBe("blocked_address")
    expect([resolver.asked(), server.accepted()]).toEqual([1, 1])
  })

  it("is the one that was checked: a name is resolved once per request", function* () {
    const server = yield* serveBytes(answer)
    const resolver = flipping(["127.0.0.1"], ["127.0.0.66"])
    const response: OutboundResponse = yield* client({ resolver }).exchange(get(`http://rebind.test:${server.port}/`))
    expect([response.remoteAddress, resolver.asked(), server.accepted()]).toEqual(["127.0.0.1", 1, 1])
  })

  it("is checked again at each request, also right after a successful one", function* () {
    const server = yield* serveBytes(answer)
    const resolver = flipping(["127.0.0.1"], ["10.0.0.1"])
    const outbound = client({ resolver })
    yield* outbound.exchange(get(`http://rebind.test:${server.port}/`))
    const error = yield* Effect.flip(outbound.exchange(get(`http://rebind.test:${server.port}/`)))
    expect([error.reason, server.accepted()]).toEqual(["blocked_address", 1])
  })

  it("is never one that was only checked when the webhook was registered", function* () {
    const server = yield* serveBytes(answer)
    const outbound = client({ allowed: [], resolver: flipping(["93.184.216.34"], ["127.0.0.1"]) })
    yield* outbound.vet(new URL(`http://rebind.test:${server.port}/`))
    const error = yield* Effect.flip(outbound.exchange(get(`http://rebind.test:${server.port}/`)))
    expect([error.reason, server.accepted()]).toEqual(["blocked_address", 0])
  })

  it("gets a new connection each time", function* () {
    const server = yield* serveBytes(answer)
    yield* Effect.replicateEffect(client().exchange(get(server.url)), 3)
    expect(server.accepted()).toBe(3)
  })

  it("is checked again for the target of a redirect, which the caller requests", function* () {
    const server = yield* serveBytes(
      "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
    )
    const outbound = client()
    const { headers } = yield* outbound.exchange(get(server.url))
    const location = headers.find(([name]) => name === "location")?.[1] ?? ""
    const error = yield* Effect.flip(outbound.exchange(get(location)))
    expect([error.reason, server.accepted()]).toEqual(["blocked_address", 1])
  })

  it("is not sent in the Host header, which keeps the name", function* () {
    const server = yield* serveBytes(answer)
    yield* client({ resolver: names({ "some.name.test": ["127.0.0.1"] }) }).exchange(
      get(`http://some.name.test:${server.port}/`)
    )
    expect(String(server.requests[0])).toContain(`\r\nHost: some.name.test:${server.port}\r\n`)
  })
})

describe("the outbound client of the server", () => {
  const live = (open: string) =>
    OutboundLive.layer.pipe(
      Layer.provide(
        Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["FINDABLE_ALLOW_PRIVATE_NETWORKS", open]])))
      )
    )

  it("uses the system's resolver, and reaches localhost only if it is allowed", function* () {
    const server = yield* serveBytes(answer)
    const ask = Effect.flatMap(Outbound, (outbound) => outbound.exchange(get(`http://localhost:${server.port}/`)))
    const refused = yield* Effect.flip(Effect.provide(ask, live("")))
    expect(refused).toMatchObject({ _tag: "OutboundError", reason: "blocked_address" })
    expect(server.accepted()).toBe(0)
    const reached = yield* Effect.provide(ask, live("127.0.0.0/8,::1/128"))
    expect([text(reached.body), reached.remoteAddress]).toEqual(["hello", "127.0.0.1"])
  })
})

describe("the self-test", () => {
  it("passes on this runtime", () => selfTest)
})

describe("proxy variables of the environment", () => {
  const variables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]

  it("redirect neither a request nor the self-test", function* () {
    const decoy = yield* serveBytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")
    const server = yield* serveBytes(answer)
    const proxies = Object.fromEntries(variables.map((name) => [name, decoy.url]))
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "proxied.ts"), server.url], {
      env: { ...process.env, ...proxies, NO_PROXY: undefined, no_proxy: undefined },
      stdout: "pipe",
      stderr: "pipe"
    })
    const said = yield* Effect.promise(() => new Response(child.stdout).text())
    expect([said, decoy.accepted(), server.accepted()]).toEqual(["hello proxy", 1, 1])
  })
})
