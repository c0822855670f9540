import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { jsonValue } from "../../../src/app/server/JsonBody.ts"
import { finish } from "../../../src/foundation/schema/Steps.ts"

const read = (json: string, piece: number) => finish(jsonValue(json, piece))

const byRuntime = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const spaced = fc.tuple(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), fc.constantFrom("", " ", "\n\t"))

test("JSON is read in pieces of any length as the runtime reads it at once", () => {
  fc.assert(
    fc.property(spaced, fc.integer({ max: 40, min: 1 }), ([value, space], piece) => {
      const json = JSON.stringify(value, null, space)
      expect(read(json, piece)).toStrictEqual(JSON.parse(json))
    })
  )
})

test("text that is nearly JSON is refused, or read, as the runtime does it", () => {
  const marks = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"',
    "\\",
    " ",
    "\u00a0",
    "1",
    "a",
    '"a"',
    '"a":',
    "[1]",
    '{"a":1}'
  )
  const texts = fc.oneof(
    fc.array(marks, { maxLength: 14 }).map((all) => all.join("")),
    fc.tuple(spaced, fc.nat(), marks).map(([[value, space], at, mark]) => {
      const json = JSON.stringify(value, null, space)
      const place = at % (json.length + 1)
      return `${json.slice(0, place)}${mark}${json.slice(place + (at % 2))}`
    })
  )
  fc.assert(
    fc.property(texts, fc.integer({ max: 12, min: 1 }), (json, piece) =>
      expect(read(json, piece)).toStrictEqual(byRuntime(json))
    ),
    { numRuns: 5000 }
  )
})

test("names that are repeated, empty or special are as the runtime reads them", () => {
  for (const json of [
    '{"a":[1,2,3],"b":2,"a":[4,5,6]}',
    '{"":[1,2,3],"":{"__proto__":[1,2,3]}}',
    '{"__proto__":[1,2,3],"constructor":{"a":1}}',
    '{"2":[1,2,3],"a":1,"1":[4,5,6]}',
    '{"a\\"":["\\\\",2,"\\\\\\""]}'
  ])
    for (let piece = 1; piece < json.length; piece++) {
      const value = read(json, piece)
      expect(value).toStrictEqual(JSON.parse(json))
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)))
    }
})

test("no step of a long text costs more than twice a piece", () => {
  const json = JSON.stringify(Array.from({ length: 500 }, (_, at) => ({ [`name ${at}`]: [at, "a".repeat(at % 50)] })))
  const costs = Array.from(jsonValue(`{"a":[[${json}]],"b":${json}}`, 200))
  expect(costs.length).toBeGreaterThan(json.length / 100)
  expect(Math.max(...costs)).toBeLessThanOrEqual(400)
})
