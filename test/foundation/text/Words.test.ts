import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { nearest } from "../../../src/foundation/text/Words.ts"

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
