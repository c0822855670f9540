import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { clientOf } from "../../../src/features/accounts/FailedKeyLimiter.ts"
import { type Cidr, parseCidr as parse } from "../../../src/foundation/outbound/Address.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layerWith({ FINDABLE_TRUSTED_PROXIES: "127.0.0.0/8" }))

const from = (address: string) => ({ "x-forwarded-for": address })

const projects = (headers: Record<string, string>, key?: string) =>
  Server.send("GET", "/api/v1/projects", { headers, key })

/** More requests without a key than one IP address may send in a minute. */
const flood = (address: string) =>
  Effect.replicateEffect(projects(from(address)), 1_210, { concurrency: 20, discard: true })

describe("an IP address that floods the API without a key", () => {
  it("has to wait, while every valid key behind it still works", function* () {
    const { key } = yield* Server.customer()
    const { key: unused } = yield* Server.customer()
    expect((yield* projects(from("203.0.113.1"), key)).status).toBe(200)
    yield* flood("203.0.113.1")
    const refused = yield* projects(from("203.0.113.1"))
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limit_exceeded"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    const guessed = yield* projects(from("203.0.113.1"), `fnd_live_${"A".repeat(32)}`)
    expect(guessed.status).toBe(429)
    expect((yield* projects(from("203.0.113.1"), "nonsense")).status).toBe(429)
    const answers = yield* Effect.forEach([key, unused, key, unused], (one) => projects(from("203.0.113.1"), one), {
      concurrency: "unbounded"
    })
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((yield* projects(from("203.0.113.2"))).status).toBe(401)
  })

  it("means a /64 network for IPv6", function* () {
    yield* flood("2001:db8:1:2::1")
    expect((yield* projects(from("2001:db8:1:2::2"))).status).toBe(429)
    expect((yield* projects(from("2001:db8:1:3::1"))).status).toBe(401)
  })
})

const cidrs = (...texts: ReadonlyArray<string>): ReadonlyArray<Cidr> =>
  texts.map((text) => Option.getOrThrow(parse(text)))

const of = (trusted: ReadonlyArray<Cidr>, remote: string, forwarded?: string) =>
  clientOf(trusted, Option.some(remote), forwarded)

const proxies = cidrs("10.0.0.0/8", "fd00::/8")

describe("the IP address of a caller", () => {
  test("is the peer of the connection, unless the peer is a trusted proxy", () => {
    expect(of([], "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9")
    expect(of(proxies, "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9")
    expect(of(proxies, "10.1.2.3")).toBe("10.1.2.3")
    expect(clientOf(proxies, Option.none(), "198.51.100.1")).toBe("unknown")
  })

  test("is read from the right of X-Forwarded-For, after all trusted proxies", () => {
    expect(of(proxies, "10.1.2.3", "1.1.1.1, 198.51.100.1")).toBe("198.51.100.1")
    expect(of(proxies, "10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9, fd00::1")).toBe("198.51.100.1")
    expect(of(proxies, "::ffff:10.1.2.3", "198.51.100.1:4711")).toBe("198.51.100.1")
    expect(of(proxies, "10.1.2.3", "[2001:db8:1:2::7]:443")).toBe("20010db800010002/64")
    expect(of(proxies, "10.1.2.3", "198.51.100.1, not an address")).toBe("10.1.2.3")
    expect(of(proxies, "10.1.2.3", "10.4.4.4")).toBe("10.4.4.4")
  })

  test("is the /64 network for IPv6, and the IPv4 address for mapped IPv6", () => {
    expect(of([], "2001:db8:1:2:aaaa::1")).toBe(of([], "2001:db8:1:2:bbbb::9"))
    expect(of([], "2001:db8:1:2::1")).not.toBe(of([], "2001:db8:1:3::1"))
    expect(of([], "::ffff:203.0.113.9")).toBe("203.0.113.9")
  })

  test("cannot be chosen by a caller behind a proxy that appends to the header", () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (forged, real) => {
        fc.pre(!real.startsWith("10."))
        expect(of(proxies, "10.0.0.1", `${forged}, ${real}`)).toBe(real)
      })
    )
  })
})
