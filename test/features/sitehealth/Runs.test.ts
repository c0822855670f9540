import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { Finding } from "../../../src/crawl/report/Finding.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { customerOf, html, site } from "./crawled.ts"
import { customer } from "./stored.ts"

const it = suite(Server.layer)

const failing = (findings: ReadonlyArray<Finding>, wanted: Finding["severity"]) =>
  findings.filter(({ severity, status }) => status === "fail" && severity === wanted).length

describe("a crawl", () => {
  it("has its score and its issues in every response", function* () {
    const { url } = yield* site({ "/": html("Start", '<a href="/gone">gone</a>') })
    const { project, run, send } = yield* customerOf(url)
    const { findings, id, result, score } = yield* run()
    const { aggregate_score, coverage, provisional, range, status } = result.score
    expect(score).toEqual({ aggregate_score, coverage, provisional, range, status })
    expect(findings).toEqual({
      critical: failing(result.findings, "critical"),
      info: failing(result.findings, "info"),
      warning: failing(result.findings, "warning")
    })
    expect(findings.critical).toBeGreaterThan(0)
    const [listed] = (yield* send("GET", `/projects/${project.id}/site-health/runs`)).body.data
    expect(listed).toMatchObject({ deadline_at: null, findings, last_url: null, score })
    const latest = (yield* send("GET", `/projects/${project.id}/site-health/latest`)).body.data
    expect(latest.run).toMatchObject({ findings, score })
    const { body } = yield* send("POST", `/runs/${id}/verify`, {}, { prefer: "wait=25" })
    expect(body.data.score).toBeNull()
    expect(body.data.findings.critical).toBeGreaterThan(0)
  })

  it("shows the URL crawled last and its deadline while it runs", function* () {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const shop = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: async (request) => {
            const { pathname } = new URL(request.url)
            if (pathname === "/robots.txt" || pathname.endsWith(".xml")) return new Response("", { status: 404 })
            if (pathname === "/slow") await held
            return new Response(html("Page", '<a href="/slow">slow</a>'), {
              headers: { "content-type": "text/html" }
            })
          }
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    const { ended, project, send } = yield* customerOf(shop.url.href)
    const { body } = yield* send("POST", `/projects/${project.id}/site-health/runs`)
    expect(body.data).toMatchObject({ deadline_at: null, last_url: null })
    const { body: during } = yield* until(
      send("GET", `/runs/${body.data.id}`),
      ({ body }) => body.data.last_url !== null,
      "100 millis"
    )
    expect(during.data).toMatchObject({ findings: null, last_url: shop.url.href, score: null, status: "running" })
    const seconds = (Date.parse(during.data.deadline_at) - Date.parse(during.data.started_at)) / 1000
    expect(seconds).toBe(95)
    release()
    expect(yield* ended(body.data.id)).toMatchObject({ deadline_at: null, last_url: null, status: "completed" })
  })

  it("keeps its score and issues when its result is removed, and the database refuses other changes", function* () {
    const sql = yield* SqlClient.SqlClient
    const { key, made } = yield* customer
    const run = yield* made({ days: 1, faults: { info: 1 }, score: 77 })
    const change = (to: string) => Effect.either(sql`UPDATE site_health_runs SET ${sql.literal(to)} WHERE id = ${run}`)
    for (const to of ["score = NULL", "findings = '{}'", "rules = NULL, result = NULL", "score_version = 1"])
      expect(yield* change(to)).toMatchObject({ _tag: "Left" })
    expect(yield* change("result = NULL")).toMatchObject({ _tag: "Right" })
    const { body } = yield* Server.send("GET", `/api/v1/runs/${run}`, { key })
    expect(body.data).toMatchObject({
      findings: { critical: 0, info: 1, warning: 0 },
      result_available: false,
      score: { aggregate_score: 77 }
    })
  })
})

const run = (id: string) => `/api/v1/runs/${id}`

const ids = (body: { data: ReadonlyArray<{ id: string }> }) => body.data.map(({ id }) => id)

