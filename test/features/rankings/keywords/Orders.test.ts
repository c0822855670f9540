import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { KeywordFilters, KeywordOrder } from "../../../../src/features/rankings/Api.ts"
import type { KeywordRanking } from "../../../../src/features/rankings/Domain.ts"
import { Keywords } from "../../../../src/features/rankings/keywords/Keywords.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { csv, importInto, layer, owner } from "../storing.ts"

const it = suite(Layer.merge(layer, Layer.provide(Keywords.Default, layer)), { timeout: 180_000 })

type Listed = typeof KeywordRanking.Encoded

const sorts = ["impressions", "clicks", "position", "position_delta"] as const
const orders: ReadonlyArray<KeywordOrder> = sorts.flatMap((sort) => [
  { order: "asc", sort },
  { order: "desc", sort }
])

/** The sort keys of a list, the first number first, ascending; null is last in both directions. */
const valuesOf = (sort: KeywordOrder["sort"], record: Listed): ReadonlyArray<number | null> => {
  switch (sort) {
    case "clicks":
      return [record.clicks]
    case "impressions":
      return [record.impressions, record.clicks]
    case "position":
      return [record.current_position]
    case "position_delta":
      return [record.position_delta]
  }
}

/** The order of the contract: most first, by position least first, and ascending ids for equal values. */
const compare =
  ({ order, sort }: KeywordOrder) =>
  (one: Listed, other: Listed): number => {
    const sign = order === "asc" ? 1 : -1
    const [mine, theirs] = [valuesOf(sort, one), valuesOf(sort, other)]
    for (const [place, a] of mine.entries()) {
      const b = theirs[place] ?? null
      if (a === b) continue
      if (a === null) return 1
      if (b === null) return -1
      return sign * (a - b)
    }
    const rises = (order === "asc") === (sort === "position") ? 1 : -1
    return one.id < other.id ? -rises : rises
  }

/** Queries with few different numbers, so that many are equal in each order, with all statuses. */
const lines = (count: number, host: string) =>
  Array.from({ length: count }, (_, n) => {
    const current = `2026-10-08,${host} query ${n},/${n % 7},${n % 3},${3 + (n % 5)},${1 + (n % 11)}`
    const previous = `2026-10-01,${host} query ${n},/${n % 7},0,${3 + (n % 4)},${1 + (n % 13)}`
    return n % 6 === 0 ? [current] : n % 6 === 1 ? [previous] : [current, previous]
  }).flat()

const furnished = Effect.gen(function* () {
  const { account, key, site } = yield* owner
  const { id: second } = yield* Server.projectOf(account, "https://example.org")
  yield* importInto(site, "gsc-csv", [{ text: csv(...lines(90, "one")) }])
  yield* importInto(second, "gsc-csv", [{ text: csv(...lines(60, "other")) }])
  return { account, key, second, site }
})

/** The records of a list, `limit` at a time. */
const walk = (
  account: Parameters<Effect.Effect.Success<typeof Keywords>["list"]>[0],
  list: KeywordFilters & Partial<KeywordOrder>,
  limit: number,
  between: Effect.Effect<unknown, unknown, SqlClient.SqlClient> = Effect.void
) =>
  Effect.gen(function* () {
    const keywords = yield* Keywords
    const found: Array<Listed> = []
    let after: ReadonlyArray<string> | undefined
    for (;;) {
      const { records } = yield* keywords.list(account, list, { after, count: limit + 1 })
      const page = records.slice(0, limit)
      found.push(...page.map(({ json }): Listed => JSON.parse(json)))
      if (records.length <= limit) return found
      after = page.map(Keywords.position(list.sort)).at(-1)
      yield* between
    }
  })

/** The ids in a text, in order. */
const idsIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/kw_[0-9a-f]{32}/g)].map(([id]) => id)

const ids = (records: ReadonlyArray<Listed>) => records.map(({ id }) => id)

