import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Imports } from "../../../../src/features/rankings/import/Imports.ts"
import { newestFinalDay, SitesRepo } from "../../../../src/features/rankings/Site.ts"
import * as Credentials from "../../../../src/features/rankings/searchconsole/Credentials.ts"
import * as SearchAnalytics from "../../../../src/features/rankings/searchconsole/SearchAnalytics.ts"
import { Connections } from "../../../../src/features/rankings/sync/Connections.ts"
import { Sync } from "../../../../src/features/rankings/sync/Sync.ts"
import * as Worker from "../../../../src/features/rankings/sync/Worker.ts"
import * as Day from "../../../../src/foundation/schema/Day.ts"
import { installationLayer } from "../../../../src/foundation/secrets/Cipher.ts"
import { suite } from "../../../harness.ts"
import { promptly } from "../../../promptly.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import {
  authorizedUser,
  credentialsIn,
  type FakeGoogle,
  problem,
  row,
  serve,
  serviceAccount
} from "../searchConsole.ts"
import { importInto, owner, wrongSums } from "../storing.ts"

/** The Search Console of this suite; each test has its own property. */
class Google extends Context.Tag("test/Google")<Google, FakeGoogle>() {}

const configured = Layer.unwrapEffect(
  Effect.map(Google, ({ url }) =>
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map(
          Object.entries({
            ...Server.settings,
            FINDABLE_SEARCH_CONSOLE_RETRY: "1 millis",
            FINDABLE_SEARCH_CONSOLE_URL: url
          })
        )
      )
    )
  )
)

const outside = Layer.merge(installationLayer, SearchAnalytics.layer)

const it = suite(
  Layer.mergeAll(Sync.Default, Connections.Default, Imports.Default, SitesRepo.Default).pipe(
    Layer.provideMerge(outside),
    Layer.provide(configured),
    Layer.provideMerge(Server.layer),
    Layer.provideMerge(Layer.scoped(Google, serve)),
    promptly
  )
)

/** A site connected with the given credentials and its own property. */
const connected = (credentials = authorizedUser) =>
  Effect.gen(function* () {
    const google = yield* Google
    const connections = yield* Connections
    const { account, key } = yield* Server.customer()
    const host = `shop-${account.slice(0, 8)}.example`
    const { id: site } = yield* Server.projectOf(account, `https://${host}/`)
    const property = `sc-domain:${host}`
    const connection = yield* connections.connect(site, {
      credentials: credentialsIn(credentials(`${google.url}token`)),
      property
    })
    const newest = Option.getOrThrow(Day.parse(yield* newestFinalDay))
    const day = (back: number) => Day.format(newest - back)
    const give = (back: number, query: string, impressions: number, position: number) => {
      const name = `${property} ${day(back)}`
      const more = row(day(back), query, `https://${host}/`, impressions, impressions * position)
      google.data.set(name, [...(google.data.get(name) ?? []), more])
    }
    const seen = () => google.seen.filter((seen) => seen.site === property).map(({ query }) => query)
    const asked = () =>
      seen().flatMap(({ dimensions, startDate }) =>
        dimensions.includes("query") && !dimensions.includes("country") ? [startDate] : []
      )
    const segments = (
      back: number,
      rows: ReadonlyArray<readonly [query: string, impressions: number, device: string]>
    ) =>
      google.data.set(
        `${property} ${day(back)} segments`,
        rows.map(([query, impressions, device]) => ({
          clicks: 0,
          impressions,
          keys: [day(back), query, `https://${host}/`, "deu", device],
          position: 2
        }))
      )
    return { account, asked, connection, day, give, google, host, key, property, seen, segments, site }
  })

const watch = () => Effect.void

const sourceOf = (site: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        credentials: string
        last_error: string | null
        waits: number | null
        attempts: number
        lease: string | null
      }>`
        SELECT credentials, last_error, attempts, lease, extract(epoch FROM next_at - clock_timestamp())::float8 AS waits
        FROM ranking_sources WHERE site_id = ${site}`,
      ([source]) => source
    )
  )

