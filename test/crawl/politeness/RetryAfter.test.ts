import { expect, test } from "bun:test"
import { waitOf } from "../../../src/crawl/politeness/RetryAfter.ts"

const date = "Sun, 06 Nov 1994 08:49:37 GMT"
const at = Date.UTC(1994, 10, 6, 8, 49, 37)

test("seconds are milliseconds times a thousand", () => {
  expect(waitOf("120", null, 0)).toBe(120_000)
  expect(waitOf(" 0 ", null, 0)).toBe(0)
})

test("a date in each of its three forms counts from the answer's own Date", () => {
  for (const form of ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994"]) {
    expect(waitOf(form, date, at + 999_999)).toBe(60_000)
  }
})

test("without a Date the crawler's clock counts, and a date that has passed means now", () => {
  expect(waitOf(date, null, at - 5000)).toBe(5000)
  expect(waitOf(date, null, at + 5000)).toBe(0)
})

test("an absent or unreadable value asks for nothing", () => {
  expect(waitOf(null, null, 0)).toBeNull()
  expect(waitOf("", null, 0)).toBeNull()
  expect(waitOf("soon", null, 0)).toBeNull()
  expect(waitOf("-5", null, 0)).toBeNull()
})
