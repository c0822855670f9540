import { describe, expect, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { compile } from "../../../src/crawl/robots/Parse.ts"

/** The meaning of a pattern, by dynamic programming over every pair of positions. */
const means = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith("$")
  const body = anchored ? pattern.slice(0, -1) : pattern
  let reached = new Set([0])
  for (const char of body) {
    const next = new Set<number>()
    for (const at of reached) {
      if (char === "*") for (let to = at; to <= path.length; to++) next.add(to)
      else if (path[at] === char) next.add(at + 1)
    }
    reached = next
  }
  return anchored ? reached.has(path.length) : reached.size > 0
}

const small = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((chars) => chars.join(""))

describe("a path pattern", () => {
  test("means what the definition of * and $ says, for all patterns and paths", () => {
    fc.assert(
      fc.property(small("ab/*$", 10), small("ab/$", 14), (pattern, path) => {
        expect([pattern, path, compile(pattern)(path)]).toEqual([pattern, path, means(pattern, path)])
      }),
      { numRuns: 5000 }
    )
  })

  test("takes a $ that is not last for itself", () => {
    expect([compile("/a$b")("/a$bc"), compile("/a$b")("/ab")]).toEqual([true, false])
  })

  test("does not overlap its first and last literal", () => {
    expect([compile("/aba*ba$")("/aba"), compile("/aba*ba$")("/ababa")]).toEqual([false, true])
  })

  test("is decided in one pass over the path, also when it was written to be slow", () => {
    const path = `/${"a".repeat(2000)}`
    const hostile = ["*a".repeat(8000), `${"*a".repeat(1000)}b`, `/${"a*".repeat(999)}aaab$`, `${"*".repeat(16_000)}b`]
    for (const pattern of hostile) {
      const matches = compile(pattern)
      const searches = spyOn(String.prototype, "indexOf")
      expect(matches(path)).toBe(false)
      const from = searches.mock.calls.map(([, at]) => at ?? 0)
      searches.mockRestore()
      // Each literal is sought once, behind the one before.
      expect(from.length).toBeLessThanOrEqual(pattern.split("*").length)
      expect(from).toEqual(from.toSorted((a, b) => a - b))
    }
  })
})