describe("deletion of a crawl", () => {
  for (const status of ["completed", "partial", "failed", "cancelled"] as const)
    it(`removes a crawl with status ${status}`, function* () {
      const { key, left, made } = yield* customer
      const id = yield* made({ days: 0, status })
      expect((yield* Server.send("DELETE", run(id), { key })).status).toBe(204)
      expect(yield* left).toEqual([])
      expect((yield* Server.send("GET", run(id), { key })).status).toBe(404)
      expect((yield* Server.send("DELETE", run(id), { key })).status).toBe(404)
    })

  it("is refused with 409 for a crawl that is not finished, and for one with a running recheck", function* () {
    const { key, left, made } = yield* customer
    const running = yield* made({ days: 0, status: "running" })
    const verified = yield* made({ days: 2 })
    const verifying = yield* made({ days: 1, status: "running", verify: verified })
    for (const id of [running, verified]) {
      const { body, status } = yield* Server.send("DELETE", run(id), { key })
      expect([status, body.error.code]).toEqual([409, "conflict"])
    }
    expect(yield* left).toEqual([verified, verifying, running])
  })

  it("removes its finished rechecks too", function* () {
    const { key, left, made } = yield* customer
    const verified = yield* made({ days: 2 })
    yield* made({ days: 1, verify: verified })
    expect((yield* Server.send("DELETE", run(verified), { key })).status).toBe(204)
    expect(yield* left).toEqual([])
  })

  it("makes latest and diff use the remaining crawls, and the quota still counts it", function* () {
    const { url } = yield* site({ "/": html("Start", '<a href="/a">a</a>'), "/a": html("A", '<a href="/">back</a>') })
    const { project, run: made, send } = yield* customerOf(url)
    const [first, second, third] = [yield* made(), yield* made(), yield* made()]
    expect((yield* send("GET", `/runs/${third.id}/diff`)).body.data.against).toBe(second.id)
    expect((yield* send("DELETE", `/runs/${second.id}`)).status).toBe(204)
    expect((yield* send("GET", `/runs/${third.id}/diff`)).body.data.against).toBe(first.id)
    expect((yield* send("DELETE", `/runs/${third.id}`)).status).toBe(204)
    expect((yield* send("GET", `/projects/${project.id}/site-health/latest`)).body.data.run.id).toBe(first.id)
    const begun: Array<string> = []
    while (begun.length < 50) {
      const { body, status } = yield* send("POST", `/projects/${project.id}/site-health/runs`)
      if (status === 429) break
      begun.push(body.data.id)
      yield* send("POST", `/runs/${body.data.id}/cancel`)
    }
    const { body } = yield* send("GET", "/key")
    expect(begun).toHaveLength(body.data.limits.runs_per_hour - 3)
  })

  it("returns 404 for another account's crawl, and is refused without the scope", function* () {
    const { account, left, made } = yield* customer
    const id = yield* made({ days: 0 })
    const stranger = yield* Server.customer()
    expect((yield* Server.send("DELETE", run(id), { key: stranger.key })).status).toBe(404)
    const reader = yield* Server.keyWith(account, ["site-health:read"])
    expect((yield* Server.send("DELETE", run(id), { key: reader })).status).toBe(403)
    expect(yield* left).toEqual([id])
  })
})

describe("the list of crawls", () => {
  it("is filtered by status", function* () {
    const { key, made, project } = yield* customer
    const list = `/api/v1/projects/${project}/site-health/runs`
    const [first, failed, last] = [
      yield* made({ days: 3 }),
      yield* made({ days: 2, status: "failed" }),
      yield* made({ days: 1 })
    ]
    expect(ids((yield* Server.send("GET", list, { key })).body)).toEqual([last, failed, first])
    expect(ids((yield* Server.send("GET", `${list}?status=failed`, { key })).body)).toEqual([failed])
    const page = yield* Server.send("GET", `${list}?status=completed&limit=1`, { key })
    expect(ids(page.body)).toEqual([last])
    const cursor = encodeURIComponent(page.body.meta.next_cursor)
    expect(ids((yield* Server.send("GET", `${list}?status=completed&limit=1&cursor=${cursor}`, { key })).body)).toEqual(
      [first]
    )
    const foreign = yield* Server.send("GET", `${list}?status=failed&cursor=${cursor}`, { key })
    expect(foreign.body.error.code).toBe("invalid_cursor")
    const unknown = yield* Server.send("GET", `${list}?status=done`, { key })
    expect([unknown.status, unknown.body.error.details[0].path]).toEqual([422, "status"])
  })
})

