import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(layer)

const rows = (count: number, month: string) =>
  csv(...Array.from({ length: count }, (_, n) => `2026-${month}-08,query ${n},/${n},0,${1 + (n % 9)},2`))

/** The planner's row estimate for a table, −1 without statistics. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ name: string; rows: number }>`
    SELECT relname AS name, reltuples::int AS rows FROM pg_class
    WHERE relname IN ('ranking_query_facts', 'ranking_query_facts_2026_07', 'ranking_query_facts_2026_08', 'ranking_query_facts_2026_09', 'ranking_pairs', 'ranking_query_months')`
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
})

it("the planner has current statistics right after a large import, and a few rows do not change them", function* () {
  const { site } = yield* owner
  yield* importInto(site, "gsc-csv", [{ text: rows(6000, "08") }])
  expect(yield* known).toMatchObject({
    ranking_pairs: 6000,
    ranking_query_facts: 6000,
    ranking_query_facts_2026_08: 6000,
    ranking_query_months: 6000
  })
  yield* importInto(site, "gsc-csv", [{ text: rows(300, "09") }])
  expect(yield* known).toMatchObject({ ranking_query_facts: 6000, ranking_query_facts_2026_09: -1 })
  yield* importInto(site, "gsc-csv", [{ text: rows(7000, "09") }])
  expect(yield* known).toMatchObject({ ranking_query_facts: 13_000, ranking_query_facts_2026_09: 7000 })
})

it("many small imports that fill a table have the same statistics as one large import", function* () {
  const { site } = yield* owner
  const before = (yield* known).ranking_query_facts_2026_07 ?? -1
  expect(before).toBe(-1)
  for (let day = 1; day <= 8; day++) {
    const text = csv(
      ...Array.from({ length: 700 }, (_, n) => `2026-07-0${day},daily query ${n},/${n},0,${1 + (n % 9)},2`)
    )
    yield* importInto(site, "gsc-csv", [{ text }])
  }
  expect((yield* known).ranking_query_facts_2026_07).toBeGreaterThan(2000)
})
