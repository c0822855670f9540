import { expect, test } from "bun:test"
import { messageOf } from "../../../../src/features/rankings/import/Message.ts"
import { noneDropped } from "../../../../src/features/rankings/RawRow.ts"

const nothing = {
  dated: [],
  dropped: noneDropped,
  exported: [],
  incomplete: [],
  named: String,
  passedOver: [],
  snapshots: []
}

const table = (file: string, rows: number) => ({
  extent: { first_day: "2026-10-01", last_day: "2026-10-01", rows },
  file,
  level: "pages" as const
})

test("the message of an empty import says that there are no rows", () => {
  expect(messageOf(nothing)).toBe("No rows to import.")
})

test("a file has its sender's name for it, and skipped rows come last", () => {
  expect(
    messageOf({
      ...nothing,
      dated: [table("body/Pages.csv", 1200)],
      dropped: { ...noneDropped, anonymised: 1, otherHost: 2000 },
      named: (file) => file.replace("body/", ""),
      passedOver: ["body/x.csv:1: no"]
    })
  ).toBe(
    "Pages.csv: 1,200 rows of page totals by day, 2026-10-01. Skipped: 1 row without a query, 2,000 rows of other hosts. Skipped: x.csv:1: no."
  )
})

test("days that are not final come last, with advice", () => {
  expect(messageOf({ ...nothing, incomplete: ["2026-11-08", "2026-11-09"] })).toBe(
    "No rows to import. Skipped, because Search Console was still collecting data: 2026-11-08, 2026-11-09. Import these days again in a few days."
  )
})

test("the first of very many files are named, and the rest is counted", () => {
  const said = messageOf({ ...nothing, dated: Array.from({ length: 31 }, (_, at) => table(`${at}.csv`, 1)) })
  expect(said).toContain("29.csv: 1 row")
  expect(said).toEndWith("And 1 more file.")
})
