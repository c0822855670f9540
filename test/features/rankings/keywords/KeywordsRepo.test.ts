import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RankingStatus } from "../../../../src/features/rankings/Domain.ts"
import { Keywords } from "../../../../src/features/rankings/keywords/Keywords.ts"
import { suite } from "../../../harness.ts"
import { computedInto, csv, layer, owner } from "../storing.ts"

const count = 30_000

/**
 * More records than a search for a page of one reads before it uses the trigram index. One record in fifty is lost, and every second record has a query
 * that is not ASCII, with another letter towards the end of the list.
 */
const many = csv(
  ...Array.from({ length: count }, (_, index) => {
    const word = index % 997 === 0 ? "scarce" : index > 25_000 ? "tailward" : "plenty"
    const date = index % 50 === 7 ? "2026-10-01" : "2026-10-08"
    const impressions = (count - index + 1) % 1000
    const letter = index % 2 === 0 ? "" : impressions < 200 ? "ö" : "é"
    return `${date},${word}${letter} ${index},/,0,${impressions},2`
  }),
  "2026-10-08,alpha 303266,/,0,1500,2",
  "2026-10-08,omega 303266,/,0,1,2",
  "2026-10-14,last,/,0,1,1"
)

/** The site with all these records; no test changes them. */
class Filled extends Context.Tag("test/Filled")<Filled, Effect.Effect.Success<typeof owner>>() {}

const it = suite(
  Layer.merge(
    Keywords.Default,
    Layer.effect(
      Filled,
      Effect.tap(owner, ({ site }) => computedInto(site, "gsc-csv", [{ text: many }]))
    )
  ).pipe(Layer.provideMerge(layer))
)

/** The keys that a scan of all records finds, in order. */
const truth = (query: string, status: string | undefined) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql<{ key: string }>`
      SELECT key::text FROM rankings WHERE strpos(coalesce(folded, query), ${query}) > 0
        AND ${status === undefined ? sql`true` : sql`ranking_status = ${status}`}
      ORDER BY -impressions, -clicks, rankings.key`
    return found.map(({ key }) => key)
  })

it("a search finds the same records as a scan of all, page by page", function* () {
  const { account, site } = yield* Filled
  const keywords = yield* Keywords
  const walk = (query: string, status: RankingStatus | undefined, limit: number, most: number) =>
    Effect.gen(function* () {
      const found: Array<string> = []
      let cursor: ReadonlyArray<string> | undefined
      while (found.length < most) {
        const filters = { query, site_id: site, ...(status === undefined ? {} : { status }) }
        const { records: page } = yield* keywords.list(account, filters, { after: cursor, count: limit + 1 })
        const places = page.slice(0, limit).map(Keywords.position())
        found.push(...places.map(([, , , key]) => key ?? ""))
        if (page.length <= limit) break
        cursor = places.at(-1)
      }
      return found.slice(0, most)
    })
  const searches = [
    ["scarce", undefined, 1],
    ["scarce", undefined, 10],
    ["scarce", "lost", 1],
    ["tailward", undefined, 1],
    ["tailward", undefined, 100],
    ["tailward", "lost", 2],
    ["plenty", undefined, 100],
    ["plenty", "lost", 10],
    ["plenty", "climbing", 10],
    // Digits of few numbers, and of the octal bytes of é and ö.
    ["3251", undefined, 1],
    ["303266", undefined, 1],
    ["3251", "new", 20],
    ["é 29", undefined, 7],
    ["y\n", undefined, 5],
    ["99", "new", 5],
    ["nothing", undefined, 5]
  ] as const
  for (const [query, status, limit] of searches) {
    const expected = (yield* truth(query, status)).slice(0, 25)
    expect([query, status, limit, yield* walk(query, status, limit, 25)]).toEqual([query, status, limit, expected])
  }
})

it("a search in another order finds the same records, for frequent and rare texts", function* () {
  const { account, site } = yield* Filled
  const keywords = yield* Keywords
  const sql = yield* SqlClient.SqlClient
  const orders = [
    ["position", "asc", "current_position, key"],
    ["position", "desc", "current_position IS NULL, current_position DESC, key DESC"],
    ["clicks", "desc", "-clicks, key"],
    ["impressions", "asc", "-impressions DESC, -clicks DESC, key DESC"]
  ] as const
  for (const [sort, order, by] of orders)
    for (const [query, status] of [
      ["scarce", undefined],
      ["plenty", undefined],
      ["é 29", undefined],
      ["303266", "new"],
      ["scarce", "lost"],
      ["nothing", undefined]
    ] as const) {
      const expected = yield* sql<{ key: string }>`
        SELECT key::text FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = ${site})
          AND strpos(coalesce(folded, query), ${query}) > 0 AND ${status === undefined ? sql`true` : sql`ranking_status = ${status}`}
        ORDER BY ${sql.literal(by.replaceAll("key", "rankings.key"))}`
      const list = { order, query, site_id: site, sort, ...(status === undefined ? {} : { status }) }
      const found: Array<string> = []
      let after: ReadonlyArray<string> | undefined
      for (let page = 0; page < 5; page++) {
        const { records } = yield* keywords.list(account, list, { after, count: 6 })
        const places = records.slice(0, 5).map(Keywords.position(sort))
        found.push(...places.map(([, , , key]) => key ?? ""))
        if (records.length < 6) break
        after = places.at(-1)
      }
      expect([list, found]).toEqual([list, expected.slice(0, 25).map(({ key }) => key)])
    }
})
