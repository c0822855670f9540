import { describe, expect, test } from "bun:test"
import { codeOf, hashOf, routeOf } from "../../../../src/app/console/browser/Routes.ts"

describe("a URL of the console", () => {
  test("consists of segments and filters; an empty URL opens the first screen", () => {
    const { query, segments } = routeOf("#/rankings/abc?status=lost&q=a%20b")
    expect([segments, query.get("status"), query.get("q")]).toEqual([["rankings", "abc"], "lost", "a b"])
    for (const empty of ["", "#", "#/"]) expect(routeOf(empty).segments).toEqual(["sites"])
  })

  test("parses to the segments and filters that it was made of, with any characters", () => {
    const hash = hashOf(["sites", "a/b ü?#"], { empty: "", none: null, q: "x&y=#" })
    expect(routeOf(hash).segments).toEqual(["sites", "a/b ü?#"])
    expect(Array.from(routeOf(hash).query)).toEqual([["q", "x&y=#"]])
  })

  test("keeps a segment that cannot be decoded", () => {
    expect(routeOf("#/sites/%E0%A4%A").segments).toEqual(["sites", "%E0%A4%A"])
  })

  test("has a code if it is a sign-in link", () => {
    expect(codeOf("#login=abc_-9")).toBe("abc_-9")
    for (const other of ["", "#login=", "#/sites?login=abc", "#/login=abc"]) expect(codeOf(other)).toBeNull()
  })
})
