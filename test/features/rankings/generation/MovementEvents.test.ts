import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import type { AccountId } from "../../../../src/features/accounts/Domain.ts"
import { isComplete } from "../../../../src/features/rankings/generation/Generations.ts"
import { DropDay } from "../../../../src/features/rankings/import/Imports.ts"
import { SitesRepo } from "../../../../src/features/rankings/Site.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { api, bulk, type Fact } from "../facts.ts"
import * as movementModel from "../movementModel.ts"
import { importInto, layer, owner } from "../storing.ts"

const it = suite(Layer.provideMerge(DropDay.Default, layer))

/** Latest days of the previous and of the current window, when data end on the second. */
const [before, now] = ["2026-10-07", "2026-10-14"]

const factOf = (date: string, query: string, sums: movementModel.Sums): ReadonlyArray<Fact> =>
  sums.impressions === 0 ? [] : [{ ...sums, date, device: "", query, url: "https://example.com/" }]

/** Totals with a mean position that two decimals can express. */
const at = (position: number | null, impressions = 100): movementModel.Sums =>
  position === null
    ? movementModel.nothing
    : { clicks: 0, impressions, sumTop: Math.round(position * 100) * (impressions / 100) }

/** A row of the latest day, so that the windows end there. */
const anchor = factOf(now, "anchor", at(1))

type Pair = readonly [previous: movementModel.Sums, current: movementModel.Sums]

/** Imports the pairs as one file, each with its number as query, and reads back records and events. */
const observed = (pairs: ReadonlyArray<Pair>) =>
  Effect.gen(function* () {
    const { account, key, site } = yield* owner
    const facts = pairs.flatMap(([previous, current], index) => [
      ...factOf(before, String(index), previous),
      ...factOf(now, String(index), current)
    ])
    yield* importInto(site, "gsc-api", [{ text: api([...anchor, ...facts]) }])
    const { body } = yield* Server.send("GET", `/api/v1/keywords?site_id=${site}&limit=100`, { key })
    const events = yield* eventsOf(account)
    return pairs.map((_, index) => ({
      event: events.find(({ query }) => query === String(index))?.type ?? null,
      record: body.data.find(({ query }: { query: string }) => query === String(index)) ?? null
    }))
  })

const eventsOf = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ type: string; query: string; data: Record<string, unknown> }>`
      SELECT type, body::json -> 'data' ->> 'query' AS query, body::json -> 'data' AS data FROM events WHERE account_id = ${account}`
  )

const examples = [
  [12.3, 8.1, 4.2, "climbing", "ranking.climbed"],
  [15, 2.5, 12.5, "climbing", null],
  [null, 6, 0, "new", null],
  [5, 8, -3, "dropping", null],
  [5, 8.01, -3.01, "dropping", "ranking.dropped"],
  [7.2, 7.9, -0.7, "stable", null],
  [3.4, null, 0, "lost", "ranking.dropped"],
  [9.9, 4, 5.9, "climbing", null],
  [10.01, 10, 0.01, "stable", "ranking.climbed"],
  [4, 7.01, -3.01, "dropping", "ranking.dropped"],
  [9.1, 8.1, 1, "climbing", null],
  [8.1, 9.1, -1, "dropping", null],
  [8.1, 9.09, -0.99, "stable", null],
  [11, 10.4, 0.6, "stable", null],
  [11, 3.99, 7.01, "climbing", null]
] as const

