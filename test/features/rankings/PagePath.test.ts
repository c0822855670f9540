import { expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { identity } from "../../../src/features/rankings/PageIdentity.ts"
import * as PagePath from "../../../src/features/rankings/PagePath.ts"
import * as Property from "../../../src/features/rankings/Property.ts"

const read = PagePath.reader({ host: "example.com" })

const path = (address: string, reader = read) => {
  const page = reader(address)
  return page._tag === "Path" ? page.path : page._tag
}

test.each([
  ["https://example.com/", "/"],
  ["https://example.com", "/"],
  ["https://www.example.com/a", "/a"],
  ["http://EXAMPLE.com/A%2fb", "/A%2Fb"],
  ["https://example.com/%d8%aa/", "/ت/"],
  ["/%7eme?q=%c3%a9", "/~me?q=é"],
  ["https://example.com/a?b=1&a=2", "/a?b=1&a=2"],
  ["https://example.com?q=1", "/?q=1"],
  ["https://example.com/a#part", "/a"],
  ["https://example.com/a?b#c?d", "/a?b"],
  ["https://example.com#top", "/"],
  ["https://example.com:443/a", "/a"],
  ["/only/a/path?x", "/only/a/path?x"],
  ["https://example.com/a b?c=d e", "/a%20b?c=d%20e"],
  ["https://example.com/a?b=cross \nclimate\ttire", "/a?b=cross%20%0Aclimate%09tire"],
  [" https://example.com/a\n", "/a"]
])("%s has the path %s", (address, expected) => {
  expect(path(address)).toBe(expected)
})

test.each([
  "https://other.org/a",
  "https://sub.example.com/a",
  "https://example.com.evil.org/",
  "https://example.com@evil.org/",
  "https://user@example.com/",
  "https://example.com:8080/",
  "ftp://example.com/",
  "//example.com/a",
  "example.com/a",
  "",
  "https://exam ple.com/a",
  "https://example.com/a\u0000b",
  "https://example.com/a\u007fb"
])("%p is refused", (address) => {
  expect(path(address)).toBe("Refused")
})

test("an endless URL is refused, in any form", () => {
  expect(path(`https://example.com/${"x".repeat(9000)}`)).toBe("Refused")
  expect(path(`https://example.com/${"\u202e".repeat(2000)}`)).toBe("Refused")
})

test("a path that is not in normalized form keeps its spelling", () => {
  const spelling = (address: string) => {
    const page = read(address)
    return page._tag === "Path" ? page.spelling : page._tag
  }
  expect(spelling("https://example.com/%d8%aa#top")).toBe("/%d8%aa")
  expect(spelling("https://example.com/ت")).toBeNull()
  expect(spelling("https://example.com")).toBeNull()
})

test("a site on a port accepts URLs with this port only", () => {
  const reader = PagePath.reader({ host: "localhost:3000" })
  expect(path("http://localhost:3000/a", reader)).toBe("/a")
  expect(path("http://localhost/a", reader)).toBe("Refused")
})

test("the www of the site's host is ignored, and so is the spelling of an international name", () => {
  expect(path("https://example.com/a", PagePath.reader({ host: "www.example.com" }))).toBe("/a")
  expect(path("https://münchen.example/a", PagePath.reader({ host: "xn--mnchen-3ya.example" }))).toBe("/a")
})

test("other hosts of a domain property are distinguished from foreign hosts", () => {
  const property = Either.getOrThrow(Property.parse("sc-domain:example.com"))
  const reader = PagePath.reader({ host: "blog.example.com", property })
  expect(path("https://blog.example.com/a", reader)).toBe("/a")
  expect(path("https://example.com/a", reader)).toBe("OtherHost")
  expect(path("https://shop.example.com/a", reader)).toBe("OtherHost")
  expect(path("https://notexample.com/a", reader)).toBe("Refused")
})

test.each([
  ["/a", ""],
  ["https://example.com/a", ""],
  ["https://example.com:443/a", ""],
  ["http://example.com/a", "http://example.com"],
  ["https://www.example.com/a", "https://www.example.com"],
  ["https://example.com/a#b", "#b"],
  ["http://example.com/a#b", "http://example.com#b"]
])("%s is identified by %p beyond its path: a path without it belongs to the site's origin", (address, expected) => {
  const page = read(address)
  expect(page._tag === "Path" ? page.address : page._tag).toBe(expected)
})

test("the origin of a site may be http", () => {
  const page = PagePath.reader({ host: "example.com", origin: "http://example.com" })("http://example.com/a")
  expect(page).toMatchObject({ address: "" })
})

test("the path of any URL on the host is everything between host and fragment, normalized", () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ["http", "https"] }),
      (address) => {
        const url = new URL(address)
        expect(path(address, PagePath.reader({ host: url.host }))).toBe(identity(rawPath(address)))
      }
    )
  )
})

/** Path and query as written: the platform's parser would re-encode them. */
const rawPath = (address: string) => {
  const rest = address.replace(/^https?:\/\/[^/?#]*/, "").replace(/#.*$/s, "")
  return rest.startsWith("/") ? rest : `/${rest}`
}

test.each(["sc-domain:", "sc-domain:a/b", "example.com", "ftp://example.com/"])("%p is no property", (name) => {
  expect(Either.isLeft(Property.parse(name))).toBe(true)
})

test("a prefix property covers its host, and a domain property its subdomains too", () => {
  const prefix = Either.getOrThrow(Property.parse("https://www.example.com/shop/"))
  const domain = Either.getOrThrow(Property.parse("sc-domain:example.com"))
  expect(Property.covers(prefix, "example.com")).toBe(true)
  expect(Property.covers(prefix, "blog.example.com")).toBe(false)
  expect(Property.covers(domain, "blog.example.com")).toBe(true)
  expect(Property.covers(domain, "notexample.com")).toBe(false)
})
