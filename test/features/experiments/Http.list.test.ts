import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { Experiment } from "../../../src/features/experiments/Domain.ts"
import { suite } from "../../harness.ts"
import { projectOf, type Reply, send } from "../../server.ts"
import { experiment, growthProject } from "./experimenting.ts"
import { customer, layer, unknown } from "./http.ts"

const it = suite(layer)

const path = "/api/v1/experiments"

const listed = (key: string, query = "") =>
  Effect.map(send("GET", `${path}${query}`, { key }), ({ body, status }) => {
    expect(status).toBe(200)
    return body.data.map(({ id }: Experiment) => id)
  })

describe("GET /experiments", () => {
  it("lists the caller's experiments, latest first, and nobody else's", function* () {
    const { account, key, project } = yield* customer
    const other = yield* customer
    yield* experiment(other.account, other.project)
    const first = yield* experiment(account, project, "completed")
    const second = yield* experiment(account, project)
    const { body } = yield* send("GET", path, { key })
    expect(body).toEqual({
      data: [second, first],
      links: { self: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/experiments$/) },
      meta: { has_next: false, per_page: 20, total_in_batch: 2 }
    })
  })

  it("is empty for an account without experiments", function* () {
    const { key } = yield* customer
    expect(yield* listed(key)).toEqual([])
  })

  it("filters by status", function* () {
    const { account, key, project } = yield* customer
    for (const status of ["draft", "running", "completed"] as const) {
      const { id } = yield* experiment(account, project, status)
      expect(yield* listed(key, `?status=${status}`)).toEqual([id])
    }
  })

  it("filters by growth project", function* () {
    const { account, key, project } = yield* customer
    const second = yield* growthProject(account)
    const empty = yield* growthProject(account)
    const a = yield* experiment(account, project)
    const b = yield* experiment(account, second.id)
    expect(yield* listed(key, `?project_id=${project}`)).toEqual([a.id])
    expect(yield* listed(key, `?project_id=${second.id.toUpperCase()}`)).toEqual([b.id])
    expect(yield* listed(key, `?project_id=${empty.id}`)).toEqual([])
  })

  it("filters by a site: the experiments of all growth projects on its domain, and no others", function* () {
    const { account, key, project } = yield* customer
    const www = yield* growthProject(account, "https://WWW.example.com/")
    const sub = yield* growthProject(account, "blog.example.com")
    const a = yield* experiment(account, project)
    const b = yield* experiment(account, www.id)
    const c = yield* experiment(account, sub.id)
    const other = yield* customer
    yield* experiment(other.account, other.project)
    for (const url of ["https://example.com", "http://www.example.com/page", "https://EXAMPLE.com:8443"]) {
      const site = yield* projectOf(account, url)
      expect(yield* listed(key, `?site_id=${site.id}`)).toEqual([b.id, a.id])
    }
    const blog = yield* projectOf(account, "https://blog.example.com")
    expect(yield* listed(key, `?site_id=${blog.id}`)).toEqual([c.id])
  })

  it("matches a site with an internationalized domain", function* () {
    const { account, key } = yield* customer
    const { id } = yield* experiment(account, (yield* growthProject(account, "www.münchen.de")).id)
    const site = yield* projectOf(account, "https://xn--mnchen-3ya.de")
    expect(yield* listed(key, `?site_id=${site.id}`)).toEqual([id])
  })

  it("is empty for a site without a growth project", function* () {
    const { account, key, project } = yield* customer
    yield* experiment(account, project)
    const site = yield* projectOf(account, "https://example.org")
    expect(yield* listed(key, `?site_id=${site.id}`)).toEqual([])
  })

  it("combines filters", function* () {
    const { account, key, project } = yield* customer
    const site = yield* projectOf(account)
    const elsewhere = yield* growthProject(account, "example.org")
    const { id } = yield* experiment(account, project, "running")
    yield* experiment(account, project)
    yield* experiment(account, elsewhere.id, "running")
    expect(yield* listed(key, `?site_id=${site.id}&project_id=${project}&status=running`)).toEqual([id])
    expect(yield* listed(key, `?site_id=${site.id}&project_id=${elsewhere.id}`)).toEqual([])
  })

  it("returns 404 for an unknown site or growth project, and for another account's", function* () {
    const { key } = yield* customer
    const other = yield* customer
    const site = yield* projectOf(other.account)
    for (const query of [
      `site_id=${site.id}`,
      `site_id=${unknown}`,
      `project_id=${other.project}`,
      `project_id=${unknown}`
    ]) {
      const { body, status } = yield* send("GET", `${path}?${query}`, { key })
      expect([status, body.error.code]).toEqual([404, "not_found"])
    }
  })

  for (const [query, field] of [
    ["site_id=7", "site_id"],
    ["site_id=", "site_id"],
    ["project_id=7", "project_id"],
    ["status=paused", "status"],
    ["status=draft&status=running", "status"],
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1.5", "limit"]
  ] as const) {
    it(`returns 422 for ?${query}`, function* () {
      const { key } = yield* customer
      const { body, status } = yield* send("GET", `${path}?${query}`, { key })
      expect([status, body.error.code]).toEqual([422, "validation_error"])
      expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
    })
  }
})

describe("the pages of the list of experiments", () => {
  it("contain each experiment once, also with equal timestamps, and while new ones are created", function* () {
    const sql = yield* SqlClient.SqlClient
    const { account, key, project } = yield* customer
    const rows = yield* sql<{ id: string }>`
        INSERT INTO experiments (account_id, project_id, name, status, created_at)
        SELECT ${account}, ${project}, 'n' || n, 'draft', '2026-01-01T00:00:00.123456Z'::timestamptz + (n / 5) * interval '1 microsecond'
        FROM generate_series(1, 23) n RETURNING id`
    const seen: Array<string> = []
    let next: string | undefined = `${path}?limit=4&status=draft`
    while (next !== undefined) {
      const { body, status }: Reply = yield* send("GET", next, { key })
      expect(status).toBe(200)
      expect(body.meta.next_cursor === undefined).toBe(!body.meta.has_next)
      seen.push(...body.data.map(({ id }: Experiment) => id))
      yield* experiment(account, project)
      next = body.links.next
    }
    expect(seen).toHaveLength(23)
    expect(seen.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  })

  it("refuse a cursor of other filters or of another account", function* () {
    const { account, key, project } = yield* customer
    const other = yield* customer
    yield* Effect.replicateEffect(experiment(account, project), 2)
    const { body } = yield* send("GET", `${path}?limit=1`, { key })
    const cursor = body.meta.next_cursor
    expect(yield* listed(key, `?limit=1&cursor=${cursor}`)).toHaveLength(1)
    for (const [query, caller] of [
      [`cursor=${cursor}&status=draft`, key],
      [`cursor=${cursor}&project_id=${project}`, key],
      // Invalid input is reported before the ownership of the growth project is checked.
      [`cursor=${cursor}&project_id=${unknown}`, key],
      [`cursor=${cursor}`, other.key],
      ["cursor=nonsense", key]
    ] as const) {
      const reply = yield* send("GET", `${path}?${query}`, { key: caller })
      expect([reply.status, reply.body.error.code]).toEqual([422, "invalid_cursor"])
    }
  })
})
