import { describe, expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { parseHttpDate, waitOf } from "../../../src/foundation/outbound/Timing.ts"

const now = Date.UTC(2026, 10, 21, 9, 30)
const moment = Date.UTC(2026, 10, 6, 8, 49, 37)

const preferred = "Fri, 06 Nov 2026 08:49:37 GMT"
const forms = [
  ["the preferred form", preferred],
  ["the obsolete RFC 850 form", "Friday, 06-Nov-26 08:49:37 GMT"],
  ["the form of C's asctime", "Fri Nov  6 08:49:37 2026"]
] as const

describe("an HTTP-date", () => {
  test.each(forms)("is read in %s", (_, text) => {
    expect(parseHttpDate(text, now)).toEqual(Option.some(moment))
  })

  test("with a two-digit year more than 50 years ahead is of the century before", () => {
    expect(parseHttpDate("Friday, 06-Nov-76 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(2076, 10, 6, 8, 49, 37)))
    expect(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", now)).toEqual(Option.some(Date.UTC(1994, 10, 6, 8, 49, 37)))
  })

  test("with a leap second is the second after it", () => {
    expect(parseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT", now)).toEqual(Option.some(Date.UTC(2017, 0, 1)))
  })

  test.each(["Sat, 31 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2026 08:49:37 GMT", "Fri, 00 Nov 2026 08:49:37 GMT"])(
    "of a day that its month does not have is none: %s",
    (text) => {
      expect(parseHttpDate(text, now)).toEqual(Option.none())
    }
  )

  test("written by the platform in the preferred form is read back to the second, at every moment", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date(4_102_444_800_000), noInvalidDate: true }), (date) => {
        const parsed = Option.getOrThrow(parseHttpDate(date.toUTCString(), now))
        expect(parsed).toBe(Math.floor(date.getTime() / 1000) * 1000)
      })
    )
  })
})

describe("a Retry-After", () => {
  test.each([
    ["120", 120_000],
    [" 120 ", 120_000],
    ["0", 0]
  ])("of %p seconds asks for that, with or without white space around", (text, wait) => {
    expect(waitOf(text, preferred, now)).toEqual(Option.some(wait))
  })

  test.each(forms)("with a date in %s counts from the answer's own Date", (_, text) => {
    expect(waitOf(text, "Fri, 06 Nov 2026 08:48:37 GMT", now)).toEqual(Option.some(60_000))
  })

  test("with a date counts from this machine's clock when the answer has no Date that can be read", () => {
    expect(waitOf(preferred, null, moment - 5000)).toEqual(Option.some(5000))
    expect(waitOf(preferred, "yesterday", moment - 5000)).toEqual(Option.some(5000))
  })

  test("with a date that has passed asks for no wait", () => {
    expect(waitOf(preferred, null, moment + 5000)).toEqual(Option.some(0))
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
  ])("of %s asks for nothing", (_, text) => {
    expect(waitOf(text, null, now)).toEqual(Option.none())
  })
})
