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

describe("a run", () => {
  it("has the score and the failing rules of its result, in every answer", function* () {
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

  it("tells the URL that it read last and its deadline, as long as it runs", function* () {
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

  it("keeps its score and failing rules when its result is dropped, and refuses other changes", function* () {
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
