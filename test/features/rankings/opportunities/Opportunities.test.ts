import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { ProjectId } from "../../../../src/features/projects/Domain.ts"
import { Generations } from "../../../../src/features/rankings/generation/Generations.ts"
import type { Opportunity } from "../../../../src/features/rankings/opportunities/Domain.ts"
import { Renewals, untilComputed } from "../../../../src/features/rankings/opportunities/Worker.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"
import { until } from "../../../waiting.ts"
import { computedInto, importInto, layer, owner } from "../storing.ts"
import { dayAt, days, ndjson, rows } from "./world.ts"

const it = suite(Layer.provideMerge(Layer.merge(Generations.Default, Renewals.Default), layer))

type Listed = typeof Opportunity.Type

/** An account with a site, and requests for its data. */
const asking = Effect.map(owner, ({ account, key, site }) => ({
  account,
  get: (path: string, headers: Record<string, string> = {}) =>
    Server.send("GET", `/api/v1/projects/${site}/${path}`, { headers, key }),
  key,
  site
}))

const filled = Effect.tap(asking, ({ site }) => computedInto(site, "bigquery", [{ text: ndjson(all) }]))

const all = rows()
/** All days except the latest. */
const old = all.filter(({ data_date }) => data_date < dayAt(days - 1))

/** Whether each generation has lists, oldest first, and its number of curve points. */
const generationsOf = (site: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      SELECT (SELECT count(*)::int FROM ranking_curves c WHERE c.generation = g.id) AS curves, opportunities IS NOT NULL AS made
      FROM ranking_generations g WHERE site_id = ${site} ORDER BY id`
  )

/** Runs an effect during the computation of a site. */
const whileComputing = <A, E, R>(site: ProjectId, meanwhile: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const release = yield* Deferred.make<void>()
    const lock = sql`LOCK TABLE ranking_curves IN SHARE ROW EXCLUSIVE MODE`
    const holding = yield* Effect.fork(sql.withTransaction(Effect.zipRight(lock, Deferred.await(release))))
    const locks = sql<{ granted: boolean }>`SELECT granted FROM pg_locks WHERE relation = 'ranking_curves'::regclass`
    yield* until(locks, (held) => held.length > 0)
    const computing = yield* Effect.fork(untilComputed(site))
    yield* until(locks, (held) => held.some(({ granted }) => !granted))
    yield* meanwhile
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(holding)
    yield* Fiber.join(computing)
  })

const windows = {
  current: { end: dayAt(days - 1), start: dayAt(days - 28) },
  previous: { end: dayAt(days - 29), start: dayAt(days - 56) }
}

const queriesOf = ({ body }: Server.Reply) => body.data.map(({ query }: Listed) => query)

describe("opportunities", () => {
  it("name the planted ones of each kind, over the latest 28 days", function* () {
    const { get } = yield* filled
    const low = yield* get("opportunities?kind=low_ctr")
    expect(low.body.meta).toMatchObject({ not_assessed: [], windows })
    expect(low.body.data[1]).toMatchObject({
      clicks: 280,
      ctr: 0.02,
      impressions: 14_000,
      kind: "low_ctr",
      page_path: "/dull",
      position: 3,
      query: "acme dull"
    })
    expect(queriesOf(low)).toEqual(["fading", "acme dull", "rivals"])

    const decay = yield* get("opportunities?kind=decay")
    expect(decay.body.data).toHaveLength(1)
    expect(decay.body.data[0]).toMatchObject({
      clicks: 448,
      evidence: {
        before: { clicks: 1680, ctr: 0.15, impressions: 11_200, position: 2 },
        parts: { ctr: -1232, demand: 0, position: 0 },
        year_ago: null
      },
      page_path: "/fading",
      query: null
    })

    const rivals = yield* get("opportunities?kind=cannibalisation")
    expect(rivals.body.data).toHaveLength(1)
    expect(rivals.body.data[0]).toMatchObject({
      clicks: 95,
      evidence: {
        pages: [
          { days_first: 14, page_path: "/one" },
          { days_first: 14, page_path: "/two" }
        ]
      },
      gain: { clicks_high: (84 / 1400) * 1120 - 11, clicks_low: 0 },
      impressions: 2520,
      page_path: "/one",
      query: "rivals"
    })
  })

  it("list, on request and after the significant ones, what may be chance, page by page", function* () {
    const { get } = yield* filled
    for (const kind of ["low_ctr", "decay", "striking_distance"]) {
      const usual = yield* get(`opportunities?kind=${kind}&limit=100`)
      const every = yield* get(`opportunities?kind=${kind}&limit=100&significance=all`)
      const count = usual.body.data.length
      const isTested = kind !== "striking_distance"
      expect(usual.body.data.every(({ significant }: Listed) => significant)).toBe(true)
      expect(every.body.data.slice(0, count)).toEqual(usual.body.data)
      expect(every.body.data.length > count).toBe(isTested)
      const rest: ReadonlyArray<Listed> = every.body.data.slice(count)
      for (const { clicks, evidence, gain, significant } of rest) {
        expect([significant, gain.clicks_low >= 0, gain.clicks_high > 0]).toEqual([false, true, true])
        if ("expected_clicks" in evidence) expect(clicks).toBeLessThan(evidence.expected_clicks)
        if ("before" in evidence) expect(clicks).toBeLessThan(evidence.before.clicks)
      }
      const walked: Array<Listed> = []
      for (
        let query = `kind=${kind}&significance=all&limit=7`, next: string | undefined = query;
        next !== undefined;
      ) {
        const { body }: Server.Reply = yield* get(`opportunities?${next}`)
        walked.push(...body.data)
        next = body.meta.next_cursor === undefined ? undefined : `${query}&cursor=${body.meta.next_cursor}`
      }
      expect(walked).toEqual(every.body.data)
    }
    const refused = yield* get("opportunities?kind=decay&significance=some")
    expect([refused.status, refused.body.error.details[0].path]).toEqual([422, "significance"])
  })

  it("gain what the curve gives at the third position if they are in striking distance, from position 4 on", function* () {
    const { get } = yield* filled
    const curve = yield* get("ctr-curve")
    const third = curve.body.data.find(
      (one: { device: unknown; position: number }) => one.device === null && one.position === 3
    )
    const { body } = yield* get("opportunities?kind=striking_distance&limit=100")
    const listed: ReadonlyArray<Listed> = body.data
    // 45 of the sixty from position 4 on and both rivals, minus five with more clicks than the third position gives.
    expect(listed).toHaveLength(42)
    for (const { clicks, evidence, gain, impressions, position } of listed) {
      expect(position).toBeGreaterThanOrEqual(4)
      expect(evidence).toEqual({ target_ctr: { high: third.high, low: third.low }, target_position: 3 })
      expect(gain.clicks_low).toBe(Math.max(0, impressions * third.low - clicks))
      expect(gain.clicks_high).toBe(impressions * third.high - clicks)
    }
    const sorted = [...listed].sort(
      (a, b) => b.gain.clicks_low - a.gain.clicks_low || b.gain.clicks_high - a.gain.clicks_high
    )
    expect(listed).toEqual(sorted)
  })

  it("have a curve and lists for each device, from values of that device only", function* () {
    const { get } = yield* filled
    const points = (yield* get("ctr-curve")).body.data
    const added = (device: string | null) =>
      points
        .filter((one: { device: unknown }) => one.device === device)
        .reduce((sum: number, { impressions }: Listed) => sum + impressions, 0)
    expect(added("DESKTOP") + added("MOBILE")).toBe(added(null))
    expect(added("TABLET")).toBe(0)
    const desktop = yield* get("opportunities?kind=striking_distance&device=DESKTOP&limit=100")
    expect(desktop.body.data.every(({ query }: Listed) => Number(query?.split(" ")[1]) % 2 === 1)).toBe(true)
    expect((yield* get("opportunities?kind=decay&device=DESKTOP")).body.data).toEqual([])
    expect((yield* get("opportunities?kind=decay&device=MOBILE")).body.data).toHaveLength(1)
  })

  it("are listed anew with new brand terms, with a list for the brand, while a walk in progress stays in the old lists", function* () {
    const { get, key, site } = yield* filled
    const { run } = yield* Renewals
    const first = yield* get("opportunities?kind=low_ctr&limit=1")
    yield* Server.send("PATCH", `/api/v1/projects/${site}`, { body: { brand_terms: ["Acme"] }, key })
    expect((yield* get("opportunities?kind=striking_distance&brand=true")).body.data).toEqual([])
    yield* run()
    yield* untilComputed(site)
    const brands = (yield* get("ctr-curve")).body.data.filter(({ brand }: { brand: boolean }) => brand)
    expect(brands.filter((one: { device: unknown }) => one.device === null)).toMatchObject([{ position: 3, rows: 1 }])
    // A single query in its half cannot be compared with others.
    expect(queriesOf(yield* get("opportunities?kind=low_ctr&brand=true"))).toEqual([])
    expect(queriesOf(yield* get("opportunities?kind=low_ctr&brand=false"))).toEqual(["fading", "rivals"])
    const next = yield* get(`opportunities?kind=low_ctr&limit=1&cursor=${first.body.meta.next_cursor}`)
    expect(queriesOf(next)).toEqual(["acme dull"])
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM ranking_generations WHERE superseded IS NOT NULL AND site_id = ${site}`
    const gone = yield* get(`opportunities?kind=low_ctr&limit=1&cursor=${first.body.meta.next_cursor}`)
    expect([gone.status, gone.body.error.code]).toEqual([422, "invalid_cursor"])
  })

  it("are the same in pages, in NDJSON and in CSV, each once", function* () {
    const { get } = yield* filled
    const seen: Array<unknown> = []
    let cursor = ""
    do {
      const { body } = yield* get(`opportunities?kind=striking_distance&limit=7${cursor}`)
      seen.push(...body.data)
      cursor = body.meta.has_next ? `&cursor=${body.meta.next_cursor}` : ""
    } while (cursor !== "")
    const lines = yield* get("opportunities?kind=striking_distance", { accept: "application/x-ndjson" })
    expect(
      String(lines.body)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toEqual(seen)
    const table = String((yield* get("opportunities?kind=striking_distance", { accept: "text/csv" })).body)
      .trimEnd()
      .split("\r\n")
    expect(table[0]).toBe("kind,query,page_path,impressions,clicks,ctr,position,gain,significant,evidence")
    expect(table).toHaveLength(seen.length + 1)
  })

  it("need a known kind, have no brand for decay, and refuse a cursor of another list", function* () {
    const { get } = yield* filled
    const refused = function* (query: string) {
      const { body, status } = yield* get(`opportunities${query}`)
      return [status, body.error.code, body.error.details?.map(({ path }: { path: string }) => path)]
    }
    expect(yield* refused("")).toEqual([422, "validation_error", ["kind"]])
    expect(yield* refused("?kind=quick_wins")).toEqual([422, "validation_error", ["kind"]])
    expect(yield* refused("?kind=decay&brand=true")).toEqual([422, "validation_error", ["brand"]])
    expect(yield* refused("?kind=low_ctr&brand=yes&device=PHONE")).toEqual([
      422,
      "validation_error",
      ["brand", "device"]
    ])
    const { body } = yield* get("opportunities?kind=striking_distance&limit=1")
    expect((yield* refused(`?kind=low_ctr&cursor=${body.meta.next_cursor}`)).slice(0, 2)).toEqual([
      422,
      "invalid_cursor"
    ])
  })

  it("give a reason instead of a list when a day is missing or the history is too short", function* () {
    const { get, key, site } = yield* asking
    const reasonOf = function* (kind: string, device = "") {
      const { body } = yield* get(`opportunities?kind=${kind}${device}`)
      expect(body.data).toEqual([])
      return body.meta.not_assessed
    }
    const short = (kind: string, needed_days = 28) => [{ kind, needed_days, reason: "history_too_short" }]
    expect(yield* reasonOf("low_ctr")).toEqual(short("low_ctr"))
    expect((yield* get("ctr-curve")).body).toEqual({
      data: [],
      meta: { not_assessed: short("ctr_curve"), windows: null }
    })
    const from = (start: number) => ndjson(all.filter(({ data_date }) => data_date >= dayAt(start)))
    yield* computedInto(site, "bigquery", [{ text: from(days - 40) }])
    expect(yield* reasonOf("decay")).toEqual(short("decay", 56))
    expect(queriesOf(yield* get("opportunities?kind=low_ctr"))).toContain("acme dull")
    yield* computedInto(site, "bigquery", [{ text: ndjson(all) }])
    expect((yield* get("opportunities?kind=decay")).body.data).toHaveLength(1)
    yield* Server.send("DELETE", `/api/v1/projects/${site}/rankings/days/${dayAt(days - 9)}`, { key })
    yield* untilComputed(site)
    const missing = (kind: string, needed_days = 28) => [{ kind, needed_days, reason: "missing_days" }]
    expect(yield* reasonOf("low_ctr")).toEqual(missing("low_ctr"))
    expect(yield* reasonOf("cannibalisation", "&device=MOBILE")).toEqual(missing("cannibalisation"))
    expect(yield* reasonOf("decay")).toEqual(missing("decay", 56))
    expect((yield* get("ctr-curve")).body.data).toEqual([])
  })

  it("need values by device for the lists of a device", function* () {
    const { get, site } = yield* asking
    const lines = all.map(({ clicks, data_date, impressions, query, sum_position, url }) =>
      [data_date, query, url, clicks, impressions, sum_position / impressions + 1].join(",")
    )
    yield* computedInto(site, "gsc-csv", [
      { text: ["Date,Query,Page,Clicks,Impressions,Position", ...lines, ""].join("\n") }
    ])
    expect(queriesOf(yield* get("opportunities?kind=low_ctr"))).toContain("acme dull")
    const { body } = yield* get("opportunities?kind=low_ctr&device=MOBILE")
    expect([body.data.length, body.meta.not_assessed.length]).toEqual([0, 1])
    // Pages were never imported, and queries do not add up to them.
    expect((yield* get("opportunities?kind=decay")).body.meta.not_assessed).toHaveLength(1)
  })

  it("make the first request wait for their computation, and a long wait ends with 503 and Retry-After", function* () {
    const { get, site } = yield* asking
    yield* importInto(site, "bigquery", [{ text: ndjson(all) }])
    const { body, headers, status } = yield* get("opportunities?kind=low_ctr")
    expect([status, body.error.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "5"])
    const waiting = yield* Effect.fork(get("ctr-curve"))
    yield* untilComputed(site)
    expect((yield* Fiber.join(waiting)).body.data).not.toEqual([])
    expect((yield* get("opportunities?kind=low_ctr")).body.data).toHaveLength(3)
  })

  it("are computed without blocking imports, and a computation stops when an import replaces its data", function* () {
    const { site } = yield* asking
    yield* importInto(site, "bigquery", [{ text: ndjson(old) }])
    yield* whileComputing(site, importInto(site, "bigquery", [{ text: ndjson(all) }]))
    expect(yield* generationsOf(site)).toEqual([
      { curves: 0, made: false },
      { curves: expect.any(Number), made: true }
    ])
  })

  it("are computed again later when values of the site changed meanwhile", function* () {
    const { site } = yield* asking
    const sql = yield* SqlClient.SqlClient
    yield* importInto(site, "bigquery", [{ text: ndjson(old) }])
    yield* whileComputing(site, sql`UPDATE ranking_sites SET revision = revision + 1 WHERE site_id = ${site}`)
    expect(yield* generationsOf(site)).toEqual([{ curves: 0, made: false }])
    yield* sql`UPDATE ranking_generations SET opportunities_due_at = clock_timestamp() WHERE site_id = ${site}`
    yield* untilComputed(site)
    expect(yield* generationsOf(site)).toMatchObject([{ made: true }])
  })

  it("are retried later when their computation fails, while rankings and earlier lists stay", function* () {
    const { get, site } = yield* asking
    const sql = yield* SqlClient.SqlClient
    yield* computedInto(site, "bigquery", [{ text: ndjson(old) }])
    yield* importInto(site, "bigquery", [{ text: ndjson(all) }])
    const waiting = sql`site_id = ${site} AND opportunities IS NULL`
    yield* sql`
      INSERT INTO ranking_curves (generation, device, brand, position, rows, impressions, clicks, ctr, low, high)
      SELECT id, '', false, 1, 0, 0, 0, 0, 0, 0 FROM ranking_generations WHERE ${waiting}`
    yield* untilComputed(site)
    expect((yield* get("opportunities?kind=low_ctr")).body.meta.windows.current.end).toBe(dayAt(days - 2))
    expect((yield* get("rankings/summary")).body.data.coverage.current.end).toBe(dayAt(days - 1))
    expect(
      yield* sql`SELECT attempts, lease, opportunities_due_at > clock_timestamp() AS later FROM ranking_generations WHERE ${waiting}`
    ).toEqual([{ attempts: 1, later: true, lease: null }])
    yield* sql`DELETE FROM ranking_curves WHERE generation IN (SELECT id FROM ranking_generations WHERE ${waiting})`
    yield* sql`UPDATE ranking_generations SET opportunities_due_at = clock_timestamp() WHERE ${waiting}`
    yield* untilComputed(site)
    expect((yield* get("opportunities?kind=low_ctr")).body.meta.windows).toEqual(windows)
  })

  it("are not computed for a site that was deleted meanwhile", function* () {
    const { key, site } = yield* asking
    const sql = yield* SqlClient.SqlClient
    yield* importInto(site, "bigquery", [{ text: ndjson(old) }])
    yield* Server.send("DELETE", `/api/v1/projects/${site}`, { key })
    yield* untilComputed(site)
    expect(yield* generationsOf(site)).toEqual([{ curves: 0, made: false }])
    yield* sql`DELETE FROM ranking_generations WHERE site_id = ${site}`
  })

  it("remain those of the previous data until new ones are computed, however long that takes", function* () {
    const { get, site } = yield* asking
    yield* computedInto(site, "bigquery", [{ text: ndjson(old) }])
    const first = yield* get("opportunities?kind=striking_distance&limit=5")
    yield* importInto(site, "bigquery", [{ text: ndjson(all) }])
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      UPDATE ranking_generations SET superseded_at = superseded_at - interval '2 days' WHERE superseded IS NOT NULL AND site_id = ${site}`
    yield* Effect.flatMap(Generations, ({ purge }) => purge)
    expect((yield* get("opportunities?kind=striking_distance&limit=5")).body).toEqual(first.body)
    expect((yield* get("ctr-curve")).body.meta.windows).toEqual(first.body.meta.windows)
    yield* untilComputed(site)
    expect((yield* get("opportunities?kind=striking_distance&limit=5")).body.meta.windows).toEqual(windows)
    const next = yield* get(`opportunities?kind=striking_distance&limit=5&cursor=${first.body.meta.next_cursor}`)
    expect([next.body.data.length, next.body.meta.windows]).toEqual([5, first.body.meta.windows])
  })

  it("are not found by another account, and need the scope", function* () {
    const { account, site } = yield* filled
    const stranger = yield* Server.customer()
    const projects = yield* Server.keyWith(account, ["projects:read"])
    for (const path of ["opportunities?kind=decay", "ctr-curve"]) {
      const ask = (key: string) => Server.send("GET", `/api/v1/projects/${site}/${path}`, { key })
      expect((yield* ask(stranger.key)).status).toBe(404)
      expect((yield* ask(projects)).status).toBe(403)
    }
  })
})
