import { expect, test } from "bun:test"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { jsonValue, problemOf, withJsonBody } from "../../../src/app/server/JsonBody.ts"
import { finish } from "../../../src/foundation/schema/Steps.ts"
import { it } from "../../harness.ts"

const bounds = { bytes: 1024 * 1024, depth: 20, fields: 100, lists: ["a.long"], text: 32_768, values: 10_000 }

const read = (body: Uint8Array<ArrayBuffer>) => {
  const request = new Request("http://a.example", { body, method: "POST" })
  request.headers.set("content-type", "application/json")
  return withJsonBody(HttpServerRequest.fromWeb(request), bounds).json
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** About 200 KiB with characters of one to four bytes across every border of a chunk, at any offset. */
const long = (shift: number) =>
  JSON.stringify(Array.from({ length: 20 }, (_, at) => [at, "a".repeat(shift) + "é中😀".repeat(1000)]))

it("a long body is parsed correctly when its chunks cut characters", () =>
  Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7, 8], (shift) =>
    Effect.map(read(bytesOf(long(shift))), (value) => expect(value).toEqual(JSON.parse(long(shift))))
  ))

it("a body may have a thousand values outside of its long lists, and a thousand in each of their items", function* () {
  const refusal = (value: unknown) =>
    Effect.map(Effect.exit(read(bytesOf(JSON.stringify(value)))), (exit) => Object(exit).cause?.defect.message)
  const numbers = (count: number) => Array.from({ length: count }, () => 1)
  expect(yield* refusal({ a: { long: numbers(5000), other: numbers(990) } })).toBeUndefined()
  expect(yield* refusal({ a: { other: numbers(1000) } })).toBe(
    "The request body contains more than 1000 values outside of a.long"
  )
  expect(yield* refusal(numbers(1000))).toBe("The request body contains more than 1000 values outside of a.long")
  expect(yield* refusal({ a: { long: [1, numbers(1000)] } })).toBe(
    "The request body contains more than 1000 values in a.long.1"
  )
  expect(yield* refusal({ long: numbers(1000) })).toBe(
    "The request body contains more than 1000 values outside of a.long"
  )
})

it("a byte order mark before JSON is skipped", () =>
  Effect.map(read(bytesOf('\ufeff{"a":1}')), (value) => expect(value).toEqual({ a: 1 })))

it("a UTF-16 body with a byte order mark is read and bounded like a UTF-8 body", function* () {
  const inUtf16 = (text: string, isBigEndian: boolean) => {
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    const bytes = [0xfeff, ...units].flatMap((unit) => [unit >> 8, unit & 255])
    return Uint8Array.from(isBigEndian ? bytes : bytes.map((_, at) => bytes[at ^ 1] ?? 0))
  }
  for (const isBigEndian of [false, true]) {
    expect(yield* read(inUtf16(long(1), isBigEndian))).toEqual(JSON.parse(long(1)))
    const deep = Effect.exit(read(inUtf16("[".repeat(21), isBigEndian)))
    expect(yield* deep).toMatchObject({
      cause: { defect: { message: "The request body contains more than 20 nested arrays and objects" } }
    })
    const broken = Effect.exit(read(inUtf16('["\ud800"]', isBigEndian)))
    expect(yield* broken).toMatchObject({
      cause: { defect: { message: "The request body is not valid JSON: check quotes, commas and brackets" } }
    })
  }
})

it("the error for a gzip body names the compression, not the depth or the syntax", function* () {
  const exit = yield* Effect.exit(
    read(Bun.gzipSync(bytesOf(JSON.stringify(Array.from({ length: 5000 }, Math.random)))))
  )
  expect(Object(exit).cause?.defect).toMatchObject({
    code: "unsupported_media_type",
    message: 'The request body is compressed with gzip: send the JSON uncompressed, without "Content-Encoding: gzip"'
  })
})

it("bytes that are not UTF-8, end within a character or end early are not JSON", () =>
  Effect.forEach(
    [Uint8Array.from([34, 255, 34]), bytesOf(long(0)).subarray(0, -9), bytesOf('"é').subarray(0, -1)],
    (bytes) =>
      Effect.map(Effect.exit(read(Uint8Array.from(bytes))), (exit) =>
        expect(exit).toMatchObject({
          cause: {
            defect: {
              code: "validation_error",
              message: "The request body is not valid JSON: check quotes, commas and brackets"
            }
          }
        })
      )
  ))

