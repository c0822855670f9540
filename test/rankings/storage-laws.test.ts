import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { suite } from "../harness.ts"
import { decode } from "./decoding.ts"
import { api, expected, formats, scenario } from "./facts.ts"
import { importFile, type Store, totals } from "./importing.ts"
import { csv, importInto, layer, owner, storedTotals, traces } from "./storing.ts"

const it = suite(layer)

const windows = [
  ["2026-10-01", "2026-10-07"],
  ["2026-10-08", "2026-10-14"]
] as const

/** A few scenarios only: each is some imports into a real database. */
const runs = 6

describe("in the database", () => {
  for (const [format, write, facts] of formats) {
    it.effect(`${format}: any split of the data over files, in any order and with repeats, gives the same rows`, () =>
      Effect.gen(function* () {
        for (const { all, files, order, piece, repeats, together } of fc.sample(scenario(facts), {
          numRuns: runs,
          seed: 7
        })) {
          const { site } = yield* owner
          const texts = [...order, ...repeats].map((file) => ({
            text: write(all.filter((_, index) => files[index] === file))
          }))
          const batches = together ? [texts] : texts.map((text) => [text])
          yield* Effect.forEach(batches, (batch) => importInto(site, format, batch, piece))
          for (const [from, to] of windows) {
            expect(yield* storedTotals(site, from, to)).toEqual(expected(all, from, to))
          }
        }
      })
    )
  }

  it.effect("any mixture of formats leaves what the meaning of imports says", () =>
    Effect.gen(function* () {
      const [, , search] = formats[0]
      const step = fc.tuple(fc.nat(2), search)
      for (const steps of fc.sample(fc.array(step, { maxLength: 5, minLength: 2 }), { numRuns: runs, seed: 11 })) {
        const { site } = yield* owner
        const store: Store = new Map()
        for (const [which, facts] of steps) {
          const [format, write] = formats[which] ?? formats[0]
          const text = write(facts)
          importFile(store, Either.getOrThrow(decode(format, text)))
          yield* importInto(site, format, [{ text }])
        }
        for (const [from, to] of windows) {
          expect(yield* storedTotals(site, from, to)).toEqual(totals(store, from, to))
        }
      }
    })
  )

  it.effect("a second import of the same file changes nothing, not even when the rankings were recorded", () =>
    Effect.gen(function* () {
      const { site } = yield* owner
      const files = [{ text: csv("2026-10-01,a,/a,1,30,2.5", "2026-10-09,a,/a,1,30,9.5", "2026-10-09,b,/b,0,3,7") }]
      const first = yield* importInto(site, "gsc-csv", files)
      const before = yield* traces(site)
      const second = yield* importInto(site, "gsc-csv", files)
      expect(first).toMatchObject({ changed: 3, renewed: { records: 2 }, rows: 3 })
      expect(second).toMatchObject({ changed: 0, renewed: null, rows: 3 })
      expect(yield* traces(site)).toEqual({ ...before, imports: 2 })
    })
  )

  it.effect("a correction of a day replaces what was said of it", () =>
    Effect.gen(function* () {
      const { site } = yield* owner
      yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,a,/a,1,30,2") }])
      const { changed } = yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-09,a,/a,2,40,3") }])
      expect(changed).toBe(1)
      expect([...(yield* storedTotals(site, "2026-10-01", "2026-10-09")).values()]).toEqual([
        { clicks: 2, impressions: 40, sumTop: 120 }
      ])
    })
  )

  it.effect("data before both windows leave the rankings as they are", () =>
    Effect.gen(function* () {
      const { site } = yield* owner
      yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-20,a,/a,1,30,2") }])
      const { changed, renewed } = yield* importInto(site, "gsc-csv", [{ text: csv("2026-10-06,a,/a,1,30,2") }])
      expect({ changed, renewed }).toEqual({ changed: 1, renewed: null })
    })
  )

  it.effect("rows lie in the partition of their month, made when its first row comes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { site } = yield* owner
      yield* importInto(site, "gsc-csv", [{ text: csv("2024-02-29,a,/a,1,30,2", "2024-04-01,a,/a,1,30,2") }])
      const found =
        yield* sql`SELECT tableoid::regclass::text AS partition, day::text FROM ranking_rows WHERE site_id = ${site} ORDER BY day`
      expect(found).toEqual([
        { day: "2024-02-29", partition: "ranking_rows_2024_02" },
        { day: "2024-04-01", partition: "ranking_rows_2024_04" }
      ])
    })
  )

  it.effect("imports of sites that need the same new months do not stand in each other's way", () =>
    Effect.gen(function* () {
      const sites = yield* Effect.replicateEffect(owner, 6)
      const text = csv("2022-01-31,a,/a,1,30,2", "2022-02-01,a,/a,1,30,2", "2022-03-01,a,/a,1,30,2")
      yield* Effect.forEach(sites, ({ site }) => importInto(site, "gsc-csv", [{ text }]), { concurrency: 6 })
      for (const { site } of sites) expect(yield* traces(site)).toMatchObject({ generations: 1, rows: 3 })
    })
  )

  it.effect("imports into one site at a time leave the same as one after the other", () =>
    Effect.gen(function* () {
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
    })
  )
})
