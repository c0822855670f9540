import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(layer, { timeout: 60_000 })

const many = 20_000

/** Rows of rankings and sites that this transaction reads by sequential scans, by table. */
const scanned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ name: string; rows: number }>`
    SELECT relname AS name, seq_tup_read::int AS rows FROM pg_stat_xact_user_tables WHERE relname ~ '^rankings|^ranking_.*(facts|orders|pairs|months|segments|blocks)|^projects$'`
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
})

it("a small import reads no rows of other sites, however many they have", function* () {
  const sql = yield* SqlClient.SqlClient
  const large = yield* owner
  const lines = Array.from(
    { length: many },
    (_, n) => `2026-10-${n % 2 === 0 ? "01" : "08"},query ${n},/${n},0,${1 + (n % 9)},2`
  )
  yield* importInto(large.site, "gsc-csv", [{ text: csv(...lines) }])
  yield* sql`
    INSERT INTO projects (account_id, name, url, host)
    SELECT ${large.account}, n, 'https://' || n || '.example.org/', n || '.example.org' FROM generate_series(1, ${many}) AS n`
  yield* sql`ANALYZE`
  const { site } = yield* owner
  const small = (impressions: number) =>
    importInto(site, "gsc-csv", [
      { text: csv(`2026-10-01,shoes,/a,1,${impressions},3`, `2026-10-08,shoes,/a,1,${impressions},12`) }
    ])
  // The first import is new to its site, the second corrects it; from the sixth time on plans are cached.
  for (let n = 0; n < 8; n++) {
    const rows = yield* sql.withTransaction(Effect.zipRight(small(20 + n), scanned))
    for (const [table, count] of Object.entries(rows)) expect([table, count < 200, count]).toEqual([table, true, count])
  }
})