describe("a site is connected", () => {
  it("with credentials that are encrypted in the database, and a daily schedule", function* () {
    const { connection, property, site } = yield* connected(serviceAccount)
    expect(connection).toMatchObject({ every_hours: 24, last_error: null, property, site_id: site, synced_at: null })
    const source = yield* sourceOf(site)
    expect(source?.credentials).toMatch(/^v1\.[0-9a-f]{16}\./)
    expect(source?.credentials).not.toContain("PRIVATE")
  })

  it("only if the property covers its host and the credentials are valid", function* () {
    const connections = yield* Connections
    const { site } = yield* owner
    const credentials = credentialsIn(authorizedUser("https://example.org/token"))
    const refusal = (property: string) =>
      Effect.map(Effect.flip(connections.connect(site, { credentials, property })), (error) => JSON.stringify(error))
    expect(yield* refusal("sc-domain:other.org")).toContain("does not cover")
    expect(yield* refusal("example.com")).toContain("use sc-domain:")
    expect(Credentials.parse("{}")).toMatchObject({ left: expect.stringContaining("neither the key file") })
  })

  it("with credentials that another site cannot use", function* () {
    const sql = yield* SqlClient.SqlClient
    const sync = yield* Sync
    const [first, second] = [yield* connected(), yield* connected()]
    yield* sql`UPDATE ranking_sources SET credentials = (SELECT credentials FROM ranking_sources WHERE site_id = ${first.site}) WHERE site_id = ${second.site}`
    const failed = yield* Effect.flip(sync.run(second.site, 1, watch))
    expect(failed.message).toContain("cannot be read")
  })
})

