import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type { Verification } from "../../../src/crawl/report/CrawlResult.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { customerOf, html, site } from "./crawled.ts"

const it = suite(Server.layer)

const withoutBrowser = ConfigProvider.fromMap(new Map([["FINDABLE_RENDER", "off"]]))

const home = '<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>'
const small = site({
  "/": html("Start", home),
  "/a": html("A", '<a href="/">back</a> <a href="/gone">gone</a>'),
  "/b": html("", '<a href="/">back</a>'),
  "/c": html("C", '<a href="/">back</a>')
})

const verdicts = (list: ReadonlyArray<Verification>, url: string) =>
  list.map(({ rule, url: at, verdict }) => `${rule} ${at.replace(url, "/")} ${verdict}`)

describe("a recheck of a crawl", () => {
  it("requests the linked pages of other sites again if the crawl had checked them", function* () {
    const other = yield* site({ "/there": html("There", "") })
    const lost = new URL("/lost", other.url).href
    const { pages, url } = yield* site({ "/": html("Start", `<a href="${lost}">lost</a>`) })
    const { ended, run, send } = yield* customerOf(url)
    const plain = yield* run()
    expect(plain.request.check_external_links).toBe(false)
    expect(plain.result.summary.external_links.state).toBe("disabled")
    expect(other.asked).toEqual([])

    const first = yield* run({ check_external_links: true })
    expect(first.request.check_external_links).toBe(true)
    expect(first.result.summary.external_links).toMatchObject({
      state: "complete",
      checked: 1,
      found: 1,
      items: [{ url: lost, http_status: 404, linked_from: [url] }]
    })
    // A crawl without the option reports the issue neither as new nor as removed.
    const { body } = yield* send("GET", `/runs/${first.id}/diff?against=${plain.id}`)
    expect(body.data.findings).toMatchObject({
      new: [],
      not_comparable: [{ rule: "external_link_broken", cause: "options_differ", found_in: "after" }]
    })

    const verified = Effect.fnUntraced(function* () {
      const { body } = yield* send("POST", `/runs/${first.id}/verify`, { rules: ["external_link_broken"] })
      expect(body.data.request.check_external_links).toBe(true)
      return verdicts((yield* ended(body.data.id)).result.verification, url)
    })
    expect(yield* verified()).toEqual(["external_link_broken / still_failing"])
    pages["/"] = html("Start", `<a href="${new URL("/there", other.url).href}">there</a>`)
    expect(yield* verified()).toEqual(["external_link_broken / fixed"])
  })

  it("renders like the crawl that it rechecks, and is a conflict where that takes a browser which no worker has", () =>
    Effect.gen(function* () {
      const { url } = yield* small
      const { ended, run, send } = yield* customerOf(url)
      const sql = yield* SqlClient.SqlClient
      const recheck = (id: string) => send("POST", `/runs/${id}/verify`, { rules: ["title_missing"] })
      const plain = yield* run({ render: "never" })
      expect([plain.request.render, plain.result.summary.rendering.mode]).toEqual(["never", "never"])
      const { body } = yield* recheck(plain.id)
      expect(body.data.request.render).toBe("never")
      expect((yield* ended(body.data.id)).result.summary.rendering.mode).toBe("never")

      const other = sql`INSERT INTO site_health_workers VALUES (gen_random_uuid(), clock_timestamp() + interval '20 seconds', '/usr/bin/chromium')`
      yield* other
      const { body: started } = yield* send("POST", `/projects/${plain.project_id}/site-health/runs`, {
        render: "always"
      })
      yield* sql`DELETE FROM site_health_workers WHERE browser IS NOT NULL`
      const always = yield* ended(started.data.id)
      expect([always.request.render, always.result.summary.rendering.mode]).toEqual(["always", "off"])
      const refused = yield* recheck(always.id)
      expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
      expect(refused.body.error.message).toContain("apt-get install chromium-headless-shell")
      yield* other
      expect((yield* recheck(always.id)).body.data.request.render).toBe("always")
    }).pipe(Effect.withConfigProvider(withoutBrowser)))

  it("gives the new state of each issue, and requests no other pages", function* () {
    const { asked, pages, url } = yield* small
    const { account, ended, project, run, send } = yield* customerOf(url)
    const first = yield* run()
    expect(first.request.verify).toBeNull()
    pages["/b"] = html("B", '<a href="/">back</a>')
    asked.length = 0

    const rules = ["broken_link", "title_missing", "h1_multiple"]
    const { body, headers, status } = yield* send("POST", `/runs/${first.id}/verify`, { rules })
    expect([status, body.data.request.verify, body.meta]).toEqual([202, first.id, {}])
    expect(headers.get("location")).toEndWith(`/api/v1/runs/${body.data.id}`)
    const second = yield* ended(body.data.id)
    expect(second).toMatchObject({ result_available: true, status: "completed" })
    expect(second.result.score).toMatchObject({ aggregate_score: null, has_data: false })
    expect(verdicts(second.result.verification, url)).toEqual(
      expect.arrayContaining(["title_missing /b fixed", "broken_link /a still_failing"])
    )
    expect(second.result.verification).toHaveLength(2)
    // The page with a broken link, and the targets of its links; "/c" has no requested issue, and no checked link leads there.
    const probe = asked.find((path) => !["/robots.txt", "/sitemap.xml", "/", "/a", "/b", "/gone"].includes(path))
    expect(new Set(asked.filter((path) => path !== probe))).toEqual(
      new Set(["/robots.txt", "/sitemap.xml", "/", "/a", "/b", "/gone"])
    )
    expect(asked).not.toContain("/c")

    pages["/a"] = html("A", '<a href="/">back</a> <a href="/c">c</a>')
    const again = yield* send("POST", `/runs/${first.id}/verify`, { rules: ["broken_link"] })
    const third = yield* ended(again.body.data.id)
    expect(verdicts(third.result.verification, url)).toEqual(["broken_link /a fixed"])

    // The site's latest result, and the base of comparisons, is still a crawl of the whole site.
    const latest = yield* send("GET", `/projects/${project.id}/site-health/latest`)
    expect(latest.body.data.run.id).toBe(first.id)
    const whole = yield* run()
    expect((yield* send("GET", `/runs/${whole.id}/diff`)).body.data.against).toBe(first.id)
    const listed = yield* send("GET", `/projects/${project.id}/site-health/runs`)
    expect(listed.body.data.map(({ request }: { request: { verify: unknown } }) => request.verify)).toEqual([
      null,
      first.id,
      first.id,
      null
    ])
    const compared = yield* send("GET", `/runs/${third.id}/diff`)
    expect([compared.status, compared.body.error.code]).toEqual([409, "conflict"])
    expect((yield* send("GET", `/runs/${whole.id}/diff?against=${third.id}`)).status).toBe(409)

    const sql = yield* SqlClient.SqlClient
    const [event] = yield* sql<{ outcome: unknown }>`
      SELECT body::json #> '{data,outcome}' AS outcome FROM events
      WHERE account_id = ${account} AND body::json #>> '{data,id}' = ${third.id}`
    expect(event?.outcome).toMatchObject({ changes: null })
  })

  it("covers all issues by default, and is not joined by a crawl", function* () {
    const { url } = yield* small
    const { ended, project, run, send } = yield* customerOf(url)
    const first = yield* run()
    const failing = first.result.findings.flatMap(({ pages }: { pages: ReadonlyArray<string> }) => pages)
    const started = yield* send("POST", `/runs/${first.id}/verify`, {})
    const ordinary = yield* send("POST", `/projects/${project.id}/site-health/runs`, {})
    expect([ordinary.status, ordinary.body.data.request.verify]).toEqual([202, null])
    const { result } = yield* ended(started.body.data.id)
    expect(result.verification).toHaveLength(failing.length)
    expect(result.verification.some(({ verdict }: Verification) => verdict === "fixed")).toBe(false)
    yield* ended(ordinary.body.data.id)
  })

  it("with an Idempotency-Key starts one crawl, and the key belongs to that request only", function* () {
    const { url } = yield* small
    const { ended, run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const key = { "idempotency-key": "verify-once" }
    const first = yield* send("POST", `/runs/${id}/verify`, { rules: ["title_missing", "broken_link"] }, key)
    const again = yield* send("POST", `/runs/${id}/verify`, { rules: ["broken_link", "title_missing"] }, key)
    expect([again.status, again.body.data.id, again.body.meta]).toEqual([
      200,
      first.body.data.id,
      { idempotent_replay: true }
    ])
    const other = yield* send("POST", `/runs/${id}/verify`, {}, key)
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"])
    yield* ended(first.body.data.id)
  })

  it("is refused for crawls without a result, for rechecks, for unknown checks and for other accounts", function* () {
    const { url } = yield* small
    const { ended, project, run, send } = yield* customerOf(url)
    const first = yield* run()
    const code = (id: string, body: unknown = {}) =>
      Effect.map(send("POST", `/runs/${id}/verify`, body), ({ body, status }) => [status, body.error.code])
    const unknown = yield* send("POST", `/runs/${first.id}/verify`, { rules: ["broken_link", "no_such_rule"] })
    expect([unknown.status, unknown.body.error.code]).toEqual([422, "validation_error"])
    expect(JSON.stringify(unknown.body.error)).toContain("no_such_rule")
    expect(yield* code(first.id, { rules: [] })).toEqual([422, "validation_error"])
    expect(yield* code(first.id, { rule: "broken_link" })).toEqual([422, "validation_error"])
    expect(yield* code(crypto.randomUUID())).toEqual([404, "not_found"])

    const verifying = yield* send("POST", `/runs/${first.id}/verify`, { rules: ["h1_multiple"] })
    expect((yield* ended(verifying.body.data.id)).result.verification).toEqual([])
    expect(yield* code(verifying.body.data.id)).toEqual([409, "conflict"])

    const queued = yield* send("POST", `/projects/${project.id}/site-health/runs`, { max_pages: 3 })
    yield* send("POST", `/runs/${queued.body.data.id}/cancel`)
    expect(yield* code(queued.body.data.id)).toEqual([409, "conflict"])

    const stranger = yield* Server.customer()
    const foreign = yield* Server.send("POST", `/api/v1/runs/${first.id}/verify`, { body: {}, key: stranger.key })
    expect(foreign.status).toBe(404)
  })

  it("counts against the plan", function* () {
    const { url } = yield* small
    const { account, run, send } = yield* customerOf(url)
    const { id } = yield* run()
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, finished_at)
      SELECT account_id, project_id, url, max_pages, check_dead_links, 'cancelled', 'finished', clock_timestamp()
      FROM site_health_runs r, generate_series(1, 5000) WHERE r.id = ${id}`
    const { body, status } = yield* send("POST", `/runs/${id}/verify`, {})
    expect([status, body.error.code, typeof account]).toEqual([429, "quota_exceeded", "string"])
  })
})
