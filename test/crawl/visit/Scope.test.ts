import { describe, expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { AddressGlob, scopeOf } from "../../../src/crawl/visit/Visitor.ts"

const matches = (glob: string, address: string) =>
  scopeOf({ exclude: [glob] }).excludedBy(new URL(address, "https://site.test")) === glob

describe("a glob", () => {
  test("matches path and query as a whole, with * for anything", () => {
    for (const [glob, address] of [
      ["/admin/*", "/admin/"],
      ["/admin/*", "/admin/users/7?tab=2"],
      ["*.pdf", "/a/b.pdf"],
      ["*?sort=*", "/list?sort=up"],
      ["*sort=*", "/list?page=2&sort=up"],
      ["/a*b*c", "/a1b2b3c"],
      ["/café/*", "/caf%c3%a9/x"],
      ["/caf%c3%a9/*", "/café/x"],
      ["/%7Euser/*", "/~user/x"],
      ["/price$", "/price$"],
      ["/a", "/a#part"]
    ] as const)
      expect([glob, address, matches(glob, address)]).toEqual([glob, address, true])
    for (const [glob, address] of [
      ["/admin/*", "/admin"],
      ["/admin", "/admin/"],
      ["/admin", "/admin?x=1"],
      ["*.pdf", "/a.pdf?x=1"],
      ["/a.b", "/aXb"],
      ["/A", "/a"],
      ["/a?b", "/axb"]
    ] as const)
      expect([glob, address, matches(glob, address)]).toEqual([glob, address, false])
  })

  test("is refused where it cannot match a path", () => {
    const isGlob = Schema.is(AddressGlob)
    for (const glob of [
      "",
      "admin/*",
      "https://site.test/admin/*",
      "/a b",
      "/a#b",
      "/a\u0000",
      `/${"a".repeat(2048)}`,
      "?x=1"
    ])
      expect([glob, isGlob(glob)]).toEqual([glob, false])
    for (const glob of ["/", "*", "/*", "*?x=*", "/\ud800"]) expect([glob, isGlob(glob)]).toEqual([glob, true])
    expect(matches("/\ud800", "/")).toBe(false)
  })

  test("made of an address with a part of it starred matches that address", () => {
    const part = fc.stringMatching(/^[a-z0-9.-]{1,5}$/)
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        part,
        fc.nat(),
        fc.nat(),
        (segments, value, from, to) => {
          const { pathname, search } = new URL(`/${segments.join("/")}?q=${value}`, "https://site.test")
          const whole = pathname + search
          const [start = 0, end = 0] = [from % whole.length, to % whole.length].sort((a, b) => a - b)
          return matches(`${start === 0 ? "" : whole.slice(0, start)}*${whole.slice(end)}`, whole)
        }
      )
    )
  })

  test("takes no longer than the address times the glob, however many stars", () => {
    expect(matches(`/${"*a".repeat(1000)}b`, `/${"a".repeat(2000)}`)).toBe(false)
  })
})

test("exclusion goes before inclusion", () => {
  const { leftOut } = scopeOf({ exclude: ["*.pdf"], include: ["/docs/*"] })
  const reasonOf = (path: string) => leftOut(new URL(path, "https://site.test"))?.reason ?? null
  expect(["/docs/a", "/docs/a.pdf", "/b.pdf", "/b"].map(reasonOf)).toEqual([
    null,
    "excluded",
    "excluded",
    "not_included"
  ])
})
