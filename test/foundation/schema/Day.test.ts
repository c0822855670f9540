import { expect, test } from "bun:test"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { endingAt } from "../../../src/features/rankings/Domain.ts"
import * as Day from "../../../src/foundation/schema/Day.ts"

test("days count from 1970-01-01 like the platform's clock", () => {
  fc.assert(
    fc.property(fc.integer({ min: -200_000, max: 2_000_000 }), (day) => {
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
      expect(Day.parse(date)).toEqual(Option.some(day))
      expect(Day.format(day)).toBe(date)
    })
  )
})

test.each([
  "2025-02-29",
  "2026-04-31",
  "2026-13-01",
  "2026-00-10",
  "2026-01-00",
  "0000-12-31",
  "2026-1-1",
  "20260101",
  "1/2/2026",
  ""
])("%p is no valid day", (date) => {
  expect(Option.isNone(Day.parse(date))).toBe(true)
})

test("two windows are the latest week and the week before, without a gap", () => {
  const newest = Option.getOrThrow(Day.parse("2026-03-03"))
  const { current, previous } = endingAt(newest, 7)
  const written = [previous.start, previous.end, current.start, current.end].map(Day.format)
  expect(written).toEqual(["2026-02-18", "2026-02-24", "2026-02-25", "2026-03-03"])
})

test("two windows of any length are adjacent and equally long", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 400 }), (newest, length) => {
      const { current, previous } = endingAt(newest, length)
      expect(current.end).toBe(newest)
      expect(current.end - current.start).toBe(length - 1)
      expect(previous.end - previous.start).toBe(length - 1)
      expect(previous.end + 1).toBe(current.start)
    })
  )
})
