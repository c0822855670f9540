import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { hours } from "../../../../src/features/rankings/import/Hours.ts"
import { suite } from "../../../harness.ts"
import { decode } from "../decoding.ts"
import { importInto, layer, owner, storedTotals } from "../storing.ts"

const it = suite(layer, { timeout: 60_000 })

const two = (number: number) => String(number).padStart(2, "0")

/** The hours of a day of 24 as Search Console's API writes them. */
const hoursOf = (day: string, offset = "-07:00") =>
  Array.from({ length: 24 }, (_, hour) => `${day}T${two(hour)}:00:00${offset}`)

/** 2026-03-08 has no 02:00, and 2026-11-01 has 01:00 twice. */
const spring = [...hoursOf("2026-03-08", "-08:00").slice(0, 2), ...hoursOf("2026-03-08").slice(3)]
const autumn = [...hoursOf("2026-11-01").slice(0, 2), ...hoursOf("2026-11-01", "-08:00").slice(1)]

const csvOf = (times: ReadonlyArray<string>, header = "Date", numbers = "1,10,2") =>
  [`${header},Query,Page,Clicks,Impressions,Position`, ...times.map((time) => `${time},a,/a,${numbers}`), ""].join("\n")

/** Whether the times of tables are hours, or the reason why they cannot be imported. */
const verdict = (...files: ReadonlyArray<string>) => {
  const known = hours()
  for (const text of files) {
    const { incomplete = [], met = [] } = Either.getOrThrow(decode("gsc-csv", text))
    known.add(met, incomplete)
  }
  return Either.match(known.areHourly(), { onLeft: ({ message }) => message, onRight: (isHourly) => isHourly })
}

describe("times in place of days", () => {
  test.each([
    [["2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z"]],
    [["2026-10-01 00:00:00 UTC"]],
    [["2026-10-01T00:00:00-07:00", "2026-11-02T00:00:00-08:00"]],
    [["2026-10-01T07:00:00Z", "2026-11-02T08:00:00Z"]],
    [["2026-10-01T23:30:00-07:00", "2026-10-02T23:30:00-07:00"]],
    [["2026-10-01 05:00:00", "2026-10-02 05:00:00"]],
    [["2026-03-07 23:59:59", "2026-03-08 23:59:59", "2026-11-01 23:59:59"]],
    [["2026-03-07T12:00:01-08:00", "2026-03-08T12:00:01-07:00"]]
  ])("%p mean days, because all rows have the same time", (times) => {
    expect(verdict(csvOf(times))).toBe(false)
  })

  test.each([
    ["an ordinary day", hoursOf("2026-10-01")],
    ["an ordinary day without an offset", hoursOf("2026-10-01", "")],
    ["the day of 23 hours", spring],
    ["the day of 25 hours", autumn],
    ["the day of 23 hours without an offset", spring.map((time) => time.slice(0, 19))],
    ["two days", [...hoursOf("2026-10-01"), ...hoursOf("2026-10-02")]],
    ["hours without seconds", hoursOf("2026-10-01").map((time) => time.replace(":00-", "-"))]
  ])("all hours of %s are a complete day", (_, times) => {
    expect(verdict(csvOf(times))).toBe(true)
  })

  test.each([
    [["2026-10-01T05:00:00-07:00"], "has 1 of its 24 hours in Pacific time; 00:00 is missing"],
    [hoursOf("2026-10-01").slice(0, 14), "has 14 of its 24 hours in Pacific time; 14:00 is missing"],
    [hoursOf("2026-10-01").toSpliced(7, 1), "has 23 of its 24 hours in Pacific time; 07:00 is missing"],
    [hoursOf("2026-11-01", "-08:00").toSpliced(0, 1), "has 23 of its 25 hours in Pacific time; 00:00 is missing"],
    [autumn.map((time) => time.slice(0, 19)), "has 24 of its 25 hours in Pacific time; 01:00 is missing"],
    [hoursOf("2026-10-01", "Z"), "has hours of another time zone"],
    [[...hoursOf("2026-10-01"), "2026-10-01T05:30:00-07:00"], "has times that are no hours of that day"],
    [[...hoursOf("2026-10-01"), "2026-10-01"], "has rows with an hour and rows without one"]
  ])("%#: hours that do not fill a day are refused", (times, reason) => {
    expect(verdict(csvOf(times))).toStartWith(`file: ${times[0]?.slice(0, 10)} ${reason}`)
  })

  test("hours may be in several files with the same dimensions", () => {
    const [first, second] = [hoursOf("2026-10-01").slice(0, 12), hoursOf("2026-10-01").slice(12)]
    expect(verdict(csvOf(first), csvOf(second))).toBe(true)
    const devices = second.map((time) => `${time},/a,MOBILE,1,10,2`).join("\n")
    expect(verdict(csvOf(first), `Date,Page,Device,Clicks,Impressions,Position\n${devices}\n`)).toContain(
      "has 12 of its 24"
    )
  })

  test("an hour without impressions counts if it has a row of zeros", () => {
    const [none = "", ...others] = hoursOf("2026-10-01")
    const zeros = csvOf([none], "Date", "0,0,0").split("\n")[1]
    expect(verdict(csvOf(others))).toContain("00:00 is missing")
    expect(verdict(`${csvOf(others)}${zeros}\n`)).toBe(true)
  })

  test.each([
    ["Hour", hoursOf("2026-10-01")],
    ["Date,Hour", Array.from({ length: 24 }, (_, hour) => `2026-10-01,${hour}`)],
    ["Date,Hour", Array.from({ length: 24 }, (_, hour) => `2026-10-01,${two(hour)}:00`)]
  ])("all hours in the columns %s are a complete day, and one hour alone is not", (header, times) => {
    expect(verdict(csvOf(times, header))).toBe(true)
    expect(verdict(csvOf(times.slice(0, 1), header))).toContain("has 1 of its 24 hours")
  })
})

