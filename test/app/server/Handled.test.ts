import { expect, test } from "bun:test"
import { searchParams } from "../../../src/app/server/Handled.ts"

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
