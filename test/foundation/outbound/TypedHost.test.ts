import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { OutboundError } from "../../../src/foundation/outbound/Outbound.ts"
import { it } from "../../harness.ts"
import { client, get, names } from "./client.ts"
import { serveBytes } from "./server.ts"

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

const reasonOf = <A>(exchange: Effect.Effect<A, OutboundError>) =>
  Effect.map(Effect.flip(exchange), ({ reason }) => reason)

describe("an address that a person typed", () => {
  it("is reached although it is private, and nothing else is", function* () {
    const [typed, other] = [yield* serveBytes(answer), yield* serveBytes(answer)]
    const { exchange, vet } = client({ allowed: [], resolver: names({ localhost: ["127.0.0.1"] }), typed: typed.url })
    expect((yield* exchange(get(typed.url))).status).toBe(200)
    expect(yield* vet(new URL(typed.url))).toEqual(["127.0.0.1"])
    const elsewhere = [
      other.url,
      `http://127.0.0.2:${typed.port}/`,
      `http://localhost:${typed.port}/`,
      `http://[::ffff:127.0.0.1]:${typed.port}/`,
      "http://169.254.169.254/latest/meta-data/",
      `http://10.0.0.1:${typed.port}/`
    ]
    for (const url of elsewhere) {
      expect([url, yield* reasonOf(exchange(get(url)))]).toEqual([url, "blocked_address"])
      expect([url, yield* reasonOf(vet(new URL(url)))]).toEqual([url, "blocked_address"])
    }
    expect([typed.accepted(), other.accepted()]).toEqual([1, 0])
  })

  it("in any spelling of the address is the same one", function* () {
    const { port } = yield* serveBytes(answer)
    const { exchange } = client({ allowed: [], resolver: names({}), typed: `http://2130706433:${port}/a` })
    expect((yield* exchange(get(`http://127.1:${port}/b`))).status).toBe(200)
  })

  it("that is a name may lead to private addresses; another name for the same address may not", function* () {
    const { accepted, port } = yield* serveBytes(answer)
    const known = names({
      "staging.test": ["127.0.0.1"],
      "other.test": ["127.0.0.1"],
      "www.staging.test": ["127.0.0.1"]
    })
    const { exchange } = client({ allowed: [], resolver: known, typed: `http://staging.test:${port}/` })
    expect((yield* exchange(get(`http://staging.test:${port}/`))).remoteAddress).toBe("127.0.0.1")
    for (const name of ["other.test", "www.staging.test", "127.0.0.1"])
      expect(yield* reasonOf(exchange(get(`http://${name}:${port}/`)))).toBe("blocked_address")
    expect(accepted()).toBe(1)
  })

  for (const [what, first] of [
    ["public", "93.184.216.34"],
    ["private", "127.0.0.9"]
  ] as const) {
    it(`keeps the addresses of its first look-up: a name that was ${what} is not followed to another private one`, function* () {
      const { accepted, port } = yield* serveBytes(answer)
      let asked = 0
      const resolver = { addresses: () => Effect.sync(() => [asked++ === 0 ? first : "127.0.0.1"]) }
      const { exchange, vet } = client({ allowed: [], resolver, typed: `http://rebind.test:${port}/` })
      expect(yield* vet(new URL(`http://rebind.test:${port}/`))).toEqual([first])
      expect(yield* reasonOf(exchange(get(`http://rebind.test:${port}/`)))).toBe("blocked_address")
      expect(accepted()).toBe(0)
    })
  }

  it("has a client whose refusals say to its operator what a name needs, all of its addresses", function* () {
    const resolver = names({ "app.test": ["93.184.216.34", "10.1.2.3", "fd00::1"] })
    const { vet } = client({ allowed: [], resolver, typed: "http://localhost:3000/" })
    const { message } = yield* Effect.flip(vet(new URL("http://app.test/")))
    expect(message).toEndWith("(private); FINDABLE_ALLOW_PRIVATE_NETWORKS=10.0.0.0/8,fc00::/7 allows it")
  })
})
