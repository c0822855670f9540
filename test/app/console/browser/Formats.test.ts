import { describe, expect, test } from "bun:test"
import {
  change,
  count,
  dayOf,
  duration,
  hostOf,
  none,
  pathOf,
  plural,
  relative,
  rounded,
  share
} from "../../../../src/app/console/browser/parts/Formats.ts"

const now = 1_800_000_000_000
const minute = 60_000

describe("a time", () => {
  test("is shown relative to now, in the largest unit that fits", () => {
    const told = [-20 * 1000, -2 * minute, -59 * minute, -3 * 60 * minute, -26 * 60 * minute, -15 * 1440 * minute]
    expect(told.map((away) => relative(now + away, now))).toEqual([
      "now",
      "2 minutes ago",
      "59 minutes ago",
      "3 hours ago",
      "yesterday",
      "2 weeks ago"
    ])
    expect(relative(now + 90 * minute, now)).toBe("in 1 hour")
  })

  test("is shown as a duration in seconds, or in minutes and seconds", () => {
    expect([duration(48.2), duration(125)]).toEqual(["48 s", "2 min 5 s"])
  })
})

describe("a day of a source", () => {
  test("is the same day for readers in every time zone", () => {
    expect(dayOf("2026-11-01")).toMatch(/(?<!\d)0?1(?!\d)/)
    expect(dayOf("2026-12-31")).toMatch(/31/)
  })
})

describe("a number", () => {
  test("is shown as a dash when it is missing, never as 0", () => {
    expect([count(null), rounded(undefined), share(null), change(null)]).toEqual(Array(4).fill(none))
    expect(count(0)).not.toBe(none)
  })

  test("has a noun in the singular or plural", () => {
    expect([plural(1, "page"), plural(0, "page"), plural(2, "entry", "entries")]).toEqual([
      "1 page",
      "0 pages",
      "2 entries"
    ])
  })
})

describe("a URL", () => {
  test("is shortened to its host or its path; text that is no URL stays as it is", () => {
    expect([hostOf("https://a.example:8080/b?c=1"), pathOf("https://a.example/b?c=1#d")]).toEqual([
      "a.example:8080",
      "/b?c=1"
    ])
    expect([hostOf("/b"), pathOf("b c")]).toEqual(["/b", "b c"])
  })
})
