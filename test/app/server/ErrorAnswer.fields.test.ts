import { describe, expect, test } from "bun:test"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { mostSimilar, worded } from "../../../src/app/server/ErrorAnswer.ts"
import { body } from "../../../src/foundation/http/Contract.ts"

const known = ["url", "max_pages", "check_dead_links"]

describe("an unknown field", () => {
  test("is compared with the known ones by its letters", () => {
    expect(mostSimilar("maxPages", known)).toBe("max_pages")
    expect(mostSimilar("max-page", known)).toBe("max_pages")
    expect(mostSimilar("CHECKDEADLINK", known)).toBe("check_dead_links")
    expect(mostSimilar("uri", known)).toBe("url")
    expect(mostSimilar("anything", [])).toBeUndefined()
  })

  test("is worded from what the schema library says of it, at any depth", () => {
    const Body = body(
      Schema.Struct({ max_pages: Schema.optional(Schema.Int), inner: Schema.Struct({ name: Schema.String }) })
    )
    const decoded = Schema.decodeUnknownEither(Body)({ inner: { Name: "x" }, maxPages: 1 })
    const issues = Either.isLeft(decoded) ? ParseResult.ArrayFormatter.formatErrorSync(decoded.left) : []
    const problems = issues.map(({ message, path }) => `${path.join(".")}: ${worded(path.join("."), message)}`)
    expect(problems).toContain("maxPages: is not a known field, the nearest is max_pages")
    expect(problems).toContain("inner.Name: is not a known field, the nearest is name")
  })

  test("of an empty body has no neighbour", () => {
    expect(worded("x", "is unexpected, expected: never")).toBe("is not known here")
  })
})
