import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { strToU8, zipSync } from "fflate"
import { Retention } from "../../../../src/features/rankings/retention/Retention.ts"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { owner } from "../storing.ts"

const it = suite(Layer.mergeAll(UploadsWorker.layer, Retention.Default).pipe(Layer.provideMerge(Server.layer)), {
  timeout: 60_000
})

const metrics = "Clicks,Impressions,CTR,Position"
const chart = ["2026-08-23,0,0,0%,0", "2026-08-24,3,40,7.5%,4.2", "2026-08-25,,,,", "2026-08-26,5,60,8.33%,3.9"]

/** The ZIP archive of Search Console's export button. */
const exported = ({
  filters = "Date,Last 3 months",
  queries = ["red shoes,5,80,6.25%,3.1", "boots,2,15,13.33%,7"]
} = {}) =>
  zipSync({
    "Queries.csv": strToU8([`Top queries,${metrics}`, ...queries, ""].join("\n")),
    "Pages.csv": strToU8(
      `Top pages,${metrics}\nhttps://example.com/shoes,5,70,7.14%,3\nhttps://example.com/shoes#red,1,10,10%,5\nhttps://example.com/boots,2,15,13.33%,7\n`
    ),
    "Countries.csv": strToU8(`Country,${metrics}\nGermany,8,100,8%,4\n`),
    "Devices.csv": strToU8(`Device,${metrics}\nMobile,8,100,8%,4\n`),
    "Search appearance.csv": strToU8(`Search Appearance,${metrics}\nVideos,1,2,50%,1\n`),
    "Chart.csv": strToU8([`Date,${metrics}`, ...chart, ""].join("\n")),
    "Filters.csv": strToU8(`Filter,Value\nSearch type,Web\n${filters}\n`)
  })

const root = (site: string) => `/api/v1/projects/${site}`

/** Sends a file and waits for its import. */
const imported = (site: string, key: string, body: Uint8Array<ArrayBuffer> | string, query = "") =>
  Effect.gen(function* () {
    const { base } = yield* Server.TestServer
    const answer = yield* Effect.promise(async () => {
      const sent = await fetch(new URL(`${root(site)}/rankings/imports?format=gsc-csv${query}`, base), {
        body,
        headers: { authorization: `Bearer ${key}` },
        method: "POST"
      })
      return { status: sent.status, location: sent.headers.get("location") ?? "" }
    })
    expect(answer.status).toBe(202)
    return yield* until(
      Effect.map(Server.send("GET", answer.location, { key }), ({ body }) => body.data),
      ({ finished_at }) => finished_at !== null,
      "50 millis"
    )
  })

const get = (site: string, key: string, path: string) => Server.send("GET", `${root(site)}${path}`, { key })
const listed = (site: string, key: string) =>
  Effect.map(get(site, key, "/rankings/snapshots"), ({ body, status }) => {
    expect(status).toBe(200)
    return body.data
  })

const range = { start: "2026-08-23", end: "2026-08-26" }

