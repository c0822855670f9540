import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { Projects } from "../../../../src/features/projects/Projects.ts"
import type { KeywordFilters, KeywordOrder } from "../../../../src/features/rankings/Api.ts"
import { manyRecords } from "../../../../src/features/rankings/generation/ComputeRepo.ts"
import { Keywords } from "../../../../src/features/rankings/keywords/Keywords.ts"
import { untilComputed } from "../../../../src/features/rankings/opportunities/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(
  Layer.mergeAll(layer, Layer.provide(Keywords.Default, layer), Layer.provide(Projects.Default, layer)),
  {
    timeout: 300_000
  }
)

type Site = Effect.Effect.Success<typeof owner>["site"]
type List = KeywordFilters & Partial<KeywordOrder>

const orders: ReadonlyArray<Partial<KeywordOrder>> = (
  ["impressions", "clicks", "position", "position_delta"] as const
).flatMap((sort) => [
  { order: "asc", sort },
  { order: "desc", sort }
])

/** Queries with few different numbers, so that many are equal in each order, with all statuses. */
const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, n) => {
    const current = `2026-10-08,${word} query ${n},/${n % 7},${n % 3},${3 + (n % 5)},${1 + (n % 11)}`
    const previous = `2026-10-01,${word} query ${n},/${n % 7},0,${3 + (n % 4)},${1 + (n % 13)}`
    return n % 6 === 0 ? [current] : n % 6 === 1 ? [previous] : [current, previous]
  }).flat()

/** A page of a list, and its records' positions. */
const pageOf = (account: AccountId, list: List, limit: number, after?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    const { records } = yield* keywords.list(account, list, { after, count: limit + 1 })
    const page = records.slice(0, limit)
    return { next: records.length > limit ? page.map(Keywords.position(list.sort)).at(-1) : undefined, page }
  })

/** Runs an effect as if no worker had indexed the sites yet, and takes that back. */
const withoutIndexes = <A, E, R>(sites: ReadonlyArray<Site>, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const made = sql`SELECT id FROM ranking_generations WHERE site_id = ANY(${sites}::uuid[])`
    const read = Effect.gen(function* () {
      yield* sql`DELETE FROM ranking_blocks WHERE generation IN (${made})`
      yield* sql`DELETE FROM ranking_orders WHERE generation IN (${made})`
      yield* sql`UPDATE ranking_generations SET is_indexed = false WHERE site_id = ANY(${sites}::uuid[])`
      return yield* Effect.flip(effect)
    })
    return yield* Effect.flip(sql.withTransaction(read))
  })