const history = (key: string, project: string, query = "") =>
  Server.send("GET", `/api/v1/projects/${project}/site-health/history?${query}`, { key })

describe("the history of a site", () => {
  it("has every crawl of the whole site with a result, latest first", function* () {
    const { key, made, project } = yield* customer
    const first = yield* made({ days: 9, faults: { critical: 1, warning: 2 }, score: 40 })
    yield* made({ days: 8, status: "failed" })
    yield* made({ days: 7, score: 40, verify: first })
    const second = yield* made({ days: 6, score: 60, status: "partial" })
    yield* made({ days: 5, status: "cancelled" })
    const third = yield* made({ days: 4 })
    yield* made({ days: 3, status: "running" })
    const { body } = yield* history(key, project)
    expect(body.data).toMatchObject([
      { run_id: third, score: null, status: "completed", findings: { critical: 0, info: 0, warning: 0 } },
      { run_id: second, status: "partial", score: { aggregate_score: 60, range: { high: 60, low: 60 } } },
      { run_id: first, findings: { critical: 1, info: 0, warning: 2 }, score: { aggregate_score: 40 } }
    ])
    expect(Object.keys(body.data[0])).toEqual(["run_id", "status", "finished_at", "score", "findings"])
    const pages = yield* history(key, project, "limit=1")
    const next = yield* history(key, project, `limit=2&cursor=${pages.body.meta.next_cursor}`)
    expect([...pages.body.data, ...next.body.data]).toEqual(body.data)
    expect(next.body.meta.has_next).toBe(false)
  })

  it("shows for a check the result of each crawl", function* () {
    const pages: Record<string, string> = { "/": html("Start", '<a href="/gone">gone</a>') }
    const { url } = yield* site(pages)
    const { key, project, run } = yield* customerOf(url)
    yield* run()
    pages["/gone"] = html("Back", '<a href="/">start</a>')
    yield* run()
    const ofRule = (rule: string) =>
      Effect.map(history(key, project.id, `rule=${rule}`), ({ body }) =>
        body.data.map((point: { rule: unknown }) => point.rule)
      )
    expect(yield* ofRule("broken_link")).toEqual([
      { count: 0, status: "pass" },
      { count: 1, status: "fail" }
    ])
    const { body } = yield* Server.send("GET", `/api/v1/projects/${project.id}/site-health/latest`, { key })
    const findings: ReadonlyArray<Finding> = body.data.result.findings
    for (const wanted of ["pass", "fail", "not_assessed"]) {
      const found = findings.find(({ status }) => status === wanted)
      if (found === undefined) return expect.unreachable(`no rule is ${wanted}`)
      const { count, rule, status } = found
      expect({ rule, verdict: (yield* ofRule(rule))[0] }).toEqual({ rule, verdict: { count, status } })
    }
  })

  it("shows a check that a crawl did not have as not assessed", function* () {
    const { key, made, project } = yield* customer
    yield* made({ days: 1, score: 5 })
    const { body } = yield* history(key, project, "rule=broken_link")
    expect(body.data[0].rule).toEqual({ count: 0, status: "not_assessed" })
  })

  it("is refused for unknown checks, and is not found for other accounts", function* () {
    const { account, key, project } = yield* customer
    const unknown = yield* history(key, project, "rule=nonsense")
    expect([unknown.status, unknown.body.error.details]).toEqual([
      422,
      [{ message: "must be the id of a check from GET /api/v1/rules: there is no nonsense", path: "rule" }]
    ])
    const stranger = yield* Server.customer()
    expect((yield* history(stranger.key, project)).status).toBe(404)
    expect((yield* history(yield* Server.keyWith(account, ["projects:read"]), project)).status).toBe(403)
  })
})
