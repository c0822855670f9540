import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { DropDay } from "../../../src/rankings/import/DropDay.ts"
import { SitesRepo } from "../../../src/rankings/SitesRepo.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { importInto, layer, owner, wrongSums } from "../storing.ts"

const it = suite(layer)

const dayOf = (n: number) => new Date(Date.UTC(2026, 4, 20) + n * 86_400_000).toISOString().slice(0, 10)

/** Four months and a half with gaps, of which every number differs; texts are seen from daily to once, and share pages and queries. */
const facts = Array.from({ length: 700 }, (_, n) => ({
  clicks: n % 4,
  country: "deu",
  data_date: dayOf((n * 37) % 130),
  device: "MOBILE",
  impressions: 3 + ((n * n) % 97),
  query: n % 5 === 0 ? null : `q${(n * n) % 41}`,
  sum_position: n % 13,
  url: `https://example.com/${(n * n) % 23}`
}))

const ndjson = facts
  .filter(({ data_date }) => !data_date.endsWith("7"))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("")
const kept = facts.filter(({ data_date }) => !data_date.endsWith("7"))

const expected = (by: "page" | "query", start: string, end: string) => {
  const sums = new Map<string, { clicks: number; impressions: number; top: number }>()
  for (const row of kept.filter(({ data_date }) => data_date >= start && data_date <= end)) {
    const key = by === "page" ? new URL(row.url).pathname : row.query
    if (key === null) continue
    const { clicks, impressions, top } = sums.get(key) ?? { clicks: 0, impressions: 0, top: 0 }
    sums.set(key, {
      clicks: clicks + row.clicks,
      impressions: impressions + row.impressions,
      top: top + row.sum_position + row.impressions
    })
  }
  return [...sums]
    .map(([key, { clicks, impressions, top }]) => ({
      clicks,
      ctr: clicks / impressions,
      impressions,
      key,
      position: top / impressions
    }))
    .sort((a, b) => b.impressions - a.impressions || b.clicks - a.clicks || (a.key < b.key ? -1 : 1))
}

it.effect("tables of any range of days, walked in pages of any length, are what the facts add up to", () =>
  Effect.gen(function* () {
    const { account, site } = yield* owner
    yield* importInto(site, "bigquery", [{ text: ndjson }])
    const asked = fc.record({
      by: fc.constantFrom("page" as const, "query" as const),
      first: fc.nat(129),
      last: fc.nat(129),
      limit: fc.integer({ max: 12, min: 1 })
    })
    for (const { by, first, last, limit } of fc.sample(asked, { numRuns: 30, seed: 3 })) {
      const [start, end] = [dayOf(Math.min(first, last)), dayOf(Math.max(first, last))]
      // A key of its own for each walk: all of them together are more than one may ask within a second.
      const key = yield* Server.keyWith(account, ["*"])
      const seen: Array<unknown> = []
      let path: string | undefined =
        `/api/v1/projects/${site}/performance?by=${by}&start=${start}&end=${end}&limit=${limit}`
      for (let pages = 0; path !== undefined && pages < 3; pages++) {
        const { body }: Server.Reply = yield* Server.send("GET", path, { key })
        seen.push(...body.data)
        path = body.links.next
      }
      expect(seen).toEqual(expected(by, start, end).slice(0, limit * 3))
    }
    const sql = yield* SqlClient.SqlClient
    const found = Option.getOrThrow(yield* Effect.flatMap(SitesRepo, (sites) => sites.find({ site })))
    yield* Effect.flatMap(DropDay, (days) => days.run(found, kept[0]?.data_date ?? ""))
    expect(yield* wrongSums).toEqual([])
    yield* sql`DELETE FROM projects WHERE id = ${site}`
    expect(yield* sql`SELECT key FROM ranking_query_months UNION ALL SELECT key FROM ranking_page_months`).toEqual([])
  }).pipe(Effect.provide(DropDay.Default))
)
