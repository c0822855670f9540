import { describe, expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { clientOf } from "../../../src/features/accounts/FailedKeyLimiter.ts"
import { type Cidr, parseCidr as parse } from "../../../src/foundation/outbound/Address.ts"

const cidrs = (...texts: ReadonlyArray<string>): ReadonlyArray<Cidr> =>
  texts.map((text) => Option.getOrThrow(parse(text)))
const of = (trusted: ReadonlyArray<Cidr>, remote: string, forwarded?: string) =>
  clientOf(trusted, Option.some(remote), forwarded)

const proxies = cidrs("10.0.0.0/8", "fd00::/8")

describe("the address of a caller", () => {
  test("is the other end of the connection, whatever is claimed, unless that is a trusted proxy", () => {
    expect(of([], "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9")
    expect(of(proxies, "203.0.113.9", "198.51.100.1")).toBe("203.0.113.9")
    expect(of(proxies, "10.1.2.3")).toBe("10.1.2.3")
    expect(clientOf(proxies, Option.none(), "198.51.100.1")).toBe("unknown")
  })

  test("is read from the right of X-Forwarded-For, past all trusted proxies", () => {
    expect(of(proxies, "10.1.2.3", "1.1.1.1, 198.51.100.1")).toBe("198.51.100.1")
    expect(of(proxies, "10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9, fd00::1")).toBe("198.51.100.1")
    expect(of(proxies, "::ffff:10.1.2.3", "198.51.100.1:4711")).toBe("198.51.100.1")
    expect(of(proxies, "10.1.2.3", "[2001:db8:1:2::7]:443")).toBe("20010db800010002/64")
    expect(of(proxies, "10.1.2.3", "198.51.100.1, not an address")).toBe("10.1.2.3")
    expect(of(proxies, "10.1.2.3", "10.4.4.4")).toBe("10.4.4.4")
  })

  test("is of IPv6 the network of 64 bits, and of IPv4 mapped into IPv6 the IPv4 address", () => {
    expect(of([], "2001:db8:1:2:aaaa::1")).toBe(of([], "2001:db8:1:2:bbbb::9"))
    expect(of([], "2001:db8:1:2::1")).not.toBe(of([], "2001:db8:1:3::1"))
    expect(of([], "::ffff:203.0.113.9")).toBe("203.0.113.9")
  })

  test("cannot be chosen by who writes the header behind a proxy that appends to it", () => {
    fc.assert(
      fc.property(fc.string(), fc.ipV4(), (forged, real) => {
        fc.pre(!real.startsWith("10."))
        expect(of(proxies, "10.0.0.1", `${forged}, ${real}`)).toBe(real)
      })
    )
  })
})
