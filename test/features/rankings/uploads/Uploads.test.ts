import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { zipSync } from "fflate"
import * as UploadsWorker from "../../../../src/features/rankings/uploads/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { csv, owner, traces } from "../storing.ts"

const most = 300_000
const it = suite(
  UploadsWorker.layer.pipe(Layer.provideMerge(Server.layerWith({ FINDABLE_IMPORT_MAX_BYTES: String(most) }))),
  { timeout: 60_000 }
)

type Bytes = string | Uint8Array<ArrayBuffer>

const path = (site: string, query = "format=gsc-csv") => `/api/v1/projects/${site}/rankings/imports?${query}`

/** Sends raw bytes. */
const post = (to: string, key: string, body: Bytes | FormData | undefined, headers: Record<string, string> = {}) =>
  Effect.flatMap(Server.TestServer, ({ base }) =>
    Effect.promise(async () => {
      const answer = await fetch(new URL(to, base), {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...(body === undefined ? {} : { body })
      })
      // biome-ignore lint/suspicious/noExplicitAny: responses of all shapes are asserted, not typed
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
    })
  )

const ended = (location: string, key: string) =>
  Server.send("GET", location, { key }).pipe(
    Effect.map(({ body }) => body.data),
    (read) => until(read, ({ status }) => status === "completed" || status === "failed", "50 millis")
  )

/** Sends a file and waits for its import. */
const imported = (to: string, key: string, body: Bytes) =>
  Effect.gen(function* () {
    const { body: answer, headers, status } = yield* post(to, key, body)
    expect({ answer, status }).toMatchObject({ status: 202 })
    expect(headers.get("location")).toBe(`${to.split("?")[0]}/${answer.data.id}`)
    return yield* ended(headers.get("location") ?? "", key)
  })

const bytes = (text: string) => new TextEncoder().encode(text)

