import { describe, expect, test } from "bun:test"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { crawl } from "../../../src/crawl/Crawl.ts"
import { inert } from "../../../src/features/interventions/Repository.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { html, site, worker } from "../sitehealth/crawled.ts"
import { change, connected, layerWith, owner } from "./setting.ts"

const it = suite(layerWith(), { timeout: 60_000 })

/** Texts on which GitHub acts, by its documentation. */
const acts = [
  /(?:^|[^\w])@[a-z\d]/i,
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w.-]+\/[\w.-]+)?(?:#|GH-)\d/i,
  /#\d/,
  /\bGH-\d/i,
  /https?:\/\/\S+\/(?:issues|pull)\/\d/i,
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i,
  /&#?\w+;/,
  /<[a-z!/]/i
]

const loud = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "@octocat",
        "@acme/team",
        "Fixes #1",
        "closes: acme/site#22",
        "RESOLVED gh-3",
        "fixes https://github.com/acme/site/issues/4",
        "https://github.example/acme/site/pull/5",
        "[skip ci]",
        "[CI skip]",
        "&#64;octocat",
        "fixes &num;1",
        "@<!-- -->octocat",
        "\\@octocat",
        "fixes GH\\-1"
      ),
      fc.string()
    )
  )
  .map((words) => words.join(" "))

describe("a text sent to GitHub", () => {
  test("contains nothing that GitHub acts on, and all of its words", () => {
    fc.assert(
      fc.property(loud, (text) => {
        const quiet = inert(text)
        expect(acts.filter((act) => act.test(quiet))).toEqual([])
        expect(quiet.replaceAll("\u200b", "")).toBe(text.replaceAll("\u200b", ""))
        expect(inert(quiet)).toBe(quiet)
      })
    )
  })

  it("is inert in title, body and commits of a change and of its rollback, and the title is one line", function* () {
    const { propose, refresh, repository, rollBack } = yield* connected()
    const loudest = "Fixes #1 for @octocat and closes acme/site#2 [skip ci]"
    const file = { content: "a", expected_sha: null, path: "a.txt" }
    const { id } = (yield* propose({
      changes: [change, file],
      summary: `${loudest}\rmore\n\nResolves GH-3 &#64;acme/team`
    })).body.data
    repository.merge(1)
    yield* refresh(id)
    yield* rollBack(id, { reason: loudest })
    const said = [...repository.pulls.flatMap(({ body, title }) => [title, body]), ...repository.messages]
    expect(said).toHaveLength(8)
    for (const text of said) expect(acts.filter((act) => act.test(text))).toEqual([])
    expect(repository.pulls[0]?.title.replaceAll("\u200b", "")).toBe(loudest)
    const long = "@a".repeat(250)
    const { pull_request } = (yield* propose({ changes: [{ ...file, path: "b.txt" }], summary: long })).body.data
    yield* rollBack((yield* propose({ changes: [{ ...file, path: "c.txt" }], summary: long })).body.data.id)
    expect(repository.pulls[pull_request.number - 1]?.title.length).toBeLessThanOrEqual(256)
  })
})

const record = { connector: "recorded", summary: "Shorter titles", url: "https://shop.example/a" }

