import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { Finding } from "../../../src/crawl/report/Finding.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { customerOf, html, site } from "./crawled.ts"
import { customer } from "./stored.ts"

const it = suite(Server.layer)

const history = (key: string, project: string, query = "") =>
  Server.send("GET", `/api/v1/projects/${project}/site-health/history?${query}`, { key })

describe("the history of a site", () => {
  it("has every run of the whole site with a result, the newest first", function* () {
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
      { run_id: third, score: null, findings: { critical: 0, info: 0, warning: 0 } },
      { run_id: second, score: { aggregate_score: 60, range: { high: 60, low: 60 } } },
      { run_id: first, findings: { critical: 1, info: 0, warning: 2 }, score: { aggregate_score: 40 } }
    ])
    expect(Object.keys(body.data[0])).toEqual(["run_id", "finished_at", "score", "findings"])
    const pages = yield* history(key, project, "limit=1")
    const next = yield* history(key, project, `limit=2&cursor=${pages.body.meta.next_cursor}`)
    expect([...pages.body.data, ...next.body.data]).toEqual(body.data)
    expect(next.body.meta.has_next).toBe(false)
  })

  it("says of a rule what each run says of it", function* () {
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

  it("says of a rule that a run did not know that it was not assessed", function* () {
    const { key, made, project } = yield* customer
    yield* made({ days: 1, score: 5 })
    const { body } = yield* history(key, project, "rule=broken_link")
    expect(body.data[0].rule).toEqual({ count: 0, status: "not_assessed" })
  })

  it("is refused for unknown rules, and is not there for others", function* () {
    const { account, key, project } = yield* customer
    const unknown = yield* history(key, project, "rule=nonsense")
    expect([unknown.status, unknown.body.error.details]).toEqual([
      422,
      [{ message: "there is no rule nonsense", path: "rule" }]
    ])
    const stranger = yield* Server.customer()
    expect((yield* history(stranger.key, project)).status).toBe(404)
    expect((yield* history(yield* Server.keyWith(account, ["projects:read"]), project)).status).toBe(403)
  })
})
