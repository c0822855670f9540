import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { suite } from "../../../harness.ts"
import { often } from "../../../often.ts"
import { rowsOf } from "../decoding.ts"
import { api, expected, formats, scenario } from "../facts.ts"
import { importRows, type Store, totals } from "../importing.ts"
import { csv, importInto, layer, owner, storedTotals, traces, wrongSums } from "../storing.ts"

const it = suite(layer)

const windows = [
  ["2026-10-01", "2026-10-07"],
  ["2026-10-08", "2026-10-14"]
] as const

/** A few scenarios only: each makes several imports into a real database. */
const runs = often(2)

describe("in the database", () => {
  for (const [format, write, facts] of formats) {
    it(`${format}: any split of the data into files, in any order, gives the same rows`, function* () {
      for (const { all, files, order, piece, repeats, together } of fc.sample(scenario(facts), {
        numRuns: runs,
        seed: 7
      })) {
        const { site } = yield* owner
        const text = (file: number) => ({ text: write(all.filter((_, index) => files[index] === file)) })
        // All files of a bulk day are in one import; parts of tables and API responses are in any number, some repeated.
        const batches =
          format === "bigquery"
            ? [order.map(text), order.map(text)]
            : together
              ? [[...order, ...repeats].map(text)]
              : [...order, ...repeats].map((file) => [text(file)])
        yield* Effect.forEach(batches, (batch) => importInto(site, format, batch, { piece }))
        for (const [from, to] of windows) {
          expect(yield* storedTotals(site, from, to)).toEqual(expected(all, from, to))
        }
      }
      expect(yield* wrongSums).toEqual([])
    })
  }

  it("any sequence of formats leaves the rows that the model of imports predicts", function* () {
    const [, , search] = formats[0]
    const step = fc.tuple(fc.nat(2), search)
    for (const steps of fc.sample(fc.array(step, { maxLength: 5, minLength: 2 }), { numRuns: runs, seed: 11 })) {
      const { site } = yield* owner
      const store: Store = new Map()
      for (const [which, facts] of steps) {
        const [format, write] = formats[which] ?? formats[0]
        const text = write(facts)
        importRows(store, format, rowsOf(format, text))
        yield* importInto(site, format, [{ text }], { replaces: true })
      }
      for (const [from, to] of windows) {
        expect(yield* storedTotals(site, from, to)).toEqual(totals(store, from, to))
      }
    }
    expect(yield* wrongSums).toEqual([])
  })

  it("a second import of the same file changes nothing, even if rankings were recorded", function* () {
    const { site } = yield* owner
    const files = [{ text: csv("2026-10-01,a,/a,1,30,2.5", "2026-10-09,a,/a,1,30,9.5", "2026-10-09,b,/b,0,3,7") }]
    const first = yield* importInto(site, "gsc-csv", files)
    const before = yield* traces(site)
    const second = yield* importInto(site, "gsc-csv", files)
    expect(first).toMatchObject({ changed: 3, renewed: { records: 2 }, rows: 3 })
    expect(second).toMatchObject({ changed: 0, renewed: null, rows: 3 })
    expect(yield* traces(site)).toEqual({ ...before, imports: 2 })
  })

  it("a correction of a day replaces its values", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,a,/a,1,30,2") }])
    const { changed } = yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,a,/a,2,40,3") }])
    expect(changed).toBe(1)
    expect([...(yield* storedTotals(site, "2026-10-01", "2026-10-09")).values()]).toEqual([
      { clicks: 2, impressions: 40, sumTop: 120 }
    ])
  })

  it("data before both windows and the sixteen weeks of opportunities do not change the rankings", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-20,a,/a,1,30,2") }])
    const { changed, renewed } = yield* importInto(site, "gsc-csv", [{ text: csv("2026-06-30,a,/a,1,30,2") }])
    expect({ changed, renewed }).toEqual({ changed: 1, renewed: null })
    const later = yield* importInto(site, "gsc-csv", [{ text: csv("2026-07-01,a,/a,1,30,2") }])
    expect(later.renewed).toMatchObject({ records: 1 })
  })

  it("rows are stored in the partition of their month, which is created for its first row", function* () {
    const sql = yield* SqlClient.SqlClient
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv("2024-02-29,a,/a,1,30,2", "2024-04-01,a,/a,1,30,2") }])
    const found =
      yield* sql`SELECT r.tableoid::regclass::text AS partition, day::text FROM ranking_query_facts r JOIN ranking_sites s ON s.number = r.site
        WHERE s.site_id = ${site} ORDER BY day`
    expect(found).toEqual([
      { day: "2024-02-29", partition: "ranking_query_facts_2024_02" },
      { day: "2024-04-01", partition: "ranking_query_facts_2024_04" }
    ])
  })

  it("imports of several sites that need the same new months do not block each other", function* () {
    const sites = yield* Effect.replicateEffect(owner, 6)
    const text = csv("2022-01-31,a,/a,1,30,2", "2022-02-01,a,/a,1,30,2", "2022-03-01,a,/a,1,30,2")
    yield* Effect.forEach(sites, ({ site }) => importInto(site, "gsc-csv", [{ text }]), { concurrency: 6 })
    for (const { site } of sites) expect(yield* traces(site)).toMatchObject({ generations: 1, rows: 3 })
  })

  it("concurrent imports into one site give the same result as sequential ones", function* () {
    const { site } = yield* owner
    const days = ["2026-10-01", "2026-10-02", "2026-10-08", "2026-10-09", "2026-10-10"]
    const facts = days.map((date, index) => ({
      clicks: 0,
      date,
      device: "",
      impressions: 10 + index,
      query: "a",
      sumTop: 100,
      url: "https://example.com/"
    }))
    yield* Effect.forEach([...facts, ...facts], (fact) => importInto(site, "gsc-api", [{ text: api([fact]) }]), {
      concurrency: 5
    })
    expect(yield* storedTotals(site, "2026-10-01", "2026-10-31")).toEqual(expected(facts, "2026-10-01", "2026-10-31"))
    expect(yield* wrongSums).toEqual([])
  })
})

