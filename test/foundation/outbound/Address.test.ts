import { describe, expect } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import fc from "fast-check"
import { parse, parseCidr, refusal } from "../../../src/foundation/outbound/Address.ts"
import { Outbound, type OutboundError } from "../../../src/foundation/outbound/Outbound.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { Resolver } from "../../../src/foundation/outbound/Vet.ts"
import { it } from "../../harness.ts"
import { client, get, names } from "./client.ts"
import { answers, literals, publicAddresses, urls } from "./hostile.ts"
import { serveBytes } from "./server.ts"

const strict = (known: Readonly<Record<string, ReadonlyArray<string>>> = {}) =>
  client({ allowed: [], resolver: names(known) })

/** The classification of an IP address when these ranges are allowed. */
const verdict = (address: string, ...open: ReadonlyArray<string>) =>
  Option.getOrUndefined(
    refusal(
      Option.getOrThrow(parse(address)),
      open.map((text) => Option.getOrThrow(parseCidr(text)))
    )
  )

describe("hostile targets", () => {
  it("there are at least a hundred different hostile targets", () =>
    Effect.sync(() => {
      const all = [...literals, ...urls, ...answers.map(([name]) => name)]
      expect(new Set(all).size).toBe(all.length)
      expect(all.length).toBeGreaterThanOrEqual(100)
    }))

  it("a private IP address is blocked in every spelling, in a request and in a check, without a DNS lookup", () =>
    Effect.forEach(literals, (text) =>
      Effect.gen(function* () {
        const asked = yield* Effect.flip(strict().exchange(get(text)))
        const vetted = yield* Effect.flip(strict().vet(new URL(text)))
        expect([text, asked.reason, vetted.reason]).toEqual([text, "blocked_address", "blocked_address"])
        expect(asked.timings.dnsMs).toBeNull()
        expect(asked.timings.connectMs).toBeNull()
      })
    ))

  it("a host name is blocked if any of its IP addresses is private", () =>
    Effect.forEach(answers, ([name, addresses]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(strict({ [name]: addresses }).exchange(get(`http://${name}/`)))
        expect([name, error.reason]).toEqual([name, "blocked_address"])
        expect(error.timings.connectMs).toBeNull()
      })
    ))

  it("a scheme other than http and https, or credentials, are blocked for any host", () =>
    Effect.forEach(urls, (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(strict().exchange(get(text)))
        expect([text, error.reason]).toEqual([text, "blocked_url"])
      })
    ))

  it("a port of another protocol is blocked, also in a typed URL, unless a setting of the administrator names it", function* () {
    for (const port of [0, 1, 22, 25, 6000, 6679, 10_080]) {
      for (const text of [`http://127.0.0.1:${port}/`, `https://site.test:00${port}/`, `http://[::1]:${port}/`]) {
        const { exchange, vet } = client({ typed: text.replace(/:\d+\//, ":8080/") })
        for (const asked of [Effect.asVoid(exchange(get(text))), Effect.asVoid(vet(new URL(text)))]) {
          const { message, reason } = yield* Effect.flip(asked)
          expect([text, reason, message]).toEqual([text, "blocked_url", expect.stringContaining(`port ${port}:`)])
        }
      }
    }
    const own = yield* Effect.flip(client().exchange(get("http://127.0.0.1:1/", { isSetting: true })))
    expect(own.reason).toBe("connect")
    expect((yield* Effect.flip(client().exchange(get("http://127.0.0.1:2/")))).reason).toBe("connect")
  })

  it("a name without an IP address is a DNS failure", function* () {
    const unknown = yield* Effect.flip(strict().vet(new URL("http://nowhere.example/")))
    const empty = yield* Effect.flip(strict({ "empty.example": [] }).vet(new URL("http://empty.example/")))
    expect([unknown.reason, empty.reason]).toEqual(["dns", "dns"])
  })
})

describe("public targets", () => {
  it("no public IP address is blocked, as a literal or by a name", () =>
    Effect.forEach(publicAddresses, (address) =>
      Effect.gen(function* () {
        const host = address.includes(":") ? `[${address}]` : address
        expect(yield* strict().vet(new URL(`https://${host}/`))).toEqual([address])
        expect(yield* strict({ "www.example": [address] }).vet(new URL("https://www.example/"))).toEqual([address])
      })
    ))

  it("all IP addresses of a name are returned in order", function* () {
    const addresses = ["2606:4700:4700::1111", "1.1.1.1"]
    expect(yield* strict({ "www.example": addresses }).vet(new URL("https://www.example/"))).toEqual(addresses)
  })
})

describe("classification of IP addresses", () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const ipv4 = fc.tuple(octet, octet, octet, octet)

  it("an IPv6 address that embeds an IPv4 address is never public", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(
          ipv4,
          fc.constantFrom("::ffff:", "::", "::ffff:0:", "64:ff9b::", "2606::5efe:"),
          (bytes, prefix) => {
            fc.pre(prefix !== "::" || bytes[0] > 0)
            return verdict(`${prefix}${bytes.join(".")}`) !== undefined
          }
        )
      )
    ))

  it("allowing a range allows exactly its IP addresses", () =>
    Effect.sync(() =>
      fc.assert(
        fc.property(octet, octet, octet, (a, b, c) => {
          expect(verdict(`10.${a}.${b}.${c}`, `10.${a}.0.0/16`)).toBeUndefined()
          expect(verdict(`10.${a}.${b}.${c}`, `10.${(a + 1) % 256}.0.0/16`)).toBe("private")
        })
      )
    ))

  it("allowing an IPv4 range includes its mapped IPv6 forms, and allowing an IPv6 range only itself", () =>
    Effect.sync(() => {
      expect(verdict("::ffff:127.0.0.1", "127.0.0.0/8")).toBeUndefined()
      expect(verdict("::ffff:10.0.0.1", "127.0.0.0/8")).toBeDefined()
      expect(verdict("127.0.0.1", "::ffff:127.0.0.0/104")).toBeUndefined()
      expect(verdict("::1", "::1/128")).toBeUndefined()
      expect(verdict("::1", "127.0.0.0/8")).toBe("loopback")
      expect(verdict("127.0.0.1", "::/0")).toBe("loopback")
      expect(verdict("fd00::1", "fd00::/8")).toBeUndefined()
    }))

  it("an allowed NAT64 prefix still blocks embedded private IP addresses", () =>
    Effect.sync(() => {
      expect(verdict("64:ff9b::8.8.8.8", "64:ff9b::/96")).toBeUndefined()
      expect(verdict("64:ff9b::10.0.0.1", "64:ff9b::/96")).toBe("private")
    }))
})