describe("from two windows", () => {
  it("a record gets its positions, their difference, its status and, if it is notable, an event", function* () {
    const seen = yield* observed(examples.map(([previous, current]) => [at(previous), at(current)]))
    expect(
      seen.map(({ event, record }) => [
        record.previous_position,
        record.current_position,
        record.position_delta,
        record.ranking_status,
        event
      ])
    ).toEqual(examples.map((example) => [...example]))
  })

  it("a change is notable only with ten impressions in both windows, and a loss with ten impressions before", function* () {
    const [high, low] = [at(1), at(20)]
    const pairs: ReadonlyArray<Pair> = [
      [{ ...high, impressions: 9, sumTop: 9 }, low],
      [high, { ...low, impressions: 9, sumTop: 180 }],
      [
        { ...high, impressions: 10, sumTop: 10 },
        { ...low, impressions: 10, sumTop: 200 }
      ],
      [{ ...high, impressions: 10, sumTop: 10 }, movementModel.nothing],
      [{ ...high, impressions: 9, sumTop: 9 }, movementModel.nothing]
    ]
    const seen = yield* observed(pairs)
    expect(seen.map(({ event }) => event)).toEqual([null, null, "ranking.dropped", "ranking.dropped", null])
  })

  it("values are added up before they are divided, as in Google's published sample", function* () {
    const { key, site } = yield* owner
    const rows = [
      [1571473, 15830817],
      [1662252, 15864538],
      [1652038, 16214813]
    ] as const
    const facts = rows.flatMap(([impressions, sumTop], index) =>
      factOf(`2026-10-1${index}`, "sample", { clicks: 0, impressions, sumTop })
    )
    yield* importInto(site, "gsc-api", [{ text: api(facts) }])
    const { body } = yield* Server.send("GET", "/api/v1/keywords", { key })
    expect(body.data).toMatchObject([{ current_position: 9.806076962799875, impressions: 4885763 }])
  })

  it("a rounded position is returned as it was written", function* () {
    const { key, site } = yield* owner
    const text = "Date,Query,Page,Clicks,Impressions,Position\n2026-10-01,a,/a,1,3,2.5\n2026-10-01,b,/b,1,7,3.33\n"
    yield* importInto(site, "gsc-csv", [{ text }])
    const { body } = yield* Server.send("GET", "/api/v1/keywords", { key })
    expect(body.data.map((record: { current_position: number }) => record.current_position)).toEqual([3.33, 2.5])
  })

  it("any totals give the same result as exact fractions", function* () {
    const sums = fc
      .record({
        impressions: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 2 ** 31 })),
        position: fc.oneof(fc.integer({ min: 1, max: 15 }), fc.double({ min: 1, max: 100, noNaN: true })),
        share: fc.double({ min: 0, max: 1, noNaN: true })
      })
      .map(({ impressions, position, share }) => ({
        clicks: Math.floor(impressions * share),
        impressions,
        sumTop: Math.max(impressions, Math.round(impressions * position))
      }))
    const [pairs = []] = fc.sample(fc.array(fc.tuple(sums, sums), { maxLength: 98, minLength: 98 }), {
      numRuns: 1,
      seed: 5
    })
    const seen = yield* observed(pairs)
    for (const [index, [previous, current]] of pairs.entries()) {
      const movement = movementModel.between(previous, current)
      const found = seen[index]
      if (movement === null) expect(found?.record).toBeNull()
      else {
        expect(found?.record).toMatchObject({
          clicks: movement.clicks,
          ctr: movement.ctr,
          current_position: movement.currentPosition,
          impressions: movement.impressions,
          position_delta: expect.closeTo(movement.delta, 9),
          previous_position: movement.previousPosition,
          ranking_status: movement.status
        })
      }
      expect(found?.event).toBe(movementModel.eventOf(previous, current))
    }
  })
})

