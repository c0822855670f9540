import { expect } from "bun:test"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { withJsonBody } from "../../../src/app/server/JsonBody.ts"
import { it } from "../../harness.ts"

const bounds = { bytes: 1024 * 1024, fields: 100, lists: ["a.long"], text: 32_768, values: 10_000 }

const read = (body: Uint8Array<ArrayBuffer>) => {
  const request = new Request("http://a.example", { body, method: "POST" })
  request.headers.set("content-type", "application/json")
  return withJsonBody(HttpServerRequest.fromWeb(request), bounds).json
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Some 200 KiB in which characters of one to four bytes lie across every border of a piece, whatever its place. */
const long = (shift: number) =>
  JSON.stringify(Array.from({ length: 20 }, (_, at) => [at, "a".repeat(shift) + "é中😀".repeat(1000)]))

it("a long body is the value that its text stands for, wherever its characters are cut", () =>
  Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7, 8], (shift) =>
    Effect.map(read(bytesOf(long(shift))), (value) => expect(value).toEqual(JSON.parse(long(shift))))
  ))

it("a body with long lists has a thousand values outside of them, and in each of their members", function* () {
  const refusal = (value: unknown) =>
    Effect.map(Effect.exit(read(bytesOf(JSON.stringify(value)))), (exit) => Object(exit).cause?.defect.message)
  const numbers = (count: number) => Array.from({ length: count }, () => 1)
  expect(yield* refusal({ a: { long: numbers(5000), other: numbers(990) } })).toBeUndefined()
  expect(yield* refusal({ a: { other: numbers(1000) } })).toBe(
    "The body contains more than 1000 values outside of a.long"
  )
  expect(yield* refusal(numbers(1000))).toBe("The body contains more than 1000 values outside of a.long")
  expect(yield* refusal({ a: { long: [1, numbers(1000)] } })).toBe(
    "The body contains more than 1000 values in a.long.1"
  )
  expect(yield* refusal({ long: numbers(1000) })).toBe("The body contains more than 1000 values outside of a.long")
})

it("a mark of the byte order before JSON is passed over", () =>
  Effect.map(read(bytesOf('\ufeff{"a":1}')), (value) => expect(value).toEqual({ a: 1 })))

it("bytes that are not UTF-8, or end within a character, are not JSON, nor is a text that ends early", () =>
  Effect.forEach(
    [Uint8Array.from([34, 255, 34]), bytesOf(long(0)).subarray(0, -9), bytesOf('"é').subarray(0, -1)],
    (bytes) =>
      Effect.map(Effect.exit(read(Uint8Array.from(bytes))), (exit) =>
        expect(exit).toMatchObject({
          cause: { defect: { code: "validation_error", message: "The body is not well-formed JSON" } }
        })
      )
  ))