describe("FINDABLE_ALLOW_PRIVATE_NETWORKS", () => {
  const vetWith = (config: ReadonlyArray<readonly [string, string]>, url: string) =>
    Effect.flatMap(Outbound, (outbound) => outbound.vet(new URL(url))).pipe(
      Effect.provide(
        OutboundLive.layerNoDeps.pipe(
          Layer.provide(Layer.succeed(Resolver, names({}))),
          Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(config))))
        )
      )
    )

  const name = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

  it("allows nothing by default", function* () {
    const result = yield* Effect.either(vetWith([], "http://127.0.0.1/"))
    expect(Either.isLeft(result)).toBe(true)
  })

  it("allows the IPv4 and IPv6 ranges that it lists", function* () {
    const config = [[name, " 127.0.0.0/8, fd00::/8 ,"]] as const
    expect(yield* vetWith(config, "http://127.0.0.1/")).toEqual(["127.0.0.1"])
    expect(yield* vetWith(config, "http://[fd00::1]/")).toEqual(["fd00::1"])
    expect(Either.isLeft(yield* Effect.either(vetWith(config, "http://10.0.0.1/")))).toBe(true)
  })

  it("when malformed is a configuration error that names the setting and the malformed part", () =>
    Effect.forEach(["10.0.0.0", "10/8", "10.0.0.0/33", "fd00::/129", "localhost", "0x7f.0.0.1/8", "*"], (part) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(vetWith([[name, `127.0.0.0/8,${part}`]], "http://127.0.0.1/"))
        expect(String(error)).toContain(name)
        expect(String(error)).toContain(`"${part}" is not a network`)
      })
    ))
})

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

const reasonOf = <A>(exchange: Effect.Effect<A, OutboundError>) =>
  Effect.map(Effect.flip(exchange), ({ reason }) => reason)

describe("a private URL that a person typed", () => {
  it("is reached, and no other private URL is", function* () {
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

  it("is recognized in any spelling of its IP address", function* () {
    const { port } = yield* serveBytes(answer)
    const { exchange } = client({ allowed: [], resolver: names({}), typed: `http://2130706433:${port}/a` })
    expect((yield* exchange(get(`http://127.1:${port}/b`))).status).toBe(200)
  })

  it("may have a name for private IP addresses, and another name for them is blocked", function* () {
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
    it(`keeps the IP addresses of its first DNS lookup: a name that was ${what} is not followed to another private address`, function* () {
      const { accepted, port } = yield* serveBytes(answer)
      let asked = 0
      const resolver = { addresses: () => Effect.sync(() => [asked++ === 0 ? first : "127.0.0.1"]) }
      const { exchange, vet } = client({ allowed: [], resolver, typed: `http://rebind.test:${port}/` })
      expect(yield* vet(new URL(`http://rebind.test:${port}/`))).toEqual([first])
      expect(yield* reasonOf(exchange(get(`http://rebind.test:${port}/`)))).toBe("blocked_address")
      expect(accepted()).toBe(0)
    })
  }

  it("has error messages for the administrator with the value that allows all IP addresses of a name", function* () {
    const resolver = names({ "app.test": ["93.184.216.34", "10.1.2.3", "fd00::1"] })
    const { vet } = client({ allowed: [], resolver, typed: "http://localhost:3000/" })
    const { message } = yield* Effect.flip(vet(new URL("http://app.test/")))
    expect(message).toEndWith("(private); set FINDABLE_ALLOW_PRIVATE_NETWORKS=10.0.0.0/8,fc00::/7 to allow it")
  })
})