const day = "2026-10-01"
const bulk = (rows: ReadonlyArray<Record<string, unknown>>) => ({
  text: rows
    .map((row) => JSON.stringify({ country: "usa", data_date: day, device: "MOBILE", search_type: "WEB", ...row }))
    .join("\n")
})
const shown = (query: string | null, impressions: number, more: Record<string, unknown> = {}) => ({
  clicks: 1,
  impressions,
  query,
  sum_position: impressions,
  url: "https://example.com/a",
  ...more
})

/** The impressions of a level that counts as the whole. */
const impressionsOf = (site: string, level: "page" | "property" | "query") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [found] = yield* sql<{ sum: number | null }>`
      SELECT sum(impressions)::float8 AS sum FROM ${sql(`ranking_${level}_facts`)} f JOIN ranking_sites s ON s.number = f.site
      WHERE s.site_id = ${site} AND counts & 1 = 1`
    return found?.sum ?? 0
  })

describe("a bulk export", () => {
  it("replaces the days that it covers: values are not added to earlier ones, and missing rows are removed", function* () {
    const { site } = yield* owner
    yield* importInto(site, "bigquery", [bulk([shown("a", 100), shown("b", 50), shown(null, 30)])])
    yield* importInto(site, "gsc-csv", [{ text: csv(`${day},c,/c,0,5,2`) }])
    const { changed } = yield* importInto(site, "bigquery", [bulk([shown("a", 120), shown(null, 40)])])
    // Query a is new and b and c are gone; there is one page, with another number.
    expect(changed).toBe(4)
    expect(yield* impressionsOf(site, "query")).toBe(120)
    expect(yield* impressionsOf(site, "page")).toBe(160)
  })

  it("adds up repeated rows, in one file or in several, also flags of search appearance", function* () {
    const { site } = yield* owner
    const rows = [shown("a", 10), shown("a", 10), shown("a", 5, { is_video: true })]
    yield* importInto(site, "bigquery", [bulk(rows), bulk([shown("a", 7, { device: "DESKTOP" })])])
    expect(yield* impressionsOf(site, "query")).toBe(32)
    yield* importInto(site, "bigquery", [bulk([shown("a", 25), shown("a", 7, { device: "DESKTOP" })])])
    expect(yield* impressionsOf(site, "query")).toBe(32)
  })

  it("is refused without the replace option if it leaves less than half of a stored day", function* () {
    const { site } = yield* owner
    yield* importInto(site, "bigquery", [bulk([shown("a", 100), shown("b", 101)])])
    const failed = yield* Effect.flip(importInto(site, "bigquery", [bulk([shown("a", 100)])]))
    expect(failed.message).toBe(
      "2026-10-01 would shrink from 201 to 100 impressions. Import all files of a day together, or use replace (--replace, or replace=true) if the new data are complete"
    )
    expect(yield* impressionsOf(site, "query")).toBe(201)
    yield* importInto(site, "bigquery", [bulk([shown("a", 100)])], { replaces: true })
    expect(yield* impressionsOf(site, "query")).toBe(100)
  })

  it("fills queries, pages and the property from both tables, and either table keeps the other's values", function* () {
    const { site } = yield* owner
    const { url: _, sum_position, ...row } = shown(null, 500)
    const totals = bulk([{ ...row, sum_top_position: sum_position }])
    yield* importInto(site, "bigquery", [bulk([shown("a", 100), shown(null, 300)]), totals])
    yield* importInto(site, "bigquery", [bulk([shown("a", 110), shown(null, 310)])])
    expect(yield* impressionsOf(site, "query")).toBe(110)
    expect(yield* impressionsOf(site, "page")).toBe(420)
    expect(yield* impressionsOf(site, "property")).toBe(500)
  })
})

