import { expect, test } from "bun:test"
import * as fc from "fast-check"
import * as CopyText from "../../src/rankings/decode/CopyText.ts"
import { fold } from "../../src/rankings/Fold.ts"

const unescaped = (text: string) =>
  text.replace(/\\(.)/g, (_, letter: string) => ({ t: "\t", n: "\n", r: "\r" })[letter] ?? letter)

test("every row is one line of nine columns from which it can be read back", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "\\", "\t", "\n", "\r", "N", ".", "é"),
    minLength: 1,
    maxLength: 12
  })
  const row = fc.record({
    date: fc.constant("2026-10-01"),
    query: text,
    page: text,
    variant: fc.maxSafeNat(),
    impressions: fc.nat(),
    clicks: fc.nat(),
    sumTop: fc.maxSafeNat()
  })
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const lines = CopyText.lines(3, rows).split("\n").slice(0, -1)
      const back = lines.map((line) => line.split("\t").map(unescaped))
      expect(back).toEqual(
        rows.map(({ clicks, date, impressions, page, query, sumTop, variant }) =>
          [3, date, query, page, fold(query) === query ? "N" : fold(query), variant, impressions, clicks, sumTop].map(
            String
          )
        )
      )
    })
  )
})

test("a query that looks like COPY's null or end of data is not one", () => {
  const line = (query: string) =>
    CopyText.lines(3, [{ date: "2026-10-01", query, page: "/", variant: 0, impressions: 1, clicks: 0, sumTop: 1 }])
  expect(line("\\N")).toContain("\t\\\\N\t")
  expect(line("\\.")).toContain("\t\\\\.\t")
})
