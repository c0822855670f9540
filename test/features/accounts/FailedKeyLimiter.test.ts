import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layerWith({ FINDABLE_TRUSTED_PROXIES: "127.0.0.0/8" }))

const from = (address: string) => ({ "x-forwarded-for": address })
const projects = (headers: Record<string, string>, key?: string) =>
  Server.send("GET", "/api/v1/projects", { headers, key })

/** More requests without a key than one address may send in a minute. */
const flood = (address: string) =>
  Effect.replicateEffect(projects(from(address)), 1_210, { concurrency: 20, discard: true })

describe("an address that floods the API without a key", () => {
  it("has to wait, but every usable key behind it goes on", function* () {
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

  it("is one holder of 64 bits of IPv6 addresses", function* () {
    yield* flood("2001:db8:1:2::1")
    expect((yield* projects(from("2001:db8:1:2::2"))).status).toBe(429)
    expect((yield* projects(from("2001:db8:1:3::1"))).status).toBe(401)
  })
})