describe("a recorded change", () => {
  it("is deployed immediately, and rolled back once", function* () {
    const { events, refresh, rollBack, send } = yield* owner()
    const { body, status } = yield* send("POST", "/interventions", {
      ...record,
      deployed_at: "2026-11-21T09:00:00Z",
      system: "cms"
    })
    expect([status, body.data]).toMatchObject([
      201,
      {
        connector: "recorded",
        deployed_at: "2026-11-21T09:00:00.000000+00:00",
        repo: null,
        status: "deployed",
        system: "cms"
      }
    ])
    const { id } = body.data
    expect(yield* refresh(id)).toEqual(body.data)
    expect((yield* rollBack(id, { rolled_back_at: "2026-11-21T08:00:00Z" })).status).toBe(409)
    const back = yield* rollBack(id, { reason: "Fewer clicks", rolled_back_at: "2026-11-22T09:00:00Z" })
    expect([back.status, back.body.data]).toMatchObject([
      200,
      { reason: "Fewer clicks", rolled_back_at: "2026-11-22T09:00:00.000000+00:00", status: "rolled_back" }
    ])
    expect((yield* rollBack(id)).status).toBe(409)
    expect(yield* events).toMatchObject([
      { data: { connector: "cms", id }, type: "intervention.deployed" },
      { data: { connector: "cms", id, reason: "Fewer clicks" }, type: "intervention.rolled_back" }
    ])
  })

  it("is listed with the others, latest first, page by page", function* () {
    const { key, propose, send } = yield* connected()
    const made: Array<string> = []
    for (const summary of ["a", "b", "c"])
      made.unshift((yield* send("POST", "/interventions", { ...record, summary })).body.data.id)
    made.unshift((yield* propose()).body.data.id)
    const first = (yield* send("GET", "/interventions?limit=3")).body
    const { pathname, search } = new URL(first.links.next)
    const second = (yield* Server.send("GET", `${pathname}${search}`, { key })).body
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(made)
    expect(second.meta.has_next).toBe(false)
  })

  it("needs scopes of its own like the others, and * includes only the one for reading", function* () {
    const { account, project, send } = yield* owner()
    yield* send("POST", "/interventions", record)
    const path = `/api/v1/projects/${project}/interventions`
    const reader = yield* Server.keyWith(account, ["interventions:read"])
    const all = yield* Server.keyWith(account, ["*"])
    for (const key of [reader, all]) {
      expect((yield* Server.send("GET", path, { key })).status).toBe(200)
      expect((yield* Server.send("POST", path, { body: record, key })).status).toBe(403)
      expect(
        (yield* Server.send("PUT", `/api/v1/projects/${project}/connectors/github`, { body: { token: "t" }, key }))
          .status
      ).toBe(403)
    }
    const writer = yield* Server.keyWith(account, ["interventions:write"])
    expect((yield* Server.send("GET", path, { key: writer })).status).toBe(403)
    expect((yield* Server.send("POST", path, { body: record, key: writer })).status).toBe(201)
  })
})

const faulty = html("", '<a href="/">start</a>')

const repaired = html("Shoes that last", '<a href="/">start</a>')

const pages = { "/": html("Shop", '<a href="/shoes">shoes</a>'), "/shoes": faulty }

/** The result of a crawl of this site under another URL, from one crawl for all tests. */
const resultAt = (() => {
  let known: Promise<string> | undefined
  return (url: string) =>
    Effect.promise(async () => {
      known ??= Effect.runPromise(
        Effect.gen(function* () {
          const shop = yield* site(pages)
          const events = yield* Stream.runCollect(crawl(new URL(shop.url), { checkDeadLinks: true, maxPages: 5 }))
          const [report] = [...events].flatMap((event) => (event._tag === "Finished" ? [event.report] : []))
          return JSON.stringify(report).replaceAll(shop.url, "SITE/")
        }).pipe(
          Effect.scoped,
          Effect.provide(OutboundLive.layer),
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(Server.settings))))
        )
      )
      return (await known).replaceAll("SITE/", url)
    })
})()