/** For each generation of a site, oldest first, whether lists read its indexes, and its records in blocks and in orders. */
const indexesOf = (site: Site) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      SELECT is_indexed AS indexed, (SELECT coalesce(sum(b.records), 0)::int FROM ranking_blocks b WHERE b.generation = g.id) AS blocks,
        (SELECT coalesce(sum(cardinality(o.keys)), 0)::int FROM ranking_orders o WHERE o.generation = g.id) AS orders
      FROM ranking_generations g WHERE site_id = ${site} ORDER BY id`
  )

/** Pages of searches and orders, the first ones and the ones behind them. */
const lists: ReadonlyArray<List> = [
  { query: "query 199" },
  { query: "query" },
  { query: "nothing" },
  { query: "y 77", status: "lost" },
  { order: "asc", query: "ry 123", sort: "position" },
  { sort: "clicks" },
  { order: "asc", sort: "position_delta", status: "dropping" }
]

const pagesOf = (account: AccountId, site: Site) =>
  Effect.forEach(lists, (list) =>
    Effect.gen(function* () {
      const first = yield* pageOf(account, { ...list, site_id: site }, 20)
      return [first, yield* pageOf(account, { ...list, site_id: site }, 20, first.next)]
    })
  )

/** Runs an effect while a worker indexes a site, and lets the worker go on when the effect ends. */
const whileIndexing = <A, E, R>(site: Site, meanwhile: (worker: number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const release = yield* Deferred.make<void>()
    const lock = sql`LOCK TABLE ranking_orders IN SHARE ROW EXCLUSIVE MODE`
    const holding = yield* Effect.fork(sql.withTransaction(Effect.zipRight(lock, Deferred.await(release))))
    const locks = sql<{
      granted: boolean
      pid: number
    }>`SELECT granted, pid FROM pg_locks WHERE relation = 'ranking_orders'::regclass ORDER BY granted`
    yield* until(locks, (held) => held.length > 0)
    const computing = yield* Effect.fork(untilComputed(site))
    const [waiting] = yield* until(locks, (held) => held.some(({ granted }) => !granted))
    const result = yield* meanwhile(waiting?.pid ?? 0)
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(holding)
    yield* Fiber.join(computing)
    return result
  })

const many = csv(...lines(manyRecords, "one"))

describe("a generation without indexes", () => {
  it("has the pages that it has with indexes, with every filter, in every order, from any cursor", function* () {
    const { account, site } = yield* owner
    const { id: second } = yield* Server.projectOf(account, "https://example.org")
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines(90, "one")) }])
    yield* importInto(second, "gsc-csv", [{ text: csv(...lines(60, "other")) }])
    const filters: ReadonlyArray<KeywordFilters> = [
      {},
      { site_id: site },
      { status: "lost" },
      { max_position: 7.5, min_position: 2 },
      { min_position: 1, status: "lost" },
      { page_path: "/3", min_impressions: 4 },
      { query: "query 1" },
      { query: "q" },
      { query: "other query", status: "dropping" },
      { query: "nothing" }
    ]
    for (const list of filters.flatMap((filter) => orders.map((order) => ({ ...filter, ...order })))) {
      let after: ReadonlyArray<string> | undefined
      do {
        const page = pageOf(account, list, 37, after)
        const expected = yield* page
        expect([list, yield* withoutIndexes([site], page)]).toEqual([list, expected])
        expect([list, yield* withoutIndexes([site, second], page)]).toEqual([list, expected])
        after = expected.next
      } while (after !== undefined)
    }
  })

  it("is large, and is indexed by a worker, also after one that died and one whose session ended", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: many }])
    const [none, all] = [
      { blocks: 0, indexed: false, orders: 0 },
      { blocks: manyRecords, indexed: true, orders: 3 * manyRecords }
    ]
    expect(yield* indexesOf(site)).toEqual([none])
    const before = yield* pagesOf(account, site)
    yield* sql`UPDATE ranking_generations SET attempts = 1, lease = gen_random_uuid(), leased_until = now() - interval '1 second' WHERE site_id = ${site}`
    const meanwhile = yield* whileIndexing(site, (worker) =>
      Effect.gen(function* () {
        yield* sql`SELECT pg_terminate_backend(${worker})`
        expect(yield* indexesOf(site)).toEqual([none])
        return yield* pagesOf(account, site)
      })
    )
    expect(meanwhile).toEqual(before)
    expect(yield* indexesOf(site)).toEqual([all])
    expect(yield* pagesOf(account, site)).toEqual(before)
  })

  it("is never indexed once a newer one is published, and keeps its pages for cursors", function* () {
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: many }])
    const former = yield* pagesOf(account, site)
    const newer = csv("2026-10-08,another,/,1,9000,1")
    yield* whileIndexing(site, () => importInto(site, "gsc-csv", [{ text: newer }]))
    expect(yield* indexesOf(site)).toEqual([
      { blocks: 0, indexed: false, orders: 0 },
      { blocks: manyRecords + 1, indexed: true, orders: 3 * (manyRecords + 1) }
    ])
    const behind = yield* Effect.forEach(lists, (list, index) =>
      pageOf(account, { ...list, site_id: site }, 20, former[index]?.[0]?.next)
    )
    const kept = lists.map((_, index) => former[index]?.[1])
    for (const [index, page] of behind.entries())
      if (former[index]?.[0]?.next !== undefined) expect([lists[index], page]).toEqual([lists[index], kept[index]])
  })

  it("of a site that is deleted meanwhile leaves no index behind", function* () {
    const projects = yield* Projects
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: many }])
    yield* whileIndexing(site, () => projects.remove(account, site))
    expect(yield* indexesOf(site)).toEqual([{ blocks: 0, indexed: false, orders: 0 }])
  })
})
