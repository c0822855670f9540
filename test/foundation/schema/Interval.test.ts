import { expect, test } from "bun:test"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { Interval } from "../../../src/foundation/schema/Time.ts"

const read = Schema.decodeSync(Interval)
const write = Schema.encodeSync(Interval)

test("what is written is read back, and is short", () => {
  fc.assert(fc.property(fc.integer({ max: 525_600, min: 1 }), (minutes) => expect(read(write(minutes))).toBe(minutes)))
  expect([write(15), write(60), write(90), write(360), write(1440), write(43_200)]).toEqual([
    "15m",
    "1h",
    "90m",
    "6h",
    "1d",
    "30d"
  ])
})

test("what is no interval is not read", () => {
  for (const text of ["", "6", "h", "6 h", "6H", "-1d", "1.5h", "1234567m", "6h1m"]) {
    expect(() => read(text)).toThrow("must be minutes, hours or days")
  }
})
