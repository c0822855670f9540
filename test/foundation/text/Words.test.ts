import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { escapeInvisible, escapeInvisibleLines, nearest } from "../../../src/foundation/text/Words.ts"

test("a slip of the hand finds the word that was meant, a word of another kind finds none", () => {
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

test("what a terminal obeys, what turns the direction and what shows nothing is written as its escape", () => {
  expect(escapeInvisible("a\u001b[2Jb")).toBe("a\\u{1b}[2Jb")
  expect(escapeInvisible("ok\nfindable: forged")).toBe("ok\\nfindable: forged")
  expect(escapeInvisible("a\u202eb\u200bc\u{e0041}d\ufeff\u009be")).toBe(
    "a\\u{202e}b\\u{200b}c\\u{e0041}d\\u{feff}\\u{9b}e"
  )
  expect(escapeInvisible("Grüße, 日本 🙂 – “ja”")).toBe("Grüße, 日本 🙂 – “ja”")
})

test("a line of foreign text never begins where a line of ours begins", () => {
  expect(escapeInvisibleLines("first\nsecond\r\nthird")).toBe("first\n  second\\r\n  third")
})

test("nothing is left of any text that a terminal could obey", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(escapeInvisible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    })
  )
})