/** A site with a crawl that found a page without a title, and a merged change to fix it. Crawls end as the test decides. */
const merged = (fields: object = {}) =>
  Effect.gen(function* () {
    const url = "https://shop.example/"
    const one = yield* connected(url)
    const { project, sql } = one
    const result = yield* resultAt(url)
    const [row] = yield* sql<{ id: string }>`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, finished_at, result)
      SELECT account_id, id, url, 5, true, 'completed', 'finished', clock_timestamp(), ${result}::json FROM projects WHERE id = ${project} RETURNING id`
    const page = `${url}shoes`
    const finding = { rule: "title_missing", run: row?.id ?? "", url: page }
    const made = yield* one.propose({ finding, ...fields })
    const { id } = made.body.data
    one.repository.merge(1)
    yield* one.refresh(id)
    /** The change at the time of a check, a number of minutes after the merge. */
    const at = (minutes: number) =>
      sql`UPDATE interventions SET merged_at = clock_timestamp() - ${minutes} * interval '1 minute', due_at = clock_timestamp() WHERE id = ${id}`
    const runs = Effect.map(
      sql<{
        id: string
      }>`SELECT id FROM site_health_runs WHERE project_id = ${project} AND id <> ${finding.run} ORDER BY created_at`,
      (rows) => rows.map(({ id }) => id)
    )
    /** Ends the crawl that was started for the change, and has the change checked. */
    const end = (verdict: "fixed" | "still_failing", status = "completed") =>
      Effect.gen(function* () {
        const verification = [{ detail: "no title", rule: finding.rule, url: page, verdict }]
        const text = status === "failed" ? null : JSON.stringify({ ...JSON.parse(result), verification })
        const error = status === "failed" ? JSON.stringify({ code: "worker_lost", message: "." }) : null
        const [ended] = yield* until(
          sql<{
            id: string
          }>`UPDATE site_health_runs SET status = ${status}, phase = 'finished', finished_at = clock_timestamp(), result = ${text}::json,
            error = ${error}::json WHERE project_id = ${project} AND finished_at IS NULL RETURNING id`,
          (rows) => rows.length === 1,
          "50 millis"
        )
        yield* sql`UPDATE interventions SET due_at = clock_timestamp() WHERE project_id = ${project} AND verify_run_id = ${ended?.id ?? ""}`
        return ended?.id ?? ""
      })
    return { ...one, at, end, finding, id, made: made.body.data, page, runs }
  })

const minutesAfterMerge = ({ merged_at, next_look_at }: { merged_at: string; next_look_at: string }) =>
  Math.round((Date.parse(next_look_at) - Date.parse(merged_at)) / 60_000)

