import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { ProjectId } from "../../../../src/features/projects/Domain.ts"
import * as Day from "../../../../src/foundation/schema/Day.ts"
import { suite } from "../../../harness.ts"
import { computedInto, importInto, layer, owner } from "../storing.ts"

const it = suite(layer)

const first = Day.of("2026-05-04")

/** Clicks of a page on a day: its weeks differ by some per cent. */
const clicksOf = (base: number, page: number, day: number) =>
  Math.round(base * (1 + 0.06 * Math.sin(1 + 2.4 * Math.floor(day / 7) + 1.7 * page)))

/** Rows of pages over days; `factor` changes a page's clicks. */
const rowsOf = (
  pages: number,
  [from, to]: readonly [from: number, to: number],
  factor: (page: number, day: number) => number,
  base = 40
) =>
  Array.from({ length: to - from }, (_, at) => from + at).flatMap((day) =>
    Array.from({ length: pages }, (_, page) => ({
      clicks: Math.round(clicksOf(base, page, day) * factor(page, day)),
      impressions: 2000,
      keys: [Day.format(first + day), `https://example.com/${page}`],
      position: 4
    }))
  )

/** Imports totals of pages, and a query for the latest day, where windows end. */
const imported = (site: ProjectId, rows: ReturnType<typeof rowsOf>) =>
  Effect.gen(function* () {
    yield* importInto(site, "gsc-api", [{ text: JSON.stringify({ rows }) }], { dimensions: ["date", "page"] })
    const newest = rows.at(-1)?.keys[0] ?? ""
    const query = { clicks: 1, impressions: 9, keys: [newest, "hat", "https://example.com/0"], position: 4 }
    yield* computedInto(site, "gsc-api", [{ text: JSON.stringify({ rows: [query] }) }])
  })

const eventsOf = (account: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ type: string; body: string }>`
        SELECT type, body::text FROM events WHERE account_id = ${account} AND type LIKE 'traffic.%' ORDER BY created_at, id`,
      (rows) => rows.map(({ body, type }) => ({ ...JSON.parse(body).data, type }))
    )
  )

const ofPages = (account: string) =>
  Effect.map(eventsOf(account), (events) => events.filter(({ subject }) => subject === "page"))

const always = () => 1

describe("a drop of search traffic", () => {
  it("is reported once for a page, and so is its end; growth from nothing is no recovery", function* () {
    const { account, site } = yield* owner
    // Page 3 has a third of its clicks from day 112 to day 160; page 5 has none before day 140.
    const factor = (page: number, day: number) =>
      page === 3 && day >= 112 && day < 160 ? 0.3 : page === 5 && day < 140 ? 0 : 1
    yield* imported(site, rowsOf(12, [0, 112], factor))
    expect(yield* ofPages(account)).toEqual([])
    yield* imported(site, rowsOf(12, [112, 140], factor))
    const [dropped, ...more] = yield* ofPages(account)
    expect(more).toEqual([])
    expect(dropped).toMatchObject({
      page_path: "/3",
      site_id: site,
      subject: "page",
      type: "traffic.dropped",
      windows: {
        current: { end: Day.format(first + 139), start: Day.format(first + 112) },
        previous: { end: Day.format(first + 111), start: Day.format(first + 84) }
      }
    })
    const [low, high] = dropped.interval
    expect(dropped.change_percent).toBeCloseTo(100 * (dropped.after / dropped.before - 1), 9)
    expect(low).toBeLessThan(dropped.change_percent)
    expect(high).toBeGreaterThan(dropped.change_percent)
    expect(high).toBeLessThan(0)
    // The drop continues: it is compared with the window before it began, not with the previous window.
    for (const to of [147, 154, 160]) yield* imported(site, rowsOf(12, [to - 7, to], factor))
    expect((yield* ofPages(account)).length).toBe(1)
    for (const to of [167, 174, 181, 188]) yield* imported(site, rowsOf(12, [to - 7, to], factor))
    const [, recovered, ...rest] = yield* ofPages(account)
    expect(rest).toEqual([])
    expect(recovered).toMatchObject({ before: dropped.before, page_path: "/3", type: "traffic.recovered" })
    expect(recovered.after).toBeGreaterThan(dropped.after)
  })

  it("is reported for a whole site with the twenty pages that lost the most", function* () {
    const { account, site } = yield* owner
    const factor = (page: number, day: number) => (day >= 112 ? 0.4 : 1) * (1 + page / 10)
    yield* imported(site, rowsOf(30, [0, 140], factor))
    const events = yield* eventsOf(account)
    expect(events.filter(({ subject }) => subject === "site")).toMatchObject([
      { page_path: null, type: "traffic.dropped" }
    ])
    const pages = events.filter(({ subject }) => subject === "page").map(({ page_path }) => page_path)
    expect(new Set(pages)).toEqual(new Set(Array.from({ length: 20 }, (_, at) => `/${10 + at}`)))
    // Neither the same days again nor the next day report the other pages.
    yield* imported(site, rowsOf(30, [133, 141], factor))
    expect((yield* eventsOf(account)).length).toBe(21)
  })

  it("is not reported for pages with few clicks, for missing days, and without a change", function* () {
    const [few, gaps, idle] = [yield* owner, yield* owner, yield* owner]
    const falls = (_: number, day: number) => (day >= 112 ? 0.3 : 1)
    yield* imported(few.site, rowsOf(1, [0, 140], falls, 1))
    const known = rowsOf(12, [0, 140], falls).filter(({ keys: [day] }) => day !== Day.format(first + 120))
    yield* imported(gaps.site, known)
    yield* imported(idle.site, rowsOf(12, [0, 140], always))
    for (const { account } of [few, gaps, idle]) expect(yield* eventsOf(account)).toEqual([])
  })
})
