import { expect, test } from "bun:test"
import * as fc from "fast-check"
import * as Loads from "../../../../src/features/rankings/import/Loads.ts"
import { fold } from "../../../../src/foundation/text/Words.ts"

const unescaped = (text: string) =>
  text.replace(/\\(.)/g, (_, letter: string) => ({ t: "\t", n: "\n", r: "\r" })[letter] ?? letter)

const table = { exact: true, file: "file", level: "queries" } as const
const place = {
  address: "",
  appearance: null,
  country: null,
  device: null,
  line: 7,
  seconds: null,
  spelling: null,
  table
}
const numbered = { part: () => 3, variant: () => 4 }

test("every row is one line of twelve columns that parses to the same row", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "\\", "\t", "\n", "\r", "N", ".", "é"),
    minLength: 1,
    maxLength: 12
  })
  const row = fc.record({
    date: fc.constant("2026-10-01"),
    query: text,
    page: text,
    impressions: fc.nat(),
    clicks: fc.nat(),
    sumTop: fc.maxSafeNat()
  })
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const lines = rows
        .map((row) => Loads.line({ ...place, ...row }, numbered))
        .join("")
        .split("\n")
        .slice(0, -1)
      const back = lines.map((line) => line.split("\t").map(unescaped))
      expect(back).toEqual(
        rows.map(({ clicks, date, impressions, page, query, sumTop }) =>
          [
            3,
            7,
            date,
            query,
            page,
            fold(query) === query ? "N" : fold(query),
            4,
            impressions,
            clicks,
            sumTop,
            "N",
            "N"
          ].map(String)
        )
      )
    })
  )
})

const line = (query: string | null) =>
  Loads.line({ ...place, clicks: 0, date: "2026-10-01", impressions: 1, page: "/", query, sumTop: 1 }, numbered)

test("a query that equals COPY's null or end of data is escaped", () => {
  expect(line("\\N")).toContain("\t\\\\N\t")
  expect(line("\\.")).toContain("\t\\\\.\t")
})

test("a row without a query has COPY's null in its place", () => {
  expect(line(null)).toBe("3\t7\t2026-10-01\t\\N\t/\t\\N\t4\t1\t0\t1\t\\N\t\\N\n")
})