describe("a merged change", () => {
  it("is deployed when a crawl confirms that its issue is fixed, from 5 minutes after the merge on", function* () {
    const { at, end, events, get, id, made, page, runs } = yield* merged()
    expect(made).toMatchObject({ finding: { rule: "title_missing" }, url: page })
    expect(minutesAfterMerge(yield* get(id))).toBe(5)
    expect(yield* runs).toEqual([])
    yield* at(5)
    const run = yield* end("fixed")
    const deployed = yield* until(get(id), ({ status }) => status === "deployed", "50 millis")
    expect(deployed).toMatchObject({
      error: null,
      next_look_at: null,
      verified_by_run_id: run,
      verifying_run_id: null
    })
    expect(yield* events).toMatchObject([
      { data: { connector: "github", id, url: page, verified_by_run_id: run }, type: "intervention.deployed" }
    ])
  })

  it("is checked after 30 minutes, 2 and 24 hours while it fails, and is then not verified", function* () {
    const { at, end, events, get, id, refresh, runs } = yield* merged()
    for (const [minutes, next, status] of [
      [5, 30, "completed"],
      [31, 120, "failed"],
      [121, 1440, "completed"]
    ] as const) {
      yield* at(minutes)
      yield* end("still_failing", status)
      const then = yield* until(
        get(id),
        ({ next_look_at, verifying_run_id }) =>
          verifying_run_id === null && Date.parse(next_look_at) > Date.now() + 10_000,
        "50 millis"
      )
      expect(then).toMatchObject({
        error: expect.stringContaining(status === "failed" ? "failed" : "still_failing"),
        status: "merged"
      })
      expect(minutesAfterMerge(then)).toBe(next)
    }
    yield* at(1441)
    yield* end("still_failing")
    expect(yield* until(get(id), ({ status }) => status === "not_verified", "50 millis")).toMatchObject({
      next_look_at: null
    })
    expect(yield* runs).toHaveLength(4)
    expect(yield* events).toEqual([])
    // On request it is checked once more.
    yield* refresh(id)
    yield* end("fixed")
    yield* until(get(id), ({ status }) => status === "deployed", "50 millis")
  })

  it("waits when the account's quota refuses the crawl, and keeps all its checks", function* () {
    const { account, at, end, get, id, runs, sql } = yield* merged()
    yield* sql`INSERT INTO site_health_removed_runs (account_id, created_at) SELECT ${account}::uuid, clock_timestamp() FROM generate_series(1, 20)`
    yield* at(5)
    const refused = yield* until(get(id), ({ error }) => error?.includes("in the last hour") === true, "50 millis")
    expect([refused.status, yield* runs]).toEqual(["merged", []])
    expect(Date.parse(refused.next_look_at)).toBeGreaterThan(Date.now() + 200_000)
    yield* sql`DELETE FROM site_health_removed_runs WHERE account_id = ${account}`
    yield* sql`UPDATE interventions SET due_at = clock_timestamp() WHERE id = ${id}`
    yield* end("fixed")
    yield* until(get(id), ({ status }) => status === "deployed", "50 millis")
  })

  it("without an issue is deployed when the changed page was crawled", function* () {
    const { end, get, id, refresh, runs, sql } = yield* merged({
      finding: undefined,
      url: "https://shop.example/shoes"
    })
    yield* refresh(id)
    const [run = ""] = yield* until(runs, (ids) => ids.length === 1, "50 millis")
    const [asked] = yield* sql`SELECT url, max_pages, verify FROM site_health_runs WHERE id = ${run}`
    expect(asked).toEqual({ max_pages: 1, url: "https://shop.example/shoes", verify: null })
    yield* end("fixed", "failed")
    const unseen = yield* until(get(id), ({ error }) => error?.includes("has no result") === true, "50 millis")
    expect(unseen.status).toBe("merged")
    yield* refresh(id)
    yield* end("fixed")
    expect((yield* until(get(id), ({ status }) => status === "deployed", "50 millis")).url).toBe(
      "https://shop.example/shoes"
    )
  })

  it("is not verified if the crawl with its issue was deleted", function* () {
    const { at, finding, get, id, sql } = yield* merged()
    yield* sql`DELETE FROM site_health_runs WHERE id = ${finding.run}`
    yield* at(5)
    expect((yield* until(get(id), ({ status }) => status === "not_verified", "50 millis")).error).toMatch(/crawl/)
  })

  it("names an issue of a crawl of the same site", function* () {
    const { finding, id, propose, refresh, repository, runs } = yield* merged()
    const before = repository.writes().length
    const refused = Effect.fnUntraced(function* (fields: object) {
      const { body, status } = yield* propose({ finding: { ...finding, ...fields } })
      return [status, body.error.details?.[0]?.path ?? body.error.code]
    })
    expect(yield* refused({ rule: "no_such_rule" })).toEqual([422, "finding.rule"])
    expect(yield* refused({ url: `${finding.url}x` })).toEqual([422, "finding.url"])
    expect(yield* refused({ run: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11" })).toEqual([404, "not_found"])
    const other = yield* owner()
    const theirs = yield* other.send("POST", "/site-health/runs", {})
    expect(yield* refused({ run: theirs.body.data.id })).toEqual([404, "not_found"])
    yield* refresh(id)
    const [verifying = ""] = yield* until(runs, (ids) => ids.length > 0, "50 millis")
    expect(yield* refused({ run: verifying })).toEqual([409, "conflict"])
    expect(repository.writes()).toHaveLength(before)
  })
})

describe("the whole cycle", () => {
  it("leads from a crawl of the site to a fixed page that another crawl confirms", function* () {
    yield* Layer.build(worker)
    const shop = yield* site({ ...pages })
    const { get, key, propose, refresh, repository, send } = yield* connected(shop.url)
    const run = (yield* send("POST", "/site-health/runs", {})).body.data.id
    yield* until(
      Server.send("GET", `/api/v1/runs/${run}`, { key }),
      ({ body }) => body.data.result_available === true,
      "100 millis"
    )
    const { id } = (yield* propose({ finding: { rule: "title_missing", run, url: `${shop.url}shoes` } })).body.data
    repository.merge(1)
    yield* refresh(id)
    shop.pages["/shoes"] = repaired
    yield* refresh(id)
    const deployed = yield* until(get(id), ({ status }) => status === "deployed", "100 millis")
    const verified = yield* Server.send("GET", `/api/v1/runs/${deployed.verified_by_run_id}`, { key })
    expect(verified.body.data.request.verify).toBe(run)
  })
})
