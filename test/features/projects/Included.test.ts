import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { customer as owner } from "../sitehealth/stored.ts"

const it = suite(Server.layer)

const list = (key: string, query: string) => Server.send("GET", `/api/v1/projects?${query}`, { key })

const nothing = {
  run_id: null,
  status: null,
  finished_at: null,
  score: null,
  delta: null,
  findings: null,
  running_run_id: null,
  failed: null,
  next_at: null,
  scores: []
}

describe("the health in a list of sites", () => {
  it("is an object of nulls for a site that was never crawled", function* () {
    const { account, key } = yield* Server.customer()
    yield* Server.projectOf(account)
    const { body } = yield* list(key, "include=health,rankings")
    expect([body.data[0].health, body.data[0].rankings]).toEqual([nothing, null])
    expect((yield* list(key, "")).body.data[0]).not.toContainAnyKeys(["health", "rankings"])
  })

  it("comes from the latest result, the previous one and the schedules", function* () {
    const { key, made, project } = yield* owner
    for (let days = 20; days >= 6; days--) yield* made({ days, score: 60 + days })
    yield* made({ days: 5, score: 90 })
    const newest = yield* made({ days: 4, faults: { critical: 2, info: 1 }, score: 55, status: "partial" })
    yield* made({ days: 3, verify: newest })
    const failed = yield* made({ days: 2, status: "failed" })
    const running = yield* made({ days: 1, status: "running" })
    const { body: schedule } = yield* Server.send("POST", `/api/v1/projects/${project}/site-health/schedules`, {
      body: { every: "1d" },
      key
    })
    const { body: run } = yield* Server.send("GET", `/api/v1/runs/${newest}`, { key })
    const { body } = yield* list(key, "include=health")
    const { health } = body.data[0]
    expect(health).toMatchObject({
      run_id: newest,
      status: "partial",
      finished_at: run.data.finished_at,
      score: 55,
      delta: -35,
      findings: { critical: 2, info: 1, warning: 0 },
      running_run_id: running,
      failed: { run_id: failed, message: "." },
      next_at: schedule.data.next_at
    })
    expect(health.scores.map(({ score }: { score: number }) => score)).toEqual([
      55, 90, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75
    ])
    expect(health.scores[0].at).toBe(run.data.finished_at)
  })

  it("has the latest failed crawl of the whole site until a later one has a result", function* () {
    const { key, made } = yield* owner
    const failed = Effect.map(list(key, "include=health"), ({ body }) => body.data[0].health.failed?.run_id ?? null)
    yield* made({ days: 9, status: "failed" })
    const second = yield* made({ days: 8, status: "failed" })
    yield* made({ days: 7, status: "failed", verify: second })
    expect(yield* failed).toBe(second)
    yield* made({ days: 6, score: 50 })
    expect(yield* failed).toBeNull()
  })

  it("compares a crawl only with one from the same start page and with the same score version", function* () {
    const { key, made, root } = yield* owner
    const read = Effect.map(list(key, "include=health"), ({ body }) => {
      const { delta, scores } = body.data[0].health
      return [delta, scores.map(({ score }: { score: number }) => score)]
    })
    yield* made({ days: 9, score: 40 })
    yield* made({ days: 8, score: 10, url: `${root}blog/` })
    yield* made({ days: 7, score: 50 })
    expect(yield* read).toEqual([10, [50, 40]])
    yield* made({ days: 6, score: 70, version: 3 })
    expect(yield* read).toEqual([null, [70, 50, 40]])
    yield* made({ days: 5 })
    expect(yield* read).toEqual([null, [70, 50, 40]])
  })

  it("belongs to its site and its account", function* () {
    const { account, key, made } = yield* owner
    yield* Server.projectOf(account, `https://${crypto.randomUUID()}.example/`)
    const run = yield* made({ days: 1, score: 80 })
    const other = yield* owner
    yield* other.made({ days: 1, score: 10 })
    const { body } = yield* list(key, "include=health&limit=1")
    expect(body.data.map((one: { health: { run_id: string } }) => one.health.run_id)).toEqual([run])
    const next = yield* list(key, `include=health&limit=1&cursor=${body.meta.next_cursor}`)
    expect(next.body.data.map((one: { health: unknown }) => one.health)).toEqual([nothing])
  })
})

describe("the rankings in a list of sites", () => {
  it("are the first and the last day with query rows", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, project } = yield* owner
    yield* sql`INSERT INTO ranking_sites (site_id) VALUES (${project})`
    const day = (level: string, date: string) => sql`
      INSERT INTO ranking_days (site, level, day, whole) SELECT number, ${level}, ${date}::date, true FROM ranking_sites WHERE site_id = ${project}`
    const rankings = Effect.map(list(key, "include=rankings"), ({ body }) => body.data[0].rankings)
    yield* day("pages", "2026-09-01")
    expect(yield* rankings).toBeNull()
    for (const date of ["2026-10-02", "2026-10-31", "2026-10-07"]) yield* day("queries", date)
    expect(yield* rankings).toEqual({ first_day: "2026-10-02", last_day: "2026-10-31" })
  })
})

describe("include in a list of sites", () => {
  it("needs the scope of the included data", function* () {
    const { account } = yield* Server.customer()
    const answers = (scopes: ReadonlyArray<string>, include: string) =>
      Effect.flatMap(Server.keyWith(account, scopes), (key) =>
        Effect.map(list(key, `include=${include}`), ({ body, status }) => [status, body.error?.message])
      )
    expect(yield* answers(["projects:read"], "health")).toEqual([403, "The key lacks the scope site-health:read"])
    expect(yield* answers(["projects:read", "site-health:read"], "rankings,health")).toEqual([
      403,
      "The key lacks the scope keywords:read, which comes with search-data:read or *"
    ])
    expect(yield* answers(["projects:read", "site-health:read"], "health")).toEqual([200, undefined])
    expect(yield* answers(["projects:read", "search-data:read"], "rankings")).toEqual([200, undefined])
    expect(yield* answers(["projects:read"], "")).toEqual([200, undefined])
  })

  it("is refused when it is unknown", function* () {
    const { key } = yield* Server.customer()
    for (const include of ["audits", "health,", "health,audits", "Health"]) {
      const { body, status } = yield* list(key, `include=${include}`)
      expect([status, body.error.details]).toEqual([
        422,
        [{ message: "must be some of health, rankings, separated by commas", path: "include" }]
      ])
    }
  })
})