const daysOf = (site: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ day: string }>`
      SELECT DISTINCT d.day::text FROM ranking_days d JOIN ranking_sites s ON s.number = d.site WHERE s.site_id = ${site} ORDER BY 1`
  ).pipe(Effect.map((rows) => rows.map(({ day }) => day)))

const total = (site: string, day: string) => Effect.map(storedTotals(site, day, day), (all) => [...all.values()])

const answer = (
  rows: ReadonlyArray<readonly [time: string, impressions: number, position: number]>,
  more: object = {}
) =>
  JSON.stringify({
    rows: rows.map(([time, impressions, position]) => ({
      clicks: 1,
      ctr: 1 / impressions,
      impressions,
      keys: [time, "a", "https://example.com/a"],
      position
    })),
    ...more
  })

const hourly = { dimensions: ["hour", "query", "page"] }

describe("a day of hours", () => {
  it("is the sum of its hours, with the position weighted by impressions, and equal hours count separately", function* () {
    const { site } = yield* owner
    const imported = yield* importInto(site, "gsc-csv", [{ text: csvOf(hoursOf("2026-10-01"), "Date", "1,1,2") }])
    expect(imported).toMatchObject({ changed: 1, first_day: "2026-10-01", last_day: "2026-10-01", rows: 24 })
    expect(yield* total(site, "2026-10-01")).toEqual([{ clicks: 24, impressions: 24, sumTop: 48 }])
    const rows = hoursOf("2026-10-02").map((time, hour) => [time, hour === 0 ? 77 : 1, hour === 0 ? 1 : 5] as const)
    yield* importInto(site, "gsc-api", [{ text: answer(rows) }], hourly)
    expect(yield* total(site, "2026-10-02")).toEqual([{ clicks: 24, impressions: 100, sumTop: 77 + 23 * 5 }])
  })

  it("counts each hour once, even if it is repeated in one or several files", function* () {
    const { site } = yield* owner
    const times = hoursOf("2026-10-01")
    const files = [times.slice(0, 14), times.slice(10), times.slice(3, 4)].map((some) => ({ text: csvOf(some) }))
    yield* importInto(site, "gsc-csv", files)
    expect(yield* total(site, "2026-10-01")).toEqual([{ clicks: 24, impressions: 240, sumTop: 480 }])
  })

  it("is refused when an hour is missing or has two values, with both lines", function* () {
    const { site } = yield* owner
    const twice = `${csvOf(hoursOf("2026-10-01"))}2026-10-01T05:00:00-07:00,a,/a,1,11,2\n`
    expect((yield* Effect.flip(importInto(site, "gsc-csv", [{ name: "t.csv", text: twice }]))).message).toBe(
      "t.csv:26: duplicate of line 7 (same date, query and page) with different numbers"
    )
    const some = hoursOf("2026-10-01").slice(0, 20)
    expect(
      (yield* Effect.flip(importInto(site, "gsc-csv", [{ name: "t.csv", text: csvOf(some) }]))).message
    ).toStartWith("t.csv: 2026-10-01 has 20 of its 24 hours in Pacific time; 20:00 is missing")
    expect(yield* daysOf(site)).toEqual([])
  })

  it("has 23 hours in spring and 25 in autumn", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csvOf([...spring, ...autumn]) }])
    expect(yield* total(site, "2026-03-08")).toEqual([{ clicks: 23, impressions: 230, sumTop: 460 }])
    expect(yield* total(site, "2026-11-01")).toEqual([{ clicks: 25, impressions: 250, sumTop: 500 }])
  })

  it("is skipped from its first hour that is not final", function* () {
    const { site } = yield* owner
    const rows = [...hoursOf("2026-10-01"), ...hoursOf("2026-10-02").slice(0, 9)].map((time) => [time, 2, 3] as const)
    const imported = yield* importInto(
      site,
      "gsc-api",
      [{ text: answer(rows, { metadata: { first_incomplete_hour: "2026-10-02T06:00:00-07:00" } }) }],
      hourly
    )
    expect(imported).toMatchObject({ incomplete_days: ["2026-10-02"], last_day: "2026-10-01", rows: 24 })
    expect(yield* daysOf(site)).toEqual(["2026-10-01"])
  })
})

