import { describe, expect, test } from "bun:test"
import { routesOf, searchParams } from "../../../src/app/server/RouteTable.ts"

const find = routesOf([
  { method: "GET", path: "/things/:id" },
  { method: "GET", path: "/things/newest" },
  { method: "GET", path: "/things/:id/parts/:part" },
  { method: "POST", path: "/things/:id" }
])

const found = (path: string) => {
  const match = find(path)
  return match && { methods: Array.from(match.route.methods.keys()), params: match.params, path: match.route.path }
}

describe("the route of a path", () => {
  test("has all methods of the path, and HEAD with GET", () => {
    expect(found("/things/7")).toEqual({
      methods: ["GET", "HEAD", "POST"],
      params: { id: "7" },
      path: "/things/:id"
    })
  })

  test("that is spelt out comes before one with a parameter in its place", () => {
    expect(found("/things/newest")?.path).toBe("/things/newest")
  })

  test("has the decoded texts of its parameters, as they stand where they cannot be decoded", () => {
    expect(found("/things/a%20b/parts/%2F")?.params).toEqual({ id: "a b", part: "/" })
    expect(found("/things/%zz")?.params).toEqual({ id: "%zz" })
  })

  test("is none for more or fewer segments, and for an empty parameter", () => {
    for (const path of ["/things", "/things/", "/things/7/", "/things/7/parts", "//things/7"]) {
      expect(found(path)).toBeUndefined()
    }
  })
})

test("the parameters of a query are decoded, one that is given more than once is a list, and no name is special", () => {
  expect({ ...searchParams("a=1&b=x%20y+z&a=2&c&a=3&url=https://example.com/?d=4") }).toEqual({
    a: ["1", "2", "3"],
    b: "x y z",
    c: "",
    url: "https://example.com/?d=4"
  })
  expect({ ...searchParams("") }).toEqual({})
  expect(Reflect.get(searchParams("toString=1"), "toString")).toBe("1")
  expect(Reflect.get(searchParams("a=1"), "toString")).toBeUndefined()
})
