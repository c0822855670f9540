import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Retention } from "../../../../src/features/rankings/retention/Retention.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { csv, importInto, layer, owner, wrongSums } from "../storing.ts"

const it = suite(layer)

/** A day by its offset from the first of the month a number of months ago. */
const day = (months: number, days = 0) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1 + days)).toISOString().slice(0, 10)
}

const row = (date: string, query = "a") => `${date},${query},/a,1,30,2`

const partitions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{
      name: string
    }>`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'ranking_query_facts'::regclass ORDER BY 1`
)

it("expired months are deleted with their partitions, and sums, series, performance, coverage and lists are updated", () =>
  Effect.gen(function* () {
    const retention = yield* Retention
    const [kept, edge, old] = [yield* owner, yield* owner, yield* owner]
    yield* importInto(kept.site, "gsc-csv", [{ text: csv(row(day(4)), row(day(3)), row(day(3, 20))) }])
    yield* importInto(edge.site, "gsc-csv", [{ text: csv(row(day(3, -3), "gone"), row(day(3, 2))) }])
    yield* importInto(old.site, "gsc-csv", [{ text: csv(row(day(5))) }])
    const list = ({ key }: { key: string }) =>
      Effect.map(Server.send("GET", "/api/v1/keywords", { key }), ({ body }) => body)
    expect((yield* list(edge)).data).toHaveLength(2)
    const before = yield* list(kept)

    expect(yield* retention.run(3)).toEqual({ month: day(3), removed: true })
    expect((yield* partitions).map(({ name }) => name)).toEqual([
      `ranking_query_facts_${day(3).slice(0, 7).replace("-", "_")}`
    ])
    expect(yield* wrongSums).toEqual([])
    expect(yield* list(kept)).toEqual(before)
    expect((yield* list(edge)).data).toMatchObject([{ query: "a", ranking_status: "new" }])
    expect((yield* list(edge)).meta.coverage).toMatchObject([{ previous: { days_with_data: 0 } }])
    expect((yield* list(old)).data).toEqual([])
    const series = yield* Server.send("GET", `/api/v1/keywords/${before.data[0].id}/series?start=${day(5)}`, {
      key: kept.key
    })
    expect(series.body.data.map(({ date }: { date: string }) => date)).toEqual([day(3), day(3, 20)])
    const pages = yield* Server.send("GET", `/api/v1/projects/${kept.site}/performance?by=query&start=${day(5)}`, {
      key: kept.key
    })
    expect(pages.body.data).toMatchObject([{ impressions: 60, key: "a" }])

    expect(yield* retention.run(3)).toMatchObject({ removed: false })
    yield* importInto(old.site, "gsc-csv", [{ text: csv(row(day(1))) }])
    expect((yield* list(old)).data).toHaveLength(1)
  }).pipe(Effect.provide(Retention.Default)))

it("retention does not wait for a running import, and deletes the months at its next pass", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const retention = yield* Retention
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv(row(day(6))) }])
    const writing = yield* Effect.fork(
      sql.withTransaction(
        Effect.zipRight(sql`SELECT ensure_ranking_partitions(${day(6)}::date, ${day(6)}::date)`, Effect.never)
      )
    )
    yield* Effect.repeat(
      sql`SELECT FROM pg_locks WHERE relation = 'ranking_query_facts'::regclass AND mode = 'RowExclusiveLock'`,
      {
        until: (locks) => locks.length > 0
      }
    )
    expect(Exit.isFailure(yield* Effect.exit(retention.run(3)))).toBe(true)
    yield* Fiber.interrupt(writing)
    expect(yield* retention.run(3)).toMatchObject({ removed: true })
    expect(yield* wrongSums).toEqual([])
  }).pipe(Effect.provide(Retention.Default)))
