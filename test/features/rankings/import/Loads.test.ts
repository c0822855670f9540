import { expect, test } from "bun:test"
import { type Load, loading } from "../../../../src/features/rankings/import/Loads.ts"
import { noneDropped, type RawRow } from "../../../../src/features/rankings/RawRow.ts"

const table = { exact: false, file: "file", level: "queries" } as const

const row = (index: number, more: Partial<RawRow> = {}): RawRow => ({
  address: "",
  appearance: null,
  clicks: 1,
  country: null,
  date: "2026-10-08",
  device: null,
  impressions: 2,
  line: index,
  page: `/${index}`,
  query: `query ${index}`,
  seconds: null,
  spelling: null,
  sumTop: 3,
  table,
  ...more
})

const loadsOf = (rows: ReadonlyArray<RawRow>): ReadonlyArray<Load> => {
  const { add, end } = loading()
  return [...add({ dropped: noneDropped, rows }), end()]
}

const lines = (text: string | Uint8Array) => String(text).split("\n").slice(0, -1)

test("a load has hardly more than half a megabyte, even with long URLs in its rows", () => {
  const loads = loadsOf(
    Array.from({ length: 1000 }, (_, index) => row(index, { address: `#${"a".repeat(8000)}${index}` }))
  )
  expect(loads.length).toBeGreaterThan(10)
  for (const { rows, variants } of loads) expect(rows.length + variants.length).toBeLessThan(600_000)
  expect(loads.flatMap(({ rows }) => lines(rows))).toHaveLength(1000)
})

test("tables and variants are in the first load with a row of them, once", () => {
  const other = { ...table, file: "other" }
  const loads = loadsOf([
    ...Array.from({ length: 30_000 }, (_, index) => row(index)),
    row(0, { device: "MOBILE", table: other })
  ])
  expect(loads.map(({ tables }) => tables.length)).toEqual([1, ...loads.slice(2).map(() => 0), 1])
  expect(loads.flatMap(({ variants }) => lines(variants))).toEqual(["0\t\t\\N\t\\N\t\\N", "1\t\t\\N\tMOBILE\t\\N"])
})

test("a variant that occurs again after more than 65,536 others gets a second number", () => {
  const rows = Array.from({ length: 65_537 }, (_, index) => row(index, { address: `#${index}` }))
  const loads = loadsOf([...rows, row(0, { address: "#0" })])
  const variants = loads.flatMap(({ variants }) => lines(variants)).filter((line) => line.split("\t")[1] === "#0")
  expect(variants).toEqual(["0\t#0\t\\N\t\\N\t\\N", "65537\t#0\t\\N\t\\N\t\\N"])
})
