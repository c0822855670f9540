import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Payload } from "../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { customerOf, html, site, worker } from "./crawled.ts"

const it = suite(Server.layer)

/** A sound site with a number of pages that all link to each other, without titles on the pages of `untitled`. */
const pages = (
  count: number,
  { broken = [], untitled = [] }: { broken?: Array<number>; untitled?: Array<number> } = {}
) => {
  const path = (index: number) => (index === 0 ? "/" : `/p${index}`)
  const all = Array.from({ length: count }, (_, index) => index)
  const links = (of: number) => all.map((index) => `<a href="${path(index)}">Page ${index} from ${of}</a>`).join(" ")
  return Object.fromEntries(
    all.map((index) => {
      const head = `<meta name="description" content="What page ${index} is about, in a sentence of its own.">`
      const dead = broken.includes(index) ? `<a href="/gone${index}">Gone ${index}</a>` : ""
      const words = `Words of page number ${index}. `.repeat(12)
      const page = html(`Title of page ${index}`, `<p>${words}</p>${links(index)}${dead}`, head)
      return [path(index), untitled.includes(index) ? page.replace(/<title>.*<\/title>/, "") : page]
    })
  )
}

/** A customer of the site, and the events of a type that were published since, oldest first. */
const watching = (made: Record<string, string>) =>
  Effect.gen(function* () {
    const served = yield* site(made)
    const customer = yield* customerOf(served.url)
    const told = (type: string) =>
      Effect.gen(function* () {
        const { body } = yield* customer.send("GET", `/events?type=site_health.${type}&order=asc`)
        for (const event of body.data) yield* Schema.decodeUnknown(Payload, { onExcessProperty: "error" })(event)
        return body.data.map(({ data }: { data: unknown }) => data)
      })
    const become = (next: Record<string, string>) => {
      for (const path of Object.keys(served.pages)) delete served.pages[path]
      Object.assign(served.pages, next)
    }
    return { ...customer, become, told, url: served.url }
  })

/** Inserts a copy of a crawl between it and the next, with other points in its result. */
const copied = (id: string, score: Record<string, unknown>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, status, phase, started_at, finished_at, counters, result)
      SELECT account_id, project_id, url, max_pages, check_dead_links, status, phase, started_at, finished_at, counters,
        jsonb_set(result::jsonb, '{score}', (result -> 'score')::jsonb || ${JSON.stringify(score)}::jsonb)::json
      FROM site_health_runs WHERE id = ${id}`
  )

describe("a crawl", () => {
  it("has an event with its changes since the previous crawl when it completes", function* () {
    const { become, project, run, told, url } = yield* watching(pages(6))
    const first = yield* run()
    become(pages(6, { broken: [2], untitled: [1] }))
    const second = yield* run({ max_pages: 3 })
    const { aggregate_score: before } = first.result.score
    const { aggregate_score: after } = second.result.score
    const common = { dead_links_found: expect.any(Number), pages_failed: 0, project_id: project.id, url, verify: null }
    expect(yield* told("completed")).toEqual([
      {
        ...common,
        against: null,
        findings: first.findings,
        fixed: null,
        new: null,
        pages_fetched: 6,
        run_id: first.id,
        score: { after: before, before: null, delta: null },
        status: "completed",
        termination: "complete"
      },
      {
        ...common,
        against: first.id,
        findings: second.findings,
        fixed: 0,
        new: expect.any(Number),
        pages_fetched: second.result.summary.pages.fetched,
        run_id: second.id,
        score: { after, before, delta: after - before },
        status: "partial",
        termination: "max-pages"
      }
    ])
    // A partial crawl is no measure of the site.
    expect(yield* told("score_dropped")).toEqual([])
  })

  it("has an event without score and changes when it rechecks another", function* () {
    const { ended, run, send, told } = yield* watching(pages(3, { untitled: [1] }))
    const { id } = yield* run()
    const { body } = yield* send("POST", `/runs/${id}/verify`, { rules: ["title_missing"] })
    yield* ended(body.data.id)
    const all = yield* told("completed")
    expect(all).toHaveLength(2)
    expect(all[1]).toMatchObject({
      against: null,
      fixed: null,
      new: null,
      run_id: body.data.id,
      score: { after: null, before: null, delta: null },
      verify: id
    })
  })

  it("has one event with its error when it fails, also if its worker died", function* () {
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account, "http://127.0.0.1:2/")
    const start = Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
    const { body } = yield* start
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE site_health_runs SET status = 'running', phase = 'crawling', started_at = now(),
      attempts = 1, lease = gen_random_uuid(), leased_until = now() - interval '1 second' WHERE id = ${body.data.id}`
    yield* Effect.all([Layer.build(worker), Layer.build(worker)])
    const told = Effect.map(
      Server.send("GET", "/api/v1/events?order=asc", { key }),
      ({ body }): ReadonlyArray<{ readonly data: unknown; readonly type: string }> => body.data
    )
    const ended = (count: number) => until(told, (all) => all.length >= count, "50 millis")
    const first = yield* ended(2)
    const again = yield* start
    const all = yield* ended(4)
    expect(all.map(({ type }) => type).sort()).toEqual([
      "audit.failed",
      "audit.failed",
      "site_health.failed",
      "site_health.failed"
    ])
    const common = { project_id: project.id, url: "http://127.0.0.1:2/" }
    const failures = all.flatMap(({ data, type }) => (type === "site_health.failed" ? [data] : []))
    expect(first.map(({ type }) => type).sort()).toEqual(["audit.failed", "site_health.failed"])
    expect(failures).toEqual([
      { ...common, error: { code: "worker_lost", message: expect.any(String) }, run_id: body.data.id },
      { ...common, error: { code: "start_unreachable", message: expect.any(String) }, run_id: again.body.data.id }
    ])
  })
})