describe("an event of a position change", () => {
  it("contains its record, and is published once, even if the same window is computed again", function* () {
    const { account, site } = yield* owner
    const text = api([...anchor, ...factOf(before, "hat", at(2)), ...factOf(now, "hat", at(9))])
    yield* importInto(site, "gsc-api", [{ text }])
    yield* importInto(site, "gsc-api", [{ text: api(factOf(now, "other", at(3))) }])
    yield* importInto(site, "gsc-api", [{ text }])
    const [event, ...others] = yield* eventsOf(account)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      data: {
        clicks: 0,
        current_position: 9,
        impressions: 100,
        page_path: "/",
        period: { end: "2026-10-14", start: "2026-10-08" },
        position_delta: -7,
        previous_position: 2,
        query: "hat",
        site_id: site
      },
      type: "ranking.dropped"
    })
  })

  const dayOf = (day: number) => `2026-10-${String(day).padStart(2, "0")}`
  const importDay = (site: Parameters<typeof importInto>[0], day: number, position: number | null) =>
    importInto(site, "gsc-api", [
      { text: api([...factOf(dayOf(day), "hat", at(position)), ...factOf(dayOf(day), "anchor", at(1))]) }
    ])

  it("is published once when the change begins, even if data arrive day by day", function* () {
    const { account, site } = yield* owner
    for (let day = 1; day <= 25; day++) yield* importDay(site, day, day <= 9 ? 2 : 12)
    const events = yield* eventsOf(account)
    expect(events.map(({ query, type }) => [query, type])).toEqual([["hat", "ranking.dropped"]])
    expect(events[0]?.data).toMatchObject({ period: { end: "2026-10-12" } })
  })

  it("is published again when the change begins again", function* () {
    const { account, site } = yield* owner
    for (let day = 1; day <= 28; day++) yield* importDay(site, day, Math.floor(day / 7) % 2 === 0 ? 2 : 30)
    const events = (yield* eventsOf(account)).filter(({ type }) => type === "ranking.dropped")
    expect(events.map(({ query }) => query)).toEqual(["hat", "hat"])
  })

  it("is not published for a loss while days of the window are missing, and a warning says so", function* () {
    const { account, site } = yield* owner
    for (let day = 1; day <= 7; day++) yield* importDay(site, day, 2)
    const anchorAt = (day: number) => importInto(site, "gsc-api", [{ text: api(factOf(dayOf(day), "anchor", at(1))) }])
    const { coverage } = yield* anchorAt(14)
    expect(coverage).toMatchObject({
      current: { days_with_data: 1 },
      previous: { days_with_data: 7 },
      warnings: [
        expect.stringContaining("The latest day with data is 2026-10-14 (1 row);"),
        expect.stringContaining("no query counts as lost")
      ]
    })
    for (const day of [13, 12, 10, 9, 8]) yield* anchorAt(day)
    expect(yield* eventsOf(account)).toEqual([])
    const last = yield* anchorAt(11)
    expect(last.coverage?.warnings).toEqual([])
    expect((yield* eventsOf(account)).map(({ query, type }) => [query, type])).toEqual([["hat", "ranking.dropped"]])
  })
})

describe("days that are imported in part", () => {
  const queries = Array.from({ length: 24 }, (_, index) => `query ${String.fromCharCode(97 + index)}`)
  const week = (first: number, of: ReadonlyArray<string>) =>
    api(Array.from({ length: 7 }, (_, day) => of.flatMap((query) => factOf(dayOf(first + day), query, at(2)))).flat())
  const dayOf = (day: number) => `2026-10-${String(day).padStart(2, "0")}`
  const lost = (account: AccountId) =>
    Effect.map(eventsOf(account), (events) => events.map(({ query }) => query).sort())

  it("report no loss until the rest is imported, and a warning says so", function* () {
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-api", [{ text: week(1, queries) }])
    const half = yield* importInto(site, "gsc-api", [{ text: week(8, queries.slice(0, 12)) }])
    expect(half.coverage?.warnings).toEqual([
      "The period ending 2026-10-14 has no data for 12 of the 24 most shown queries of the previous period, so no query counts as lost. Import the missing data. If the data are complete, import the files again with replace (--replace, or replace=true)"
    ])
    expect(yield* lost(account)).toEqual([])
    const rest = yield* importInto(site, "gsc-api", [{ text: week(8, queries.slice(12, 23)) }])
    expect(rest.coverage?.warnings).toEqual([])
    expect(yield* lost(account)).toEqual(["query x"])
  })

  it("report no loss at the first import of a site either, which may contain half of its latest week", function* () {
    const { account, site } = yield* owner
    const first = [{ text: week(1, queries) }, { text: week(8, queries.slice(0, 12)) }]
    const { coverage } = yield* importInto(site, "gsc-api", first)
    expect(coverage?.warnings).toMatchObject([expect.stringContaining("has no data for 12 of the 24")])
    expect(yield* lost(account)).toEqual([])
    yield* importInto(site, "gsc-api", [{ text: week(8, queries.slice(12, 23)) }])
    expect(yield* lost(account)).toEqual(["query x"])
  })

  it("are complete when the caller says so, with the same files", function* () {
    const { account, site } = yield* owner
    yield* importInto(site, "gsc-api", [{ text: week(1, queries) }])
    const text = week(8, queries.slice(0, 12))
    yield* importInto(site, "gsc-api", [{ text }])
    const { changed, coverage } = yield* importInto(site, "gsc-api", [{ text }], { replaces: true })
    expect([changed, coverage?.warnings]).toEqual([0, []])
    expect(yield* lost(account)).toEqual(queries.slice(12))
  })

  it("count as complete when few queries or a small share of them are missing, and these are lost", function* () {
    for (const [before, after] of [
      [queries.slice(0, 9), 0],
      [queries, 15]
    ] as const) {
      const { account, site } = yield* owner
      yield* importInto(site, "gsc-api", [{ text: week(1, [...before, "stays"]) }])
      const { coverage } = yield* importInto(site, "gsc-api", [{ text: week(8, [...before.slice(0, after), "stays"]) }])
      expect(coverage?.warnings).toEqual([])
      expect(yield* lost(account)).toEqual(before.slice(after))
    }
  })

  it("count as complete in a bulk export, which has all rows of a day", function* () {
    const { account, site } = yield* owner
    const facts = (first: number, of: ReadonlyArray<string>, share: number) =>
      bulk(of.flatMap((query) => factOf(dayOf(first), query, at(2, share))))
    yield* importInto(site, "bigquery", [{ text: facts(7, queries, 100) }])
    const { coverage } = yield* importInto(site, "bigquery", [{ text: facts(14, queries.slice(0, 12), 200) }])
    expect(coverage?.warnings).toEqual([])
    expect(yield* lost(account)).toEqual(queries.slice(12))
  })
})

