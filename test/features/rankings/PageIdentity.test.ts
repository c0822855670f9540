import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { identity, inAnyForm } from "../../../src/features/rankings/PageIdentity.ts"

test.each([
  ["/تعویض/", "/تعویض/"],
  ["/%D8%AA%D8%B9%D9%88%DB%8C%D8%B6/", "/تعویض/"],
  ["/%d8%aa%d8%b9%d9%88%db%8c%d8%b6/", "/تعویض/"],
  ["/%D8%AAع%d9%88یض/", "/تعویض/"],
  ["/caf%C3%A9?q=%E9%9D%B4&r=%F0%9F%98%80", "/café?q=靴&r=😀"],
  ["/%7euser/%61%2Db%5F%2E%30", "/~user/a-b_.0"],
  ["/نیم%E2%80%8Cفاصله", "/نیم\u200cفاصله"],
  ["/%EF%BB%BFa", "/\ufeffa"]
])("%s is %s: letters of any script are unescaped", (written, form) => {
  expect(identity(written)).toBe(form)
})

test.each([
  ["/a%2fb%3f%23%25%26%3d%2b%3b", "/a%2Fb%3F%23%25%26%3D%2B%3B"],
  ["/a%20b%22%3c%7c", "/a%20b%22%3C%7C"],
  ["/%252F%25D8%25AA", "/%252F%25D8%25AA"],
  ["/a%00b%0a%7f", "/a%00b%0A%7F"],
  ["/a/../b/./c%2e%2e/", "/a/../b/./c../"],
  ["/a+b,c;d='e'(f)*", "/a+b,c;d='e'(f)*"]
])("%s is %s: escapes of reserved characters stay, in upper case", (written, form) => {
  expect(identity(written)).toBe(form)
})

test.each([
  ["/%ff%fe", "/%FF%FE"],
  ["/%c0%af", "/%C0%AF"],
  ["/%e0%80%af", "/%E0%80%AF"],
  ["/%ed%a0%80", "/%ED%A0%80"],
  ["/%f4%90%80%80", "/%F4%90%80%80"],
  ["/%d8/%aa", "/%D8/%AA"],
  ["/%d8%d8%aa", "/%D8ت"],
  ["/%", "/%"],
  ["/100%", "/100%"],
  ["/%zz%4", "/%zz%4"],
  ["/%4%31", "/%4%31"],
  ["/%%34%31", "/%%341"]
])("%s is %s: invalid escapes of UTF-8 stay, and none is created", (written, form) => {
  expect(identity(written)).toBe(form)
})

test.each([
  ["/a\u202Eb", "/a%E2%80%AEb"],
  ["/a%e2%80%aeb", "/a%E2%80%AEb"],
  ["/a%e2%81%a6", "/a%E2%81%A6"],
  ["/a%e2%80%a8\u2029", "/a%E2%80%A8%E2%80%A9"],
  ["/a%c2%85", "/a%C2%85"],
  ["/a b", "/a%20b"],
  ["/a\u0000", "/a%00"]
])("%p is %s: blanks, control characters and direction marks are always escaped", (written, form) => {
  expect(identity(written)).toBe(form)
})

test("composed and decomposed letters are two pages, as they are for servers", () => {
  expect(identity("/caf%C3%A9")).not.toBe(identity("/cafe%CC%81"))
})

/** Parts of URLs: letters, complete and truncated escapes, and characters between them. */
const piece = fc.oneof(
  fc.constantFrom(
    "%",
    "%4",
    "%41",
    "%2F",
    "%2f",
    "%25",
    "%D8%AA",
    "%d8%aa",
    "%D8",
    "%AA",
    "%ED%A0%80",
    "%C0%AF",
    "/",
    "?",
    "&",
    "~",
    "4",
    "A",
    "ت",
    "\u202e",
    " "
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
  fc.string({ unit: "grapheme", maxLength: 2 }).map((text) => encodeURIComponent(text.toWellFormed()))
)
const path = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`)

const bytesOf = (text: string) => {
  const bytes: Array<number> = []
  for (const [found, escape] of text.toWellFormed().matchAll(/%([0-9a-f]{2})|./gisu))
    bytes.push(...(escape === undefined ? new TextEncoder().encode(found) : [Number.parseInt(escape, 16)]))
  return bytes
}

const runs = { numRuns: 2000 }

test("a normalized path normalizes to itself, has the same bytes, and contains no bare unsafe character", () => {
  fc.assert(
    fc.property(path, (written) => {
      const form = identity(written)
      expect(identity(form)).toBe(form)
      expect(bytesOf(form)).toEqual(bytesOf(written))
      expect(form).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069 ]/u)
    }),
    runs
  )
})

test("a URL without bare unsafe characters never gets longer", () => {
  fc.assert(
    fc.property(path, (written) => {
      fc.pre(!/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control} ]/u.test(written))
      expect(identity(written).length).toBeLessThanOrEqual(written.length)
    }),
    runs
  )
})

test("reserved characters are never decoded: each escape occurs as often as before, in upper case", () => {
  const reserved = ":/?#[]@!$&'()*+,;=%"
  const count = (text: string, character: string) =>
    text.toUpperCase().split(`%${character.charCodeAt(0).toString(16).toUpperCase()}`).length
  const parts = fc.oneof(
    fc.constantFrom(...reserved).map((character) => `%${character.charCodeAt(0).toString(16)}`),
    fc.constantFrom("a", "%61", "ت", "%d8%aa", "/")
  )
  fc.assert(
    fc.property(fc.array(parts), (pieces) => {
      const written = pieces.join("")
      for (const character of reserved) expect(count(identity(written), character)).toBe(count(written, character))
    })
  )
})

test("a text has the same normalized form as its escapes in any case, complete or partial", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "Z", "7", "~", "é", "ت", "靴", "😀", "\u200c") })
  fc.assert(
    fc.property(letters, fc.boolean(), fc.nat(), (text, isLower, cut) => {
      const escaped = [...new TextEncoder().encode(text)]
        .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
        .join("")
      const written = isLower ? escaped : escaped.toUpperCase()
      expect(identity(written)).toBe(text)
      const [first, ...rest] = [[...text].slice(0, cut).join(""), ...[...text].slice(cut)]
      expect(identity(encodeURIComponent(first) + rest.join(""))).toBe(text)
    })
  )
})

test("a page name is accepted in any form, and written unchanged", () => {
  const schema = inAnyForm(Schema.String)
  expect(Schema.decodeSync(schema)("/%d8%aa")).toBe("/ت")
  expect(Schema.encodeSync(schema)("/ت")).toBe("/ت")
})

test("eight thousand invalid escapes are normalized within a second", () => {
  const began = performance.now()
  for (const text of ["%".repeat(8192), "%4".repeat(4096), "%ff".repeat(2700), `%4${"%31".repeat(2700)}`])
    identity(text)
  expect(performance.now() - began).toBeLessThan(1000)
})