describe("a falling score", () => {
  it("has one event for a fall by 5 points or more, with both scores and the new issues", function* () {
    const { become, project, run, told, url } = yield* watching(pages(6))
    const first = yield* run()
    become(pages(6, { untitled: [1, 2, 3] }))
    const second = yield* run()
    yield* run()
    const [before, after] = [first, second].map(({ result }) => result.score.aggregate_score)
    expect(before - after).toBeGreaterThanOrEqual(5)
    expect(yield* told("score_dropped")).toEqual([
      {
        against: first.id,
        fixed: 0,
        new: 3,
        new_critical: expect.any(Number),
        project_id: project.id,
        run_id: second.id,
        score: { after, before, delta: after - before },
        url
      }
    ])
  })

  it("has an event for a smaller fall only with a new critical issue", function* () {
    const { become, run, told } = yield* watching(pages(30))
    const first = yield* run()
    become(pages(30, { broken: [3] }))
    const second = yield* run()
    const fall = first.result.score.aggregate_score - second.result.score.aggregate_score
    expect([fall > 0, fall < 5]).toEqual([true, true])
    expect(yield* told("score_dropped")).toMatchObject([{ new: 2, new_critical: 2, run_id: second.id }])
  })

  it("has no event for a smaller fall without a new critical issue", function* () {
    const { become, run, told } = yield* watching(pages(30))
    const first = yield* run()
    const undescribed = Object.entries(pages(30)).map(([path, page]) => [
      path,
      ["/p1", "/p2", "/p3"].includes(path) ? page.replace(/<meta name="description"[^>]*>/, "") : page
    ])
    become(Object.fromEntries(undescribed))
    const second = yield* run()
    const fall = first.result.score.aggregate_score - second.result.score.aggregate_score
    expect([fall > 0, fall < 5]).toEqual([true, true])
    expect(yield* told("score_dropped")).toEqual([])
  })

  it("is compared with the latest complete crawl with the same options", function* () {
    const { become, run, told } = yield* watching(pages(6))
    const first = yield* run()
    become(pages(6, { untitled: [1, 2, 3] }))
    yield* run({ max_pages: 2 })
    yield* run({ check_dead_links: false })
    expect(yield* told("score_dropped")).toEqual([])
    const last = yield* run()
    expect(yield* told("score_dropped")).toMatchObject([{ against: first.id, run_id: last.id }])
  })

  it("has no event if unverified URLs or a new formula may explain the fall", function* () {
    for (const score of [{ range: { high: 100, low: 20 } }, { score_version: 3 }]) {
      const { become, run, told } = yield* watching(pages(6))
      const first = yield* run()
      yield* copied(first.id, score)
      become(pages(6, { untitled: [1, 2, 3] }))
      yield* run()
      expect(yield* told("score_dropped")).toEqual([])
    }
  })

  it("has no event while the score rises", function* () {
    const { become, run, told } = yield* watching(pages(6, { untitled: [1, 2, 3] }))
    yield* run()
    become(pages(6, { broken: [1] }))
    yield* run()
    expect(yield* told("score_dropped")).toEqual([])
  })
})