describe("the coverage of rankings", () => {
  it("with a stray late day names the day and how to remove it, in the import's result and in the list", function* () {
    const { key, site } = yield* owner
    const dropDay = yield* DropDay
    const sites = yield* SitesRepo
    yield* importInto(site, "gsc-api", [{ text: api([...anchor, ...factOf(before, "hat", at(2))]) }])
    const { coverage } = yield* importInto(site, "gsc-api", [{ text: api(factOf("2026-11-20", "stray", at(1))) }])
    const warning = `The latest day with data is 2026-11-20 (1 row); the day with data before it is 2026-10-14. If 2026-11-20 is a mistake, delete that day: findable rankings drop-day --project ${site} --day 2026-11-20`
    expect(coverage?.warnings).toEqual([warning])
    const list = Effect.map(Server.send("GET", `/api/v1/keywords?site_id=${site}`, { key }), ({ body }) => body)
    expect((yield* list).meta.coverage[0].warnings).toEqual([warning])

    const dropped = yield* dropDay.run(Option.getOrThrow(yield* sites.find({ site })), "2026-11-20")
    expect(dropped).toMatchObject({
      day: "2026-11-20",
      renewed: { period: { end: "2026-10-14" }, records: 2 },
      rows: 1
    })
    const { data, meta } = yield* list
    expect(data.map(({ query }: { query: string }) => query).sort()).toEqual(["anchor", "hat"])
    expect(meta.coverage).toEqual([
      {
        current: { days_with_data: 1, end: "2026-10-14", start: "2026-10-08" },
        previous: { days_with_data: 1, end: "2026-10-07", start: "2026-10-01" },
        site_id: site,
        warnings: []
      }
    ])
  })

  test.each([
    [[1], [8], 7, true],
    [[1], [14], 7, true],
    [[1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14], 7, true],
    [[1, 2, 3, 4, 5, 6, 7], [14], 7, false],
    [[1, 2, 3, 4, 5], [8, 9, 10, 11, 14], 7, false],
    [[1, 2], [14], 7, false],
    [[], [14], 7, true],
    [[1], [2], 1, true]
  ])("with days %p and then %p in windows of %i days is complete: %p", (previous, current, length, expected) => {
    expect(isComplete(previous, current, length)).toBe(expected)
  })
})