describe("a sync", () => {
  it("fetches final days once, and rankings and events are computed from them", function* () {
    const sql = yield* SqlClient.SqlClient
    const sync = yield* Sync
    const { account, asked, day, give, key, site } = yield* connected()
    give(8, "hat", 100, 2)
    give(8, "shoe", 50, 4)
    give(1, "hat", 80, 9)
    const synced = yield* sync.run(site, 14, watch)
    expect(synced).toMatchObject({
      changed: 3,
      days: 14,
      first_day: day(13),
      last_day: day(0),
      renewed: { movements: 2, period: { end: day(0), start: day(6) }, records: 2 },
      rows: 3
    })
    expect(new Set(asked()).size).toBe(14)
    const { body } = yield* Server.send("GET", "/api/v1/keywords", { key })
    expect(body.data).toMatchObject([
      { period: { end: day(0) }, position_delta: -7, query: "hat", ranking_status: "dropping" },
      { current_position: null, query: "shoe", ranking_status: "lost" }
    ])
    const events =
      yield* sql`SELECT type, body::json -> 'data' ->> 'query' AS query FROM events WHERE account_id = ${account} ORDER BY 2`
    expect(events).toEqual([
      { query: "hat", type: "ranking.dropped" },
      { query: "shoe", type: "ranking.dropped" }
    ])

    const before = asked().length
    expect(yield* sync.run(site, 14, watch)).toMatchObject({ days: 0, renewed: null })
    expect(asked().length).toBe(before)
  })

  it("keeps the fetched days and ranks by them when it fails, and the next sync continues there", function* () {
    const sync = yield* Sync
    const { day, give, google, host, key, site } = yield* connected()
    give(0, "hat", 100, 5)
    // One page of a day and the empty one after it, without totals and segments, then a refusal.
    google.first.push(
      () => Response.json({ rows: [row(day(3), "cap", `https://${host}/`, 7, 14)] }),
      ...Array.from({ length: 4 }, () => () => Response.json({})),
      () => problem(403, "forbidden", "User does not have sufficient permission")
    )
    const failed = yield* Effect.flip(sync.run(site, 4, watch))
    expect(failed.message).toContain("sufficient permission")
    const listed = Effect.map(Server.send("GET", "/api/v1/keywords", { key }), ({ body }) => body.data)
    expect(yield* listed).toMatchObject([{ current_position: 2, period: { end: day(3) }, query: "cap" }])
    expect(yield* sync.run(site, 4, watch)).toMatchObject({ days: 3, last_day: day(0), rows: 1 })
    expect(yield* listed).toMatchObject([
      { period: { end: day(0) }, query: "hat" },
      { period: { end: day(0) }, query: "cap" }
    ])
  })

  it("fetches totals of pages and of the property, so that the sums of anonymized queries are known", function* () {
    const sql = yield* SqlClient.SqlClient
    const sync = yield* Sync
    const { day, give, google, host, key, property, seen, site } = yield* connected()
    give(1, "hat", 80, 9)
    const total = (impressions: number, ...keys: ReadonlyArray<string>) => ({
      clicks: 3,
      impressions,
      keys: [day(1), ...keys],
      position: 2
    })
    google.data.set(`${property} ${day(1)} pages`, [
      total(100, `https://${host}/`, "deu", "MOBILE"),
      total(60, `https://${host}/a`, "usa", "DESKTOP")
    ])
    google.data.set(`${property} ${day(1)} property`, [total(90, "deu", "MOBILE"), total(40, "usa", "DESKTOP")])
    expect(yield* sync.run(site, 3, watch)).toMatchObject({ changed: 5, days: 3, rows: 5 })
    const table = (by: string) =>
      Effect.map(Server.send("GET", `/api/v1/projects/${site}/performance?by=${by}`, { key }), ({ body }) => body)
    expect((yield* table("query")).meta).toMatchObject({
      anonymised: { clicks: 6, impressions: 50 },
      totals: { clicks: 6, impressions: 130 },
      totals_source: "property"
    })
    expect((yield* table("country")).data).toMatchObject([
      { impressions: 90, key: "deu" },
      { impressions: 40, key: "usa" }
    ])
    expect((yield* table("page")).data).toMatchObject([
      { impressions: 100, key: "/" },
      { impressions: 60, key: "/a" }
    ])
    // For days without totals only the totals are requested.
    yield* sql`UPDATE ranking_days SET synced = false WHERE level <> 'queries' AND site = (SELECT number FROM ranking_sites WHERE site_id = ${site})`
    const before = seen().length
    expect(yield* sync.run(site, 1, watch)).toMatchObject({ changed: 0, days: 1 })
    expect(
      seen()
        .slice(before)
        .map(({ dimensions }) => dimensions.includes("query"))
    ).toEqual([false, false])
    expect(yield* wrongSums).toEqual([])
  })

  it("fetches queries by country and device beside the complete queries", function* () {
    const sql = yield* SqlClient.SqlClient
    const sync = yield* Sync
    const { asked, day, give, host, key, segments, site } = yield* connected()
    give(0, "hat", 80, 2)
    segments(0, [
      ["hat", 30, "MOBILE"],
      ["hat", 20, "DESKTOP"],
      ["cap", 5, "MOBILE"]
    ])
    expect(yield* sync.run(site, 2, watch)).toMatchObject({ changed: 4, partial_days: [], rows: 4 })
    const table = (narrowed: string) =>
      Effect.map(
        Server.send("GET", `/api/v1/projects/${site}/performance?by=query&start=${day(1)}${narrowed}`, { key }),
        ({ body }) => ({
          rows: body.data.map((row: { impressions: number; key: string }) => [row.key, row.impressions]),
          segments: body.meta.segments
        })
      )
    const kept = Effect.gen(function* () {
      expect(yield* table("")).toEqual({ rows: [["hat", 80]], segments: undefined })
      expect((yield* Server.send("GET", "/api/v1/keywords", { key })).body.data).toMatchObject([
        { impressions: 80, query: "hat" }
      ])
      expect(yield* wrongSums).toEqual([])
    })
    yield* kept
    expect(yield* table("&device=mobile")).toEqual({
      rows: [
        ["hat", 30],
        ["cap", 5]
      ],
      segments: { complete: 2, partial: 0, unknown: 0 }
    })
    // Parts imported later are segments like the others.
    const keys = [day(0), "cap", `https://${host}/`, "usa", "TABLET"]
    const dump = { text: JSON.stringify({ rows: [{ clicks: 0, impressions: 7, keys, position: 1 }] }) }
    yield* importInto(site, "gsc-api", [dump], { dimensions: ["date", "query", "page", "country", "device"] })
    yield* kept
    expect((yield* table("&device=tablet")).rows).toEqual([["cap", 7]])

    // Days without segments are fetched again.
    const before = asked().length
    yield* sql`UPDATE ranking_days SET segments = NULL WHERE site = (SELECT number FROM ranking_sites WHERE site_id = ${site})`
    expect((yield* table("&device=mobile")).segments).toEqual({ complete: 0, partial: 0, unknown: 2 })
    expect(yield* sync.run(site, 2, watch)).toMatchObject({ changed: 1, days: 2 })
    expect(asked().slice(before)).toEqual([day(1), day(0), day(0)])
    yield* kept
  })

  it("reports the days on which the row limit truncated queries by country and device", function* () {
    const sync = yield* Sync
    const { day, give, google, host, key, property, site } = yield* connected()
    give(0, "hat", 80, 2)
    // Rows of the property's other hosts are left out, and count for the limit anyway.
    const many = (back: number, count: number) =>
      google.data.set(
        `${property} ${day(back)} segments`,
        Array.from({ length: count }, (_, n) => ({
          clicks: 0,
          impressions: 1,
          keys: [day(back), "hat", n === 0 ? `https://${host}/` : `https://blog.${host}/${n}`, "deu", "MOBILE"],
          position: 1
        }))
      )
    many(0, 50_000)
    many(1, 49_999)
    expect((yield* sync.run(site, 2, watch)).partial_days).toEqual([day(0)])
    const path = `/api/v1/projects/${site}/performance?by=query&device=MOBILE&limit=1`
    expect((yield* Server.send("GET", path, { key })).body.meta.segments).toEqual({
      complete: 1,
      partial: 1,
      unknown: 0
    })
  })

  it("requests no segments of a day that a bulk export has replaced", function* () {
    const sync = yield* Sync
    const { day, give, host, key, segments, site } = yield* connected()
    give(0, "hat", 80, 2)
    segments(0, [["hat", 60, "MOBILE"]])
    yield* sync.run(site, 1, watch)
    const bulk = (device: string, impressions: number) =>
      JSON.stringify({
        clicks: 0,
        country: "deu",
        data_date: day(0),
        device,
        impressions,
        query: "hat",
        sum_position: 0,
        url: `https://${host}/`
      })
    yield* importInto(site, "bigquery", [{ text: [bulk("MOBILE", 61), bulk("DESKTOP", 22)].join("\n") }])
    expect(yield* sync.run(site, 1, watch)).toMatchObject({ days: 0 })
    const path = `/api/v1/projects/${site}/performance?by=query&device=MOBILE`
    expect((yield* Server.send("GET", path, { key })).body).toMatchObject({
      data: [{ impressions: 61 }],
      meta: { segments: { complete: 1, partial: 0, unknown: 0 } }
    })
    expect((yield* Server.send("GET", "/api/v1/keywords", { key })).body.data).toMatchObject([{ impressions: 83 }])
    expect(yield* wrongSums).toEqual([])
  })

  it("needs a connected site", function* () {
    const sync = yield* Sync
    const { site } = yield* owner
    expect((yield* Effect.flip(sync.run(site, 1, watch))).message).toContain("not connected")
  })
})

