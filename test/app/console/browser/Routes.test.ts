import { describe, expect, test } from "bun:test"
import { codeOf, hashOf, routeOf } from "../../../../src/app/console/browser/Routes.ts"

describe("an address of the console", () => {
  test("is its parts and its filters; an empty one is the first screen", () => {
    const { query, segments } = routeOf("#/rankings/abc?status=lost&q=a%20b")
    expect([segments, query.get("status"), query.get("q")]).toEqual([["rankings", "abc"], "lost", "a b"])
    for (const empty of ["", "#", "#/"]) expect(routeOf(empty).segments).toEqual(["sites"])
  })

  test("is read as it was written, whatever is in it", () => {
    const hash = hashOf(["sites", "a/b ü?#"], { empty: "", none: null, q: "x&y=#" })
    expect(routeOf(hash).segments).toEqual(["sites", "a/b ü?#"])
    expect(Array.from(routeOf(hash).query)).toEqual([["q", "x&y=#"]])
  })

  test("that cannot be decoded is taken as it stands", () => {
    expect(routeOf("#/sites/%E0%A4%A").segments).toEqual(["sites", "%E0%A4%A"])
  })

  test("has a code where a link enters", () => {
    expect(codeOf("#login=abc_-9")).toBe("abc_-9")
    for (const other of ["", "#login=", "#/sites?login=abc", "#/login=abc"]) expect(codeOf(other)).toBeNull()
  })
})
