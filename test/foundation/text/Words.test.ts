import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { escapeInvisible, escapeInvisibleLines, nearest } from "../../../src/foundation/text/Words.ts"

test("a typing error finds the intended word, and an unrelated word finds none", () => {
  const known = ["FINDABLE_PORT", "FINDABLE_HOST", "FINDABLE_DATA_DIR"]
  expect(nearest("FINDABLE_POTR", known)).toBe("FINDABLE_PORT")
  expect(nearest("FINDABLE_DATADIR", known)).toBe("FINDABLE_DATA_DIR")
  expect(nearest("x", known)).toBeUndefined()
  expect(nearest("FINDABLE_PORT", [])).toBeUndefined()
})

test("a known word is nearest to itself", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), fc.nat(), (known, at) => {
      const word = known[at % known.length] ?? ""
      expect(nearest(word, known)).toBe(word)
    })
  )
})

test("control characters, direction marks and invisible characters are escaped", () => {
  expect(escapeInvisible("a\u001b[2Jb")).toBe("a\\u{1b}[2Jb")
  expect(escapeInvisible("ok\nfindable: forged")).toBe("ok\\nfindable: forged")
  expect(escapeInvisible("a\u202eb\u200bc\u{e0041}d\ufeff\u009be")).toBe(
    "a\\u{202e}b\\u{200b}c\\u{e0041}d\\u{feff}\\u{9b}e"
  )
  expect(escapeInvisible("Grüße, 日本 🙂 – “ja”")).toBe("Grüße, 日本 🙂 – “ja”")
})

test("a line of foreign text never starts like a line of ours", () => {
  expect(escapeInvisibleLines("first\nsecond\r\nthird")).toBe("first\n  second\\r\n  third")
})

test("no text keeps a character that could control a terminal", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escapeInvisible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    })
  )
})
