import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { deepest, problemOf } from "../../../src/app/server/JsonBody.ts"
import { finish } from "../../../src/foundation/schema/Steps.ts"

const longestText = 32_768
const mostFields = 100
const judged = (text: string, values = 1000) =>
  finish(problemOf(new TextEncoder().encode(text), { fields: mostFields, text: longestText, values }))

test("JSON within the bounds is let through, whatever its texts look like", () => {
  const values = fc.jsonValue({ maxDepth: 4 })
  fc.assert(fc.property(values, (value) => expect(judged(JSON.stringify(value))).toBeUndefined()))
  expect(judged(JSON.stringify({ a: '[{"\\'.repeat(5000) }))).toBeUndefined()
  expect(judged(`[${"1,".repeat(998)}1]`)).toBeUndefined()
})

test("arrays and objects within one another are counted, not those beside each other", () => {
  expect(judged(`[${"[],".repeat(400)}[]]`)).toBeUndefined()
  expect(judged("[".repeat(deepest) + "]".repeat(deepest))).toBeUndefined()
  for (const text of ["[".repeat(deepest + 1), '{"a":'.repeat(deepest + 1)])
    expect(judged(text)).toBe("contains more than 20 nested arrays and objects")
})

test("values, fields of one object and the length of a text are bounded", () => {
  expect(judged(`[${"1,".repeat(2000)}1]`)).toBe("contains more than 1000 values")
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1])))
  expect(judged(fields(mostFields))).toBeUndefined()
  expect(judged(fields(mostFields + 1))).toBe("contains an object of more than 100 fields")
  expect(judged(`["${"a".repeat(longestText - 1)}"]`)).toBeUndefined()
  expect(judged(`["${'\\"'.repeat(longestText / 2)}"]`)).toBe("contains a text of more than 32768 bytes")
  expect(judged(`["${"a".repeat(longestText)}`)).toBe("contains a text of more than 32768 bytes")
})
