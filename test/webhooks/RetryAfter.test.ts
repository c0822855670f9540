import { expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import * as HttpDate from "../../src/webhooks/HttpDate.ts"
import * as RetryAfter from "../../src/webhooks/RetryAfter.ts"

const now = Date.UTC(2026, 10, 21, 9, 30)
const moment = Date.UTC(2026, 10, 6, 8, 49, 37)

test.each([
  ["the preferred form", "Fri, 06 Nov 2026 08:49:37 GMT"],
  ["the obsolete RFC 850 form", "Friday, 06-Nov-26 08:49:37 GMT"],
  ["the form of C's asctime", "Fri Nov  6 08:49:37 2026"]
])("an HTTP-date is read in %s", (_, text) => {
  expect(HttpDate.parse(text, now)).toEqual(Option.some(moment))
})

test("a two-digit year more than 50 years ahead is of the century before", () => {
  expect(HttpDate.parse("Friday, 06-Nov-76 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(2076, 10, 6, 8, 49, 37)))
  expect(HttpDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(1994, 10, 6, 8, 49, 37)))
})

test("every moment written by the platform in the preferred form is read back to the second", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(4_102_444_800_000), noInvalidDate: true }), (date) => {
      const parsed = Option.getOrThrow(HttpDate.parse(date.toUTCString(), now))
      expect(parsed).toBe(Math.floor(date.getTime() / 1000) * 1000)
    })
  )
})

test.each([
  ["nothing", null],
  ["white space", "  "],
  ["a negative number", "-5"],
  ["a fraction", "1.5"],
  ["a unit", "5s"],
  ["an exponent", "1e3"],
  ["hexadecimal", "0x10"],
  ["words", "soon"],
  ["an ISO date", "2026-11-21T10:00:00Z"],
  ["another zone", "Fri, 06 Nov 2026 08:49:37 CET"],
  ["no zone", "Fri, 06 Nov 2026 08:49:37"],
  ["the 25th hour", "Fri, 06 Nov 2026 25:49:37 GMT"],
  ["lower case", "fri, 06 nov 2026 08:49:37 gmt"],
  ["a number and words", "5 apples"]
])("a Retry-After of %s asks for nothing", (_, text) => {
  expect(RetryAfter.earliest(text, now)).toEqual(Option.none())
})

test("a Retry-After may be surrounded by white space", () => {
  expect(RetryAfter.earliest(" 120 ", now)).toEqual(Option.some(now + 120_000))
})