describe("an uploaded file", () => {
  it("is imported, and readable before and after", function* () {
    const { key, site } = yield* owner
    const body = csv("2026-10-08,shoes,/a,1,20,3.5", "2026-10-07,shoes,/a,2,30,4", "2026-10-07,,/a,2,30,4")
    const first = yield* post(path(site), key, body, { "content-type": "text/csv" })
    expect(first.status).toBe(202)
    const { created_at, id } = first.body.data
    const pending = {
      id,
      project_id: site,
      status: "queued",
      format: "gsc-csv",
      date: null,
      property: null,
      range: null,
      message: null,
      snapshots: null,
      rows: null,
      changed: null,
      dropped: null,
      first_day: null,
      last_day: null,
      incomplete_days: null,
      passed_over: null,
      unchanged: null,
      coverage: null,
      error: null,
      created_at,
      finished_at: null
    }
    expect(first.body).toEqual({ data: pending })
    const done = yield* ended(first.headers.get("location") ?? "", key)
    const { coverage, finished_at, ...told } = done
    expect(told).toEqual({
      ...pending,
      status: "completed",
      message: "The file: 2 rows of queries on pages by day, 2026-10-07 to 2026-10-08. Skipped: 1 row without a query.",
      snapshots: [],
      rows: 2,
      changed: 2,
      dropped: { anonymised: 1, noImpressions: 0, otherHost: 0, otherSearchType: 0 },
      first_day: "2026-10-07",
      last_day: "2026-10-08",
      incomplete_days: [],
      passed_over: [],
      unchanged: false,
      coverage: undefined,
      finished_at: undefined
    })
    expect(coverage).toMatchObject({ site_id: site, current: { days_with_data: 2, end: "2026-10-08" } })
    expect(Date.parse(finished_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
    const again = yield* imported(path(site), key, body)
    expect(again).toMatchObject({ status: "completed", changed: 0, coverage, rows: 2, unchanged: true })
    const list = yield* Server.send("GET", path(site, "limit=1"), { key })
    expect(list.body).toMatchObject({ data: [again], meta: { has_next: true, per_page: 1, total_in_batch: 1 } })
    const next = yield* Server.send("GET", list.body.links.next, { key })
    expect(next.body).toMatchObject({ data: [done], meta: { has_next: false } })
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT FROM file_pieces`).toEqual([])
  })

  it("may be an archive in any format, and an error names the file and the line", function* () {
    const { key, site } = yield* owner
    const table = (...rows: ReadonlyArray<string>) => ["Query,Page,Clicks,Impressions,Position", ...rows].join("\n")
    const dated = path(site, "format=gsc-csv&date=2026-10-08")
    expect(yield* imported(dated, key, gzipSync(table("a,/a,1,20,3")))).toMatchObject({
      changed: 1,
      date: "2026-10-08"
    })
    const members = { "Days.csv": bytes("Date,Clicks,Impressions,Position\n2026-10-08,1,50,4\n") }
    expect(yield* imported(dated, key, zipSync({ ...members, "x.csv": bytes(table("b,/b,1,20,3")) }))).toMatchObject({
      changed: 2,
      rows: 2
    })
    const rows = [
      { clicks: 1, ctr: 0.1, impressions: 10, keys: ["2026-10-08", "c", "https://example.com/c"], position: 2 }
    ]
    const answers = { "1.json": bytes(JSON.stringify({ rows })), "2.json": bytes(JSON.stringify({ rows: [] })) }
    expect(yield* imported(path(site, "format=gsc-api"), key, zipSync(answers))).toMatchObject({
      rows: 1,
      status: "completed"
    })
    const bulk = {
      clicks: 1,
      country: "usa",
      data_date: "2026-10-09",
      device: "MOBILE",
      impressions: 10,
      query: "d",
      search_type: "WEB",
      sum_position: 5,
      url: "https://example.com/d"
    }
    expect(yield* imported(path(site, "format=bigquery"), key, gzipSync(JSON.stringify(bulk)))).toMatchObject({
      rows: 1,
      status: "completed"
    })
    const small = JSON.stringify({ ...bulk, impressions: 1, clicks: 0 })
    const refused = yield* imported(path(site, "format=bigquery"), key, small)
    expect(refused).toMatchObject({
      status: "failed",
      rows: null,
      error: { code: "refused", file: null, line: null }
    })
    expect(refused.error.message).toContain("2026-10-09 would shrink from 10 to 1 impressions")
    expect(yield* imported(path(site, "format=bigquery&replace=true"), key, small)).toMatchObject({
      status: "completed"
    })
    const before = yield* traces(site)
    const wrong = csv("2026-10-08,shoes,/a,1,20,3.5", "2026-10-08,shoes,/b,30,20,3.5")
    expect((yield* imported(path(site), key, wrong)).error).toEqual({
      code: "invalid_file",
      file: "body",
      line: 3,
      message: "Line 3: 30 clicks are more than 20 impressions. Nothing was imported"
    })
    expect((yield* imported(path(site), key, zipSync({ "t.csv": bytes(wrong) }))).error).toMatchObject({
      file: "body/t.csv",
      line: 3
    })
    expect((yield* imported(path(site), key, gzipSync(wrong).subarray(0, 40))).error).toMatchObject({
      code: "invalid_file",
      file: "body",
      line: null
    })
    expect(yield* traces(site)).toEqual(before)
  })

  it("is imported without days that are not final, with hours added up, and refused with incomplete days, in any process", function* () {
    const { key, site } = yield* owner
    const row = (time: string) => ({
      clicks: 1,
      ctr: 0.1,
      impressions: 10,
      keys: [time, "a", "https://example.com/%d8%aa"],
      position: 2
    })
    const answer = {
      metadata: { first_incomplete_date: "2026-10-07" },
      rows: ["2026-10-06", "2026-10-07", "2026-10-08"].map(row)
    }
    const early = { incomplete_days: ["2026-10-07", "2026-10-08"], last_day: "2026-10-06", rows: 1 }
    for (const unchanged of [false, true])
      expect(yield* imported(path(site, "format=gsc-api"), key, gzipSync(JSON.stringify(answer)))).toMatchObject({
        ...early,
        status: "completed",
        unchanged
      })
    const hours = Array.from({ length: 24 }, (_, hour) => `2026-10-08T${String(hour).padStart(2, "0")}:00:00-07:00`)
    const hourly = path(site, "format=gsc-api&dimensions=HOUR,query,page")
    const lacking = { rows: hours.slice(1).map(row) }
    expect((yield* imported(hourly, key, gzipSync(JSON.stringify(lacking)))).error).toMatchObject({
      code: "invalid_file",
      file: "body",
      line: null,
      message: expect.stringContaining("2026-10-08 has 23 of its 24 hours in Pacific time; 00:00 is missing")
    })
    expect(yield* imported(hourly, key, gzipSync(JSON.stringify({ rows: hours.map(row) })))).toMatchObject({
      changed: 1,
      last_day: "2026-10-08",
      rows: 24
    })
    const table = yield* Server.send("GET", `/api/v1/projects/${site}/performance?by=query&start=2026-10-08`, { key })
    expect(table.body.data).toMatchObject([{ clicks: 24, impressions: 240, key: "a", position: 2 }])
  })

  it("is refused if it is missing or too large, or if the site belongs to another account", function* () {
    const { account, key, site } = yield* owner
    const stranger = yield* Server.customer()
    const form = new FormData()
    form.append("file", new Blob([csv("2026-10-08,a,/a,1,20,3")]), "october.csv")
    const refusals = [
      [path(site), key, undefined, 422, "validation_error"],
      [path(site), key, "", 422, "validation_error"],
      [path(site, "format=xlsx"), key, "a", 422, "validation_error"],
      [path(site, "date=2026-10-08"), key, "a", 422, "validation_error"],
      [path(site, "format=gsc-csv&date=2026-13-08"), key, "a", 422, "validation_error"],
      [path(site, "format=gsc-csv&property=sc-domain:other.com"), key, "a", 422, "validation_error"],
      [path(site), key, "a".repeat(most + 1), 413, "payload_too_large"],
      [path(site), key, form, 415, "unsupported_media_type"],
      [path(site), stranger.key, "a", 404, "not_found"],
      [path("nonsense"), key, "a", 404, "not_found"],
      [
        path(site),
        yield* Server.keyWith(account, ["projects:write", "webhooks:manage"]),
        "a",
        403,
        "insufficient_scope"
      ]
    ] as const
    for (const [to, key, body, status, code] of refusals) {
      expect(yield* post(to, key, body)).toMatchObject({ status, body: { error: { code } } })
    }
    const done = yield* imported(
      path(site),
      yield* Server.keyWith(account, ["rankings:write"]),
      csv("2026-10-08,a,/a,1,20,3")
    )
    const one = `/api/v1/projects/${site}/rankings/imports/${done.id}`
    expect((yield* Server.send("GET", one, { key })).body.data).toEqual(done)
    expect((yield* Server.send("GET", one, { key: stranger.key })).status).toBe(404)
    expect((yield* Server.send("GET", path(site, ""), { key: stranger.key })).status).toBe(404)
    const sql = yield* SqlClient.SqlClient
    expect(yield* sql`SELECT FROM files WHERE status = 'receiving'`).toEqual([])
  })
})
