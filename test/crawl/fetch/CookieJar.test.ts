import { expect, test } from "bun:test"
import * as CookieJar from "../../../src/crawl/fetch/CookieJar.ts"

const page = new URL("https://www.example.com/shop/item")
const jar = (...lines: ReadonlyArray<string>) => CookieJar.store(CookieJar.empty, lines, page)
const sent = (cookies: CookieJar.CookieJar, url: string) => CookieJar.header(cookies, new URL(url))

test("a cookie is sent to its host and path only", () => {
  const cookies = jar("a=1; Path=/shop", "b=2")
  expect(sent(cookies, "https://www.example.com/shop")).toBe("a=1; b=2")
  expect(sent(cookies, "https://www.example.com/shopping")).toBeNull()
  expect(sent(cookies, "https://example.com/shop")).toBeNull()
})

test("a domain cookie is sent to subdomains, and never to another domain or a public suffix", () => {
  const cookies = jar("a=1; Domain=example.com; Path=/", "b=2; Domain=com; Path=/x", "c=3; Domain=other.test; Path=/y")
  expect(sent(cookies, "https://example.com/")).toBe("a=1")
  expect(sent(cookies, "https://deep.example.com/")).toBe("a=1")
  expect(sent(cookies, "https://badexample.com/")).toBeNull()
  expect(sent(cookies, "https://other.com/x")).toBeNull()
  expect(sent(cookies, "https://other.test/y")).toBeNull()
})

test("a later cookie replaces an earlier one, Max-Age=0 deletes it, and Secure restricts it to https", () => {
  const cookies = CookieJar.store(
    jar("a=1; Path=/", "b=1; Path=/", "c=1; Path=/; Secure"),
    ["a=2; Path=/", "b=; Path=/; Max-Age=0"],
    page
  )
  expect(sent(cookies, "https://www.example.com/")).toBe("c=1; a=2")
  expect(sent(cookies, "http://www.example.com/")).toBe("a=2")
})

test("malformed cookies are ignored", () => {
  expect(jar("=x", "novalue", `big=${"x".repeat(5000)}`)).toEqual([])
})