const longestText = 32_768

const mostFields = 100

const deepest = 20

const judged = (text: string, values = 1000) =>
  finish(problemOf(new TextEncoder().encode(text), { depth: deepest, fields: mostFields, text: longestText, values }))

test("JSON within the bounds is accepted, with any texts in it", () => {
  const values = fc.jsonValue({ maxDepth: 4 })
  fc.assert(fc.property(values, (value) => expect(judged(JSON.stringify(value))).toBeUndefined()))
  expect(judged(JSON.stringify({ a: '[{"\\'.repeat(5000) }))).toBeUndefined()
  expect(judged(`[${"1,".repeat(998)}1]`)).toBeUndefined()
})

test("only nested arrays and objects count for the depth, not neighbours", () => {
  expect(judged(`[${"[],".repeat(400)}[]]`)).toBeUndefined()
  expect(judged("[".repeat(deepest) + "]".repeat(deepest))).toBeUndefined()
  for (const text of ["[".repeat(deepest + 1), '{"a":'.repeat(deepest + 1)])
    expect(judged(text)).toBe("contains more than 20 nested arrays and objects")
})

test("the values, the fields of one object and the length of a text are bounded", () => {
  expect(judged(`[${"1,".repeat(2000)}1]`)).toBe("contains more than 1000 values")
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1])))
  expect(judged(fields(mostFields))).toBeUndefined()
  expect(judged(fields(mostFields + 1))).toBe("contains an object of more than 100 fields")
  expect(judged(`["${"a".repeat(longestText - 1)}"]`)).toBeUndefined()
  expect(judged(`["${'\\"'.repeat(longestText / 2)}"]`)).toBe("contains a text of more than 32768 bytes")
  expect(judged(`["${"a".repeat(longestText)}`)).toBe("contains a text of more than 32768 bytes")
})

const valueOf = (json: string, piece: number) => finish(jsonValue(json, piece))

const byRuntime = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const spaced = fc.tuple(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), fc.constantFrom("", " ", "\n\t"))

test("JSON that is parsed in steps of any length equals the result of JSON.parse", () => {
  fc.assert(
    fc.property(spaced, fc.integer({ max: 40, min: 1 }), ([value, space], piece) => {
      const json = JSON.stringify(value, null, space)
      expect(valueOf(json, piece)).toStrictEqual(JSON.parse(json))
    })
  )
})

test("text that is almost JSON is refused or accepted exactly as JSON.parse does", () => {
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
      expect(valueOf(json, piece)).toStrictEqual(byRuntime(json))
    ),
    { numRuns: 5000 }
  )
})

test("repeated, empty and special field names are read as JSON.parse reads them", () => {
  for (const json of [
    '{"a":[1,2,3],"b":2,"a":[4,5,6]}',
    '{"":[1,2,3],"":{"__proto__":[1,2,3]}}',
    '{"__proto__":[1,2,3],"constructor":{"a":1}}',
    '{"2":[1,2,3],"a":1,"1":[4,5,6]}',
    '{"a\\"":["\\\\",2,"\\\\\\""]}'
  ])
    for (let piece = 1; piece < json.length; piece++) {
      const value = valueOf(json, piece)
      expect(value).toStrictEqual(JSON.parse(json))
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)))
    }
})

test("no step of parsing a long text costs more than twice its budget", () => {
  const json = JSON.stringify(Array.from({ length: 500 }, (_, at) => ({ [`name ${at}`]: [at, "a".repeat(at % 50)] })))
  const costs = Array.from(jsonValue(`{"a":[[${json}]],"b":${json}}`, 200))
  expect(costs.length).toBeGreaterThan(json.length / 100)
  expect(Math.max(...costs)).toBeLessThanOrEqual(400)
})

test("the cost of parsing a nested text grows with its length, not with its depth", () => {
  const costOf = (json: string) => Array.from(jsonValue(json)).reduce((sum, cost) => sum + cost, 0)
  const bulk = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at))
  const deep = '{"a":['.repeat(100) + bulk + "]}".repeat(100)
  expect(valueOf(deep, 24_576)).toStrictEqual(JSON.parse(deep))
  expect(costOf(deep)).toBeLessThan(1.5 * costOf(bulk))
})
