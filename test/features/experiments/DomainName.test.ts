import { describe, expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { domainName } from "../../../src/features/experiments/GrowthProjectsApi.ts"

const named = (text: string) => Option.getOrUndefined(domainName(text))

describe("a domain name is normalized", () => {
  const spellings: ReadonlyArray<readonly [string, string]> = [
    ["example.com", "example.com"],
    ["EXAMPLE.com", "example.com"],
    ["www.example.com", "example.com"],
    ["https://www.example.com/a?b#c", "example.com"],
    ["HTTP://example.com", "example.com"],
    ["http://example.com:8080", "example.com"],
    ["example.com:443", "example.com"],
    ["example.com.", "example.com"],
    ["example.com/a?b#c", "example.com"],
    ["blog.example.com", "blog.example.com"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["xn--mnchen-3ya.de", "xn--mnchen-3ya.de"],
    ["localhost:3000", "localhost"],
    ["127.0.0.1:3000", "127.0.0.1"],
    ["[::1]:3000", "[::1]"]
  ]
  for (const [text, domain] of spellings) test(`from ${text} to ${domain}`, () => expect(named(text)).toBe(domain))

  test("without one leading www., and never to a single label", () => {
    expect(named("www.www.example.com")).toBe("www.example.com")
    expect(named("www.com")).toBe("www.com")
    expect(named("wwww.example.com")).toBe("wwww.example.com")
  })

  test("to itself if it is normalized already", () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        const domain = named(url)
        if (domain === undefined) return expect(URL.parse(url)).toBeNull()
        if (!domain.startsWith("www.")) expect(named(domain)).toBe(domain)
        expect(domain).toBe(domain.toLowerCase())
      })
    )
  })
})

describe("no domain name can be read from", () => {
  for (const text of [
    "",
    " ",
    "foo bar",
    "ftp://example.com",
    "javascript:alert(1)",
    "https://",
    "/path",
    "//example.com",
    "a@b.com",
    "https:example.com",
    "https:///a",
    "ftp:/a",
    "a:b"
  ]) {
    test(JSON.stringify(text), () => expect(named(text)).toBeUndefined())
  }
  test("a URL with credentials", () => expect(named("https://user:secret@example.com")).toBeUndefined())
})

test("a name that is longer than DNS allows is no domain name", () => {
  const long = Array.from({ length: 5 }, () => "a".repeat(60)).join(".")
  expect(named(long.slice(0, 253))).toBe(long.slice(0, 253))
  expect(named(long.slice(0, 254))).toBeUndefined()
})
