import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { csv, importInto, layer, owner, storedTotals, traces } from "../storing.ts"

const it = suite(layer, { timeout: 60_000 })

const readable = "/\u062A\u0639\u0648\u06CC\u0636/"
const upper = encodeURI(readable)
const lower = upper.toLowerCase()
const forms = [readable, upper, lower]

const on = (path: string) => `https://example.com${path}`

const answer = (...rows: ReadonlyArray<readonly [day: string, path: string, impressions: number, position: number]>) =>
  JSON.stringify({
    rows: rows.map(([day, path, impressions, position]) => ({
      clicks: 1,
      ctr: 1 / impressions,
      impressions,
      keys: [day, "a", on(path)],
      position
    }))
  })

const week = (first: number, path: string) =>
  Array.from({ length: 7 }, (_, index) => `2026-10-${String(first + index).padStart(2, "0")},a,${on(path)},5,100,4`)

const eventsOf = (account: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ type: string }>`SELECT type FROM events WHERE account_id = ${account} ORDER BY type`
  )

describe("a page in several spellings", () => {
  it("is one page: a week from CSV and a week from the API are one record, and nothing was lost", function* () {
    const { account, key, site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv(...week(1, readable)) }])
    const rows = Array.from(
      { length: 7 },
      (_, index) => [`2026-10-${String(8 + index).padStart(2, "0")}`, lower, 100, 4] as const
    )
    yield* importInto(site, "gsc-api", [{ text: answer(...rows) }])
    const { body } = yield* Server.send("GET", `/api/v1/keywords?site_id=${site}`, { key })
    expect(body.data).toMatchObject([
      { current_position: 4, page_path: readable, previous_position: 4, ranking_status: "stable" }
    ])
    expect(yield* eventsOf(account)).toEqual([])
  })

  it("has one value per day from any source: the exact one is kept, and the same value again changes nothing", function* () {
    const { site } = yield* owner
    yield* importInto(site, "gsc-csv", [{ text: csv(`2026-10-01,a,${on(readable)},1,10,2.5`) }])
    expect(yield* importInto(site, "gsc-api", [{ text: answer(["2026-10-01", upper, 10, 2.4]) }])).toMatchObject({
      changed: 2
    })
    for (const form of forms)
      expect(yield* importInto(site, "gsc-csv", [{ text: csv(`2026-10-01,a,${on(form)},1,10,2.5`) }])).toMatchObject({
        changed: 0
      })
    expect([...(yield* storedTotals(site, "2026-10-01", "2026-10-01"))]).toEqual([
      [JSON.stringify(["a", readable]), { clicks: 1, impressions: 10, sumTop: 24 }]
    ])
    expect(yield* traces(site)).toMatchObject({ pairs: 1, rows: 1 })
  })

  it("is found in lists and tables by each spelling", function* () {
    const { key, site } = yield* owner
    const pages = [
      "Date,Page,Clicks,Impressions,Position",
      `2026-10-01,${on(upper)},1,10,2`,
      `2026-10-01,${on("/b")},1,10,2`,
      ""
    ]
    yield* importInto(site, "gsc-csv", [{ text: csv(`2026-10-01,a,${on(upper)},1,10,2`, "2026-10-01,b,/b,1,10,2") }])
    yield* importInto(site, "gsc-csv", [{ text: pages.join("\n") }])
    for (const form of forms)
      for (const written of [form, encodeURIComponent(form)]) {
        const keywords = yield* Server.send("GET", `/api/v1/keywords?site_id=${site}&page_path=${written}`, { key })
        expect(keywords.body.data).toMatchObject([{ page_path: readable, query: "a" }])
        const table = yield* Server.send("GET", `/api/v1/projects/${site}/performance?by=page&page_path=${written}`, {
          key
        })
        expect(table.body.data).toMatchObject([{ impressions: 10, key: readable }])
      }
  })

  it("is added up in one table with a URL per spelling, and rows of the same spelling count once", function* () {
    const { site } = yield* owner
    const rows = forms.map((form, index) => `2026-10-01,a,${on(form)},1,${10 ** (index + 1)},2`)
    yield* importInto(site, "gsc-csv", [{ text: csv(...rows, ...rows) }])
    expect([...(yield* storedTotals(site, "2026-10-01", "2026-10-01")).values()]).toEqual([
      { clicks: 3, impressions: 1110, sumTop: 2220 }
    ])
    const answers = [answer(["2026-10-02", upper, 10, 2]), answer(["2026-10-02", lower, 30, 4])].map((text) => ({
      text
    }))
    yield* importInto(site, "gsc-api", answers)
    expect([...(yield* storedTotals(site, "2026-10-02", "2026-10-02")).values()]).toEqual([
      { clicks: 2, impressions: 40, sumTop: 140 }
    ])
  })

  it("has one value in two tables of two tools, and is refused where they disagree", function* () {
    const { site } = yield* owner
    const table = (form: string, impressions: number) => ({
      name: `${impressions}.csv`,
      text: csv(`2026-10-01,a,${on(form)},1,${impressions},2`)
    })
    yield* importInto(site, "gsc-csv", [table(readable, 10), { ...table(upper, 10), name: "again.csv" }])
    expect([...(yield* storedTotals(site, "2026-10-01", "2026-10-01")).values()]).toEqual([
      { clicks: 1, impressions: 10, sumTop: 20 }
    ])
    expect((yield* Effect.flip(importInto(site, "gsc-csv", [table(readable, 10), table(upper, 11)]))).message).toBe(
      "11.csv:2: duplicate of 10.csv, line 2 (same date, query and page) with different numbers"
    )
  })

  it("stays different from a page with reserved characters unescaped, and keeps bytes that are no text", function* () {
    const { site } = yield* owner
    const paths = ["/a%2Fb", "/a/b", "/%00", "/%FF", "/%ED%A0%80", "/a%20b"]
    yield* importInto(site, "gsc-api", [{ text: answer(...paths.map((path) => ["2026-10-01", path, 10, 2] as const)) }])
    const stored = yield* storedTotals(site, "2026-10-01", "2026-10-01")
    expect([...stored.keys()].map((key) => JSON.parse(key)[1]).sort()).toEqual([...paths].sort())
  })
})