describe("tables and API responses", () => {
  it("have one value for a row: two different values are an error with file and line, and equal ones are not", function* () {
    const { site } = yield* owner
    const first = { name: "1.csv", text: csv(`${day},b,/b,1,9,2`, `${day},a,/a,1,30,2`) }
    const again = { name: "2.csv", text: csv(`${day},a,https://example.com/a,1,30,2`) }
    const other = { name: "3.csv", text: csv(`${day},c,/,0,1,1`, `${day},a,https://example.com/a,1,31,2`) }
    const failed = yield* Effect.flip(importInto(site, "gsc-csv", [first, again, other]))
    expect(failed.message).toBe(
      "3.csv:3: duplicate of 1.csv, line 3 (same date, query and page) with different numbers"
    )
    expect(yield* importInto(site, "gsc-csv", [first, again])).toMatchObject({ changed: 2, rows: 3 })
  })

  it("mean the site's origin by a path without a host", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv(`${day},a,https://example.com/a,1,30,2`) }])
    yield* importInto(site, "gsc-csv", [{ text: csv(`${day},a,/a,1,40,2`) }])
    expect(yield* impressionsOf(site, "query")).toBe(40)
  })

  it("with and without dimensions are not added up, in either order", function* () {
    const [whole, parts] = [
      "Date,Query,Page,Clicks,Impressions,Position",
      "Date,Query,Page,Device,Clicks,Impressions,Position"
    ]
    const texts = [`${whole}\n${day},a,/a,1,30,2\n`, `${parts}\n${day},a,/a,Mobile,1,20,2\n${day},a,/a,Desktop,0,8,2\n`]
    for (const order of [texts, [...texts].reverse()]) {
      const { site } = yield* owner
      yield* Effect.forEach(order, (text) => importInto(site, "gsc-csv", [{ text }]))
      expect(yield* impressionsOf(site, "query")).toBe(30)
    }
  })
})