/** Worker processes, until the scope ends. */
const nodes = (count: number) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Layer.Layer.Context<typeof Worker.layerNoDeps>>()
    const worker = Layer.fresh(Worker.layerNoDeps).pipe(Layer.provide(Layer.succeedContext(context)))
    yield* Effect.replicateEffect(Layer.build(worker), count)
  })

/** A connected site whose sync is the only one due. */
const due = Effect.zipRight(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE ranking_sources SET every_hours = NULL, next_at = NULL`),
  connected()
)

describe("a scheduled sync", () => {
  it("runs on exactly one of many servers, and is due again a day later, however late it was", function* () {
    const sql = yield* SqlClient.SqlClient
    const { asked, give, site } = yield* due
    give(1, "hat", 80, 9)
    yield* sql`UPDATE ranking_sources SET next_at = next_at - interval '84 hours' WHERE site_id = ${site}`
    yield* nodes(4)
    const source = yield* until(sourceOf(site), (found) => (found?.waits ?? 0) > 0)
    expect(source).toMatchObject({ attempts: 0, last_error: null, lease: null })
    expect(source?.waits).toBeGreaterThan(86_000)
    // 28 days, one of which has a page and the empty one after it.
    expect(asked().length).toBe(29)
  })

  it("has its reason when it fails, and is repeated after a quarter of an hour", function* () {
    const { google, site } = yield* due
    google.firstTokens.push(() => Response.json({ error: "invalid_grant" }, { status: 400 }))
    yield* nodes(1)
    const source = yield* until(sourceOf(site), (found) => found?.last_error !== null)
    expect(source?.last_error).toContain("invalid_grant")
    expect(source?.waits).toBeGreaterThan(800)
    expect(source?.waits).toBeLessThan(901)
  })

  it("is taken over from a dead server, and does not run when it is switched off", function* () {
    const sql = yield* SqlClient.SqlClient
    const connections = yield* Connections
    const [orphan, off] = [yield* due, yield* connected()]
    yield* sql`UPDATE ranking_sources SET lease = gen_random_uuid(), leased_until = clock_timestamp() - interval '1 second' WHERE site_id = ${orphan.site}`
    expect(yield* connections.schedule(off.site, null)).toMatchObject({ every_hours: null, next_sync_at: null })
    yield* nodes(1)
    yield* until(sourceOf(orphan.site), (found) => (found?.waits ?? 0) > 0)
    expect(off.asked()).toEqual([])
  })

  it("runs on request without a schedule, and shows its days and its end", function* () {
    const connections = yield* Connections
    const { account, asked, give, key, site } = yield* due
    yield* connections.schedule(site, null)
    give(1, "hat", 80, 9)
    const { id } = yield* connections.ask(account, site, 3)
    yield* nodes(2)
    const read = Effect.map(
      Server.send("GET", `/api/v1/projects/${site}/rankings/source/syncs/${id}`, { key }),
      ({ body }) => body.data
    )
    const ended = yield* until(read, ({ finished_at }) => finished_at !== null, "100 millis")
    expect(ended).toMatchObject({ days_done: 3, days_total: 3, error: null, id, status: "completed" })
    expect(yield* sourceOf(site)).toMatchObject({ lease: null, waits: null })
    expect(new Set(asked()).size).toBe(3)
    // The next sync is another one, and fetches only missing days.
    const next = yield* connections.ask(account, site, 4)
    expect(next.id).not.toBe(id)
    const path = `/api/v1/projects/${site}/rankings/source/syncs/${next.id}`
    const second = yield* until(
      Server.send("GET", path, { key }),
      ({ body }) => body.data.finished_at !== null,
      "100 millis"
    )
    expect(second.body.data).toMatchObject({ days_done: 1, days_total: 1, status: "completed" })
  })

  it("has a reason and a next step when Google refuses, and can be requested again", function* () {
    const sql = yield* SqlClient.SqlClient
    const connections = yield* Connections
    const { account, google, key, site } = yield* due
    const { id } = yield* connections.ask(account, site, 2)
    google.first.push(() => problem(403, "forbidden", "User does not have sufficient permission"))
    yield* nodes(1)
    const path = `/api/v1/projects/${site}/rankings/source/syncs/${id}`
    const failed = yield* until(
      Server.send("GET", path, { key }),
      ({ body }) => body.data.finished_at !== null,
      "100 millis"
    )
    expect(failed.body.data).toMatchObject({
      days_done: 0,
      days_total: 2,
      error: { code: "forbidden", message: expect.stringContaining("access to the property") },
      status: "failed"
    })
    expect((yield* sourceOf(site))?.last_error).toContain("access to the property")
    yield* connections.ask(account, site, 2)
    yield* until(
      sql`SELECT status FROM ranking_syncs WHERE site_id = ${site} AND status = 'completed'`,
      (rows) => rows.length === 1
    )
  })

  it("left by a dead server continues: its days are counted and not fetched again", function* () {
    const sql = yield* SqlClient.SqlClient
    const connections = yield* Connections
    const sync = yield* Sync
    const { account, asked, key, site } = yield* due
    const { id } = yield* connections.ask(account, site, 5)
    yield* sync.run(site, 2, watch)
    yield* sql`UPDATE ranking_syncs SET status = 'running', days_done = 2, days_total = 5 WHERE id = ${id}`
    yield* sql`UPDATE ranking_sources SET lease = gen_random_uuid(), leased_until = clock_timestamp() - interval '1 second' WHERE site_id = ${site}`
    const before = asked().length
    yield* nodes(1)
    const path = `/api/v1/projects/${site}/rankings/source/syncs/${id}`
    const ended = yield* until(
      Server.send("GET", path, { key }),
      ({ body }) => body.data.finished_at !== null,
      "100 millis"
    )
    expect(ended.body.data).toMatchObject({ days_done: 5, days_total: 5, status: "completed" })
    expect(new Set(asked().slice(before)).size).toBe(3)
  })

  it("begins again when credentials are replaced during it, and its failure does not count for the new ones", function* () {
    const sql = yield* SqlClient.SqlClient
    const connections = yield* Connections
    const { account, connection, google, key, site } = yield* due
    const { id } = yield* connections.ask(account, site, 2)
    const refusal = Promise.withResolvers<Response>()
    let reached = false
    google.first.push(() => {
      reached = true
      return refusal.promise
    })
    yield* nodes(1)
    yield* until(
      Effect.sync(() => reached),
      (seen) => seen
    )
    const credentials = credentialsIn(serviceAccount(`${google.url}token`))
    yield* connections.connect(site, { credentials, property: connection.property })
    const path = `/api/v1/projects/${site}/rankings/source/syncs/${id}`
    expect((yield* Server.send("GET", path, { key })).body.data).toMatchObject({ days_total: null, status: "queued" })
    refusal.resolve(problem(403, "forbidden", "User does not have sufficient permission"))
    const ended = yield* until(
      Server.send("GET", path, { key }),
      ({ body }) => body.data.finished_at !== null,
      "100 millis"
    )
    expect(ended.body.data).toMatchObject({ days_done: 2, days_total: 2, error: null, status: "completed" })
    expect(yield* sql`SELECT failures, last_error FROM ranking_sources WHERE site_id = ${site}`).toEqual([
      { failures: 0, last_error: null }
    ])
  })

  it("is returned to the queue when its server stops", function* () {
    const { google, site } = yield* due
    let reached = false
    google.first.push(() => {
      reached = true
      return problem(429, "rateLimitExceeded", "Slow down", { "retry-after": "60" })
    })
    yield* Effect.scoped(
      Effect.zipRight(
        nodes(1),
        until(
          Effect.sync(() => reached),
          (seen) => seen
        )
      )
    )
    expect(yield* sourceOf(site)).toMatchObject({ last_error: null, lease: null })
    expect((yield* sourceOf(site))?.waits).toBeLessThan(1)
  })
})