describe("the ZIP archive of Search Console's export button", () => {
  it("gives totals by day and a snapshot of each table without dates, and says what each file was", function* () {
    const { key, site } = yield* owner
    const done = yield* imported(site, key, exported())
    expect(done).toMatchObject({
      error: null,
      first_day: "2026-08-24",
      last_day: "2026-08-26",
      rows: 9,
      status: "completed",
      unchanged: false
    })
    expect(done.message).toBe(
      "Chart.csv: 2 rows of site totals by day, 2026-08-24 to 2026-08-26. Queries.csv: snapshot of 2 queries, 2026-08-23 to 2026-08-26. Pages.csv: snapshot of 2 pages, 2026-08-23 to 2026-08-26. Countries.csv: snapshot of 1 country, 2026-08-23 to 2026-08-26. Devices.csv: snapshot of 1 device, 2026-08-23 to 2026-08-26. Filters.csv: the filters of the export. Skipped: 2 rows without impressions. Skipped: Search appearance.csv:1: this table lists search appearances, which a CSV export cannot provide by query and page. Use a bulk export."
    )
    const snapshots = yield* listed(site, key)
    expect(snapshots).toHaveLength(4)
    const kept = Object.fromEntries(snapshots.map((one: { kind: string }) => [one.kind, one]))
    expect(kept.queries).toEqual({
      created_at: expect.any(String),
      id: expect.any(String),
      kind: "queries",
      project_id: site,
      range,
      rows: 2
    })
    expect(done.snapshots.map(({ id }: { id: string }) => id).sort()).toEqual(
      snapshots.map(({ id }: { id: string }) => id).sort()
    )
    const rowsOf = (kind: string) =>
      Effect.map(get(site, key, `/rankings/snapshots/${kept[kind].id}`), ({ body }) => body)
    expect((yield* rowsOf("queries")).data).toEqual([
      { clicks: 5, ctr: 0.0625, impressions: 80, key: "red shoes", position: 3.1 },
      { clicks: 2, ctr: 2 / 15, impressions: 15, key: "boots", position: 7 }
    ])
    const pages = yield* rowsOf("pages")
    expect(pages.meta).toMatchObject({ has_next: false, snapshot: kept.pages })
    expect(pages.data).toEqual([
      { clicks: 6, ctr: 0.075, impressions: 80, key: "/shoes", position: 3.25 },
      { clicks: 2, ctr: 2 / 15, impressions: 15, key: "/boots", position: 7 }
    ])
    expect((yield* rowsOf("countries")).data).toMatchObject([{ key: "deu" }])
    expect((yield* rowsOf("devices")).data).toMatchObject([{ key: "MOBILE" }])
    const days = yield* get(site, key, "/performance?by=date")
    expect(days.body.data).toMatchObject([
      { clicks: 3, key: "2026-08-24" },
      { clicks: 5, key: "2026-08-26" }
    ])
    const summary = yield* get(site, key, "/rankings/summary")
    expect(summary.body.data).toMatchObject({ current: { clicks: 8, impressions: 100 }, totals_source: "property" })
    for (const by of ["query", "page", "country", "device"]) {
      expect((yield* get(site, key, `/performance?by=${by}`)).body.data).toEqual([])
    }
    expect((yield* Server.send("GET", `/api/v1/keywords?site_id=${site}`, { key })).body.data).toEqual([])
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT FROM events JOIN projects USING (account_id) WHERE projects.id = ${site}`).toEqual([])
  })

  it("changes nothing when it is imported twice, packed again or not", function* () {
    const { key, site } = yield* owner
    const archive = exported()
    yield* imported(site, key, archive)
    const before = yield* listed(site, key)
    expect(yield* imported(site, key, archive)).toMatchObject({ changed: 0, unchanged: true })
    const others = exported({ filters: 'Date,"Aug 23, 2026-Aug 26, 2026"' })
    expect(yield* imported(site, key, others)).toMatchObject({ changed: 0, unchanged: false })
    expect(yield* listed(site, key)).toEqual(before)
  })

  it("replaces the snapshots of the same days by newer values, and keeps those of other days", function* () {
    const { key, site } = yield* owner
    yield* imported(site, key, exported())
    const before = yield* listed(site, key)
    const newer = yield* imported(site, key, exported({ queries: ["red shoes,6,90,6.67%,3.1"] }))
    expect(newer).toMatchObject({ changed: 1 })
    const after = yield* listed(site, key)
    expect(after).toHaveLength(4)
    expect(after[0]).toMatchObject({ kind: "queries", range, rows: 1 })
    expect(after.slice(1)).toEqual(before.filter(({ kind }: { kind: string }) => kind !== "queries"))
    yield* imported(site, key, exported({ filters: 'Date,"Aug 1, 2026-Aug 26, 2026"' }))
    expect(yield* listed(site, key)).toHaveLength(8)
  })

  it("has the days of its list of filters, in preference to those of its chart and of the request", function* () {
    const { key, site } = yield* owner
    const archive = exported({ filters: 'Date,"Aug 1, 2026-Aug 31, 2026"' })
    yield* imported(site, key, archive, "&start=2026-01-01&end=2026-01-31")
    for (const snapshot of yield* listed(site, key)) {
      expect(snapshot.range).toEqual({ start: "2026-08-01", end: "2026-08-31" })
    }
  })

  it("is refused completely when it is filtered, because its values are not those of the site", function* () {
    const { key, site } = yield* owner
    const done = yield* imported(site, key, exported({ filters: "Date,Last 3 months\nPage,+/shoes" }))
    expect(done.error).toMatchObject({ code: "invalid_file", file: "body/Filters.csv", line: 4 })
    expect(done.error.message).toContain('filtered ("Page": "+/shoes")')
    expect(yield* listed(site, key)).toEqual([])
    expect((yield* get(site, key, "/performance?by=date")).body.data).toEqual([])
  })

  it("is refused by name when it compares two periods", function* () {
    const { key, site } = yield* owner
    const header =
      "Top queries,Last 28 days Clicks,Previous 28 days Clicks,Last 28 days Impressions,Previous 28 days Impressions,Last 28 days CTR,Previous 28 days CTR,Last 28 days Position,Previous 28 days Position"
    const archive = zipSync({
      "Queries.csv": strToU8(`${header}\nshoes,1,0,46,0,2.17%,0%,13.04,0\n`),
      "Filters.csv": strToU8("Filter,Value\nSearch type,Web\nDate,Compare last 28 days to previous period\n")
    })
    expect((yield* imported(site, key, archive)).error.message).toContain("compares two periods")
  })
})

describe("a table without dates outside of an archive", () => {
  const queries = `Top queries,${metrics}\nred shoes,5,80,6.25%,3.1\n`

  it("has the days of the request, or none", function* () {
    const { key, site } = yield* owner
    const alone = yield* imported(site, key, queries)
    expect(alone).toMatchObject({ changed: 1, first_day: null, range: null, rows: 1 })
    expect(alone.message).toBe(
      "The file: snapshot of 1 query, without a date range: import the whole ZIP, or set its first and last day (start, end)."
    )
    expect(yield* listed(site, key)).toMatchObject([{ kind: "queries", range: null }])
    const dated = yield* imported(site, key, queries, `&start=${range.start}&end=${range.end}`)
    expect(dated).toMatchObject({ range, snapshots: [{ id: alone.snapshots[0].id, kind: "queries", range }] })
    expect(yield* listed(site, key)).toMatchObject([{ id: alone.snapshots[0].id, range }])
    yield* imported(site, key, `Top queries,${metrics}\nboots,5,80,6.25%,3.1\n`, "&date=2026-08-24")
    expect((yield* listed(site, key))[0].range).toEqual({ start: "2026-08-24", end: "2026-08-24" })
  })

  it("is refused with both lines when one key has two values", function* () {
    const { key, site } = yield* owner
    const done = yield* imported(site, key, `${queries}boots,1,9,11%,2\nred shoes,6,80,7.5%,3.1\n`)
    expect(done.error).toMatchObject({
      code: "invalid_file",
      line: 4,
      message: expect.stringContaining("Line 4: duplicate of line 2 (same query")
    })
    expect(yield* listed(site, key)).toEqual([])
  })

  it("cannot be a list of filters alone", function* () {
    const { key, site } = yield* owner
    const done = yield* imported(site, key, "Filter,Value\nSearch type,Web\nDate,Last 3 months\n")
    expect(done.error.message).toContain("Import the whole ZIP")
  })

  it("cannot have half a range", function* () {
    const { key, site } = yield* owner
    for (const [query, path] of [
      ["start=2026-08-24", "end"],
      ["end=2026-08-24", "start"],
      ["start=2026-08-25&end=2026-08-24", "start"],
      ["start=2026-08-24&end=2026-08-24&date=2026-08-25", "date"]
    ]) {
      const { body, status } = yield* Server.send("POST", `${root(site)}/rankings/imports?format=gsc-csv&${query}`, {
        key
      })
      expect([status, body.error.details[0].path]).toEqual([422, path])
    }
  })
})

describe("a snapshot", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => `query ${at},${count - at},${2 * count},1%,3`)

  it("is read page by page in its order, and completely as CSV", function* () {
    const { key, site } = yield* owner
    yield* imported(site, key, [`Top queries,${metrics}`, ...many(250)].join("\n"))
    const [{ id }] = yield* listed(site, key)
    const keys: Array<string> = []
    let next = `${root(site)}/rankings/snapshots/${id}?limit=100`
    while (next !== undefined) {
      const { body } = yield* Server.send("GET", next, { key })
      keys.push(...body.data.map((row: { key: string }) => row.key))
      next = body.links.next
    }
    expect(keys).toEqual(Array.from({ length: 250 }, (_, at) => `query ${at}`))
    const { base } = yield* Server.TestServer
    const csv = yield* Effect.promise(async () => {
      const answer = await fetch(new URL(`${root(site)}/rankings/snapshots/${id}`, base), {
        headers: { accept: "text/csv", authorization: `Bearer ${key}` }
      })
      return await answer.text()
    })
    expect(csv.split("\r\n").slice(0, 2)).toEqual(["key,impressions,clicks,ctr,position", "query 0,500,250,0.5,3"])
  })

  it("belongs to its account, is deleted with `rankings:write`, and is restored by importing the same file", function* () {
    const { account, key, site } = yield* owner
    const archive = exported()
    yield* imported(site, key, archive)
    const [{ id }] = yield* listed(site, key)
    const one = `${root(site)}/rankings/snapshots/${id}`
    const reader = yield* Server.keyWith(account, ["search-data:read"])
    const writer = yield* Server.keyWith(account, ["rankings:write"])
    const stranger = yield* Server.customer()
    expect((yield* Server.send("GET", one, { key: reader })).status).toBe(200)
    expect((yield* Server.send("GET", one, { key: writer })).status).toBe(403)
    expect((yield* Server.send("GET", one, { key: stranger.key })).status).toBe(404)
    expect((yield* Server.send("DELETE", one, { key: reader })).status).toBe(403)
    expect((yield* Server.send("DELETE", one, { key: stranger.key })).status).toBe(404)
    expect((yield* Server.send("GET", `${root(site)}/rankings/snapshots/nonsense`, { key })).status).toBe(404)
    expect((yield* Server.send("DELETE", one, { key: writer })).status).toBe(204)
    expect((yield* Server.send("DELETE", one, { key: writer })).status).toBe(404)
    expect(yield* listed(site, key)).toHaveLength(3)
    expect(yield* imported(site, key, archive)).toMatchObject({ unchanged: false })
    expect(yield* listed(site, key)).toHaveLength(4)
  })

  it("is deleted with its months, and with its site", function* () {
    const { key, site } = yield* owner
    const { run } = yield* Retention
    const sql = yield* SqlClient.SqlClient
    yield* imported(site, key, exported())
    yield* imported(site, key, `Top queries,${metrics}\nold,1,9,11%,2\n`, "&start=2020-01-01&end=2020-01-31")
    expect(yield* listed(site, key)).toHaveLength(5)
    yield* run(36)
    expect(yield* listed(site, key)).toHaveLength(4)
    expect((yield* Server.send("DELETE", root(site), { key })).status).toBe(204)
    expect((yield* get(site, key, "/rankings/snapshots")).status).toBe(404)
    yield* sql`SELECT remove_project(${site}, 1)`
    yield* until(sql`SELECT remove_project(${site}, 1) AS more`, ([row]) => row?.more === false, "1 millis")
    expect(yield* sql`SELECT FROM ranking_range_snapshots WHERE project_id = ${site}`).toEqual([])
  })
})
