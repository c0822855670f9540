import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { RuleIndex } from "../../../src/crawl/robots/Match.ts"
import { compile, prefixOf } from "../../../src/crawl/robots/Parse.ts"

const letters = (...all: ReadonlyArray<string>) =>
  fc.array(fc.constantFrom(...all), { maxLength: 8 }).map((parts) => parts.join(""))
const rule = (pattern: string) => ({ matches: compile(pattern), pattern, prefix: prefixOf(pattern) })

describe("the index of robots rules", () => {
  test("finds the rule that a walk over all of them finds", () => {
    fc.assert(
      fc.property(
        fc.array(letters("/", "a", "b", "*", "$"), { maxLength: 30 }),
        letters("/", "a", "b", "$"),
        (patterns, path) => {
          const rules = patterns.map(rule)
          expect(new RuleIndex(rules).first(path)).toBe(rules.find(({ matches }) => matches(path)))
        }
      ),
      { numRuns: 2_000 }
    )
  })

  test("compares a path with no rule whose literal prefix it has not", () => {
    const rules = Array.from({ length: 20_000 }, (_, at) => rule(`/directory-${at}/*.html$`))
    expect(new RuleIndex(rules).cost("/directory-7/x.html")).toBe("/directory-7/x.html".length)
    expect(new RuleIndex(rules).cost("/elsewhere")).toBe(0)
  })
})