describe("a list of keywords in any order", () => {
  it("has the records of the default list, page by page, with every filter", function* () {
    const { account, second, site } = yield* furnished
    const selections: ReadonlyArray<KeywordFilters> = [
      {},
      { site_id: site },
      { status: "lost" },
      { status: "new" },
      { site_id: second, status: "dropping" },
      { max_position: 7.5, min_position: 2 },
      { min_position: 1, status: "lost" },
      { min_impressions: 4 },
      { page_path: "/3" },
      { query: "query 1" },
      { query: "q" },
      { query: "other query", status: "lost" },
      { page_path: "/2", query: "one" }
    ]
    for (const filters of selections) {
      const all = yield* walk(account, filters, 1000)
      for (const order of orders) {
        const expected = ids([...all].sort(compare(order)))
        const found = ids(yield* walk(account, { ...filters, ...order }, 17))
        expect([filters, order, found]).toEqual([filters, order, expected])
      }
    }
  })

  it("yields each record once while new rankings are published", function* () {
    const { account, second, site } = yield* furnished
    for (const order of orders) {
      const before = yield* walk(account, order, 1000)
      let turn = 0
      const published = Effect.suspend(() => {
        turn += 1
        const text = csv(
          ...Array.from(
            { length: 60 },
            (_, n) => `2026-10-09,one query ${n},/${n % 7},${turn % 3},${3 + ((n * turn) % 9)},${1 + (n % 17)}`
          )
        )
        return turn > 3 ? Effect.void : importInto(turn % 2 === 0 ? second : site, "gsc-csv", [{ text }])
      })
      const sites = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof importInto>>>()
      const seen = yield* walk(account, order, 30, Effect.provide(published, sites))
      expect([order, ids(seen)]).toEqual([order, ids(before)])
    }
  })

  it("is the same over HTTP, as JSON, CSV and NDJSON", function* () {
    const { key } = yield* furnished
    const ask = (parameters: string, accept = "application/json") =>
      Server.send("GET", `/api/v1/keywords?${parameters}`, { headers: { accept }, key })
    const all: ReadonlyArray<Listed> = String((yield* ask("", "application/x-ndjson")).body)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(all).toHaveLength(150)
    for (const order of orders) {
      const parameters = `sort=${order.sort}&order=${order.order}`
      const expected = ids([...all].sort(compare(order)))
      const page = (yield* ask(`${parameters}&limit=40`)).body
      const next: Server.Reply = yield* Server.send("GET", page.links.next, { key })
      expect([parameters, ids([...page.data, ...next.body.data])]).toEqual([parameters, expected.slice(0, 80)])
      const table = String((yield* ask(parameters, "text/csv")).body)
      expect(idsIn(table)).toEqual(expected)
      const given = String((yield* ask(parameters, "application/x-ndjson")).body)
      expect(idsIn(given)).toEqual(expected)
    }
  })

  it("is descending by default, and sorted by impressions if only a direction is given", function* () {
    const { account } = yield* furnished
    for (const sort of sorts)
      expect(ids(yield* walk(account, { sort }, 1000))).toEqual(
        ids(yield* walk(account, { order: "desc", sort }, 1000))
      )
    const rising = ids(yield* walk(account, { order: "asc" }, 1000))
    expect(rising).toEqual(ids(yield* walk(account, {}, 1000)).reverse())
  })

  it("refuses a cursor of another order, and unknown orders", function* () {
    const { key } = yield* furnished
    const ask = (parameters: string) => Server.send("GET", `/api/v1/keywords?${parameters}`, { key })
    const [usual, ...others] = [...orders].reverse().map(({ order, sort }) => `sort=${sort}&order=${order}`)
    for (const other of others) {
      const { body } = yield* ask(`${other}&limit=2`)
      const cursor = encodeURIComponent(body.meta.next_cursor)
      const reply = yield* ask(`${usual}&cursor=${cursor}`)
      expect([other, reply.status, reply.body.error?.code]).toEqual([other, 422, "invalid_cursor"])
      expect((yield* ask(`${other}&status=new&cursor=${cursor}`)).body.error.code).toBe("invalid_cursor")
      expect((yield* ask(`${other}&cursor=${cursor}`)).status).toBe(200)
    }
    const plain = encodeURIComponent((yield* ask("limit=2")).body.meta.next_cursor)
    expect((yield* ask(`sort=impressions&order=desc&cursor=${plain}`)).status).toBe(200)
    for (const [name, value] of [
      ["sort", "ctr"],
      ["sort", ""],
      ["sort", "Clicks"],
      ["order", "up"],
      ["order", ""]
    ] as const) {
      const reply = yield* ask(`${name}=${value}`)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details).toEqual([{ message: expect.stringContaining("must be one of"), path: name }])
    }
    expect((yield* ask("sort=clicks&sort=position")).status).toBe(422)
  })
})

interface Plan {
  readonly "Node Type": string
  readonly "Index Name"?: string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

/** The scans of records in a plan: the number of rows read, by index. */
const scansOf = (plan: Plan): ReadonlyArray<{ readonly index: string; readonly rows: number }> => [
  ...(plan["Relation Name"] === "rankings"
    ? [
        {
          index: plan["Index Name"] ?? plan["Node Type"],
          rows: (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"]
        }
      ]
    : []),
  ...(plan.Plans ?? []).flatMap(scansOf)
]

/** The scans of records by the last statement of an effect. */
const scanned = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
    yield* Statement.withTransformer((original) =>
      Effect.sync(() => {
        sent.push(original.compile())
        return original
      })
    )(effect)
    const [text = "", parameters = []] = sent.at(-1) ?? []
    const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      parameters
    )
    const plan = row?.["QUERY PLAN"][0]?.Plan
    return plan === undefined ? [] : scansOf(plan)
  })

/** Records per block in lists of other than the default order, and the number that a sort takes at a time. */
const [blockLength, sorted] = [64, 32]

it("a page at any depth reads equally many records of a long and of a short list, by an index", function* () {
  const keywords = yield* Keywords
  const sql = yield* SqlClient.SqlClient
  for (const count of [1500, 8000]) {
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv(...lines(count, "one")) }])
    yield* sql`ANALYZE rankings, ranking_orders`
    for (const status of [undefined, "dropping", "lost"] as const) {
      const filters = { site_id: site, ...(status === undefined ? {} : { status }) }
      const records = yield* walk(account, filters, 1000)
      for (const order of orders) {
        const list = { ...filters, ...order }
        const all = [...records].sort(compare(order))
        for (const depth of [0, 0.5, 0.9]) {
          const last = all[Math.floor(all.length * depth) - 1]
          const [{ snapshot } = { snapshot: "" }] = (yield* keywords.list(account, list, {
            after: undefined,
            count: 1
          })).records
          const after =
            last === undefined ? undefined : Keywords.position(order.sort)({ json: JSON.stringify(last), snapshot })
          const scans = yield* scanned(keywords.list(account, list, { after, count: 21 }))
          const rows = scans.reduce((sum, scan) => sum + scan.rows, 0)
          expect([
            list,
            depth,
            scans.filter(({ index }) => !["rankings_order", "rankings_status_order"].includes(index))
          ]).toEqual([list, depth, []])
          const most = order.sort === "impressions" ? 21 : 2 * blockLength + sorted
          expect(rows).toBeLessThanOrEqual(5 * most)
          expect(rows).toBeGreaterThanOrEqual(21)
        }
      }
    }
  }
})