const days = [
  ["2026-10-01", 10, 2],
  ["2026-10-02", 10, 2],
  ["2026-10-03", 4, 2]
] as const

describe("days that API responses mark as incomplete", () => {
  it("are skipped and named, with any spelling and place of the mark", function* () {
    for (const metadata of [
      { first_incomplete_date: "2026-10-02" },
      { firstIncompleteDate: "2026-10-02" },
      { first_incomplete_hour: "2026-10-02T15:00:00-07:00" },
      { firstIncompleteHour: "2026-10-02T15:00:00-07:00" }
    ]) {
      const { site } = yield* owner
      const text = answer(days, { metadata })
      for (const piece of [7, 65536]) {
        const imported = yield* importInto(site, "gsc-api", [{ text }], { piece })
        expect(imported).toMatchObject({
          first_day: "2026-10-01",
          incomplete_days: ["2026-10-02", "2026-10-03"],
          last_day: "2026-10-01",
          rows: 1
        })
      }
      expect(yield* daysOf(site)).toEqual(["2026-10-01"])
    }
  })

  it("are skipped in their file only, and another file may contain them completely", function* () {
    const { site } = yield* owner
    const early = answer(days.slice(0, 2), { metadata: { first_incomplete_date: "2026-10-02" } })
    const imported = yield* importInto(site, "gsc-api", [{ text: early }, { text: answer(days.slice(1)) }])
    expect(imported).toMatchObject({ incomplete_days: ["2026-10-02"], last_day: "2026-10-03", rows: 3 })
    expect(yield* daysOf(site)).toEqual(["2026-10-01", "2026-10-02", "2026-10-03"])
  })

  it("may be all days of a file, which then imports nothing", function* () {
    const { site } = yield* owner
    const text = answer(days, { metadata: { first_incomplete_date: "2026-09-30" } })
    expect(yield* importInto(site, "gsc-api", [{ text }])).toMatchObject({
      changed: 0,
      first_day: null,
      incomplete_days: ["2026-10-01", "2026-10-02", "2026-10-03"],
      last_day: null,
      rows: 0
    })
    expect(yield* daysOf(site)).toEqual([])
  })

  it("are skipped in their response only, and other responses of the file keep theirs", function* () {
    const { site } = yield* owner
    const said = { metadata: { first_incomplete_date: "2026-10-01" } }
    const text = [answer(days.slice(0, 1)), answer(days.slice(2), said)].join("\n")
    expect(yield* importInto(site, "gsc-api", [{ text }])).toMatchObject({ incomplete_days: ["2026-10-03"], rows: 1 })
    expect(yield* daysOf(site)).toEqual(["2026-10-01"])
  })

  test("with a malformed mark are refused with the name of the field", () => {
    const text = answer(days, { metadata: { first_incomplete_date: "soon" } })
    expect(Either.mapLeft(decode("gsc-api", text), ({ message }) => message)).toEqual(
      Either.left('file:1: metadata.first_incomplete_date: "soon" is not a date. Write it YYYY-MM-DD')
    )
    const none = answer(days, { metadata: { first_incomplete_date: null, firstIncompleteHour: "" } })
    expect(Either.getOrThrow(decode("gsc-api", none)).incomplete).toEqual([])
  })
})
