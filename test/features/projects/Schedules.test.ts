import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Worker from "../../../src/features/sitehealth/schedules/Schedules.ts"
import { suite } from "../../harness.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

// The laws of all schedules, tested with crawls. Tests of other rooms cover the properties of their kinds.

const it = suite(promptly(Server.layer))

/** A customer with a site, and requests about its schedules. */
const customer = (plan: Parameters<typeof Server.customer>[0] = "agency_team") =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer(plan)
    const project = yield* Server.projectOf(account)
    const path = `/api/v1/projects/${project.id}/site-health`
    const send = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
      Server.send(method, `${path}${to}`, { body, headers, key })
    const create = (body: unknown) => Effect.map(send("POST", "/schedules", body), ({ body }) => body.data)
    const get = (id: string) => Effect.map(send("GET", `/schedules/${id}`), ({ body }) => body.data)
    const runs = Effect.map(send("GET", "/runs"), ({ body }) => body.data)
    return { account, create, get, key, path, project, runs, send }
  })

const worker = Layer.build(Worker.workerLayer)

const seconds = (time: string) => (Date.parse(time) - Date.now()) / 1000

describe("a schedule", () => {
  it("is created, read, listed, changed and deleted by its owner only", function* () {
    const { path, project, send } = yield* customer()
    const made = yield* send("POST", "/schedules", { every: "6h", max_pages: 7 })
    expect([made.status, made.body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: project.id,
        every: "6h",
        url: "https://example.com/",
        max_pages: 7,
        check_dead_links: true,
        check_external_links: false,
        render: "auto",
        next_at: expect.any(String),
        last_run_id: null,
        last_skipped: null,
        created_at: expect.any(String)
      }
    ])
    const { id } = made.body.data
    expect(made.headers.get("location")).toEndWith(`${path}/schedules/${id}`)
    expect((yield* send("GET", "/schedules")).body.data).toEqual([made.body.data])
    const terms = { check_dead_links: false, check_external_links: true, every: "30d", render: "never" }
    const changed = yield* send("PATCH", `/schedules/${id}`, terms)
    expect(changed.body.data).toEqual({ ...made.body.data, ...terms })
    const kept = yield* send("PATCH", `/schedules/${id}`, { every: "30d" })
    expect(kept.body.data).toEqual(changed.body.data)
    const stranger = yield* customer()
    for (const method of ["GET", "PATCH", "DELETE"])
      expect((yield* stranger.send(method, `/schedules/${id}`, method === "PATCH" ? {} : undefined)).status).toBe(404)
    expect((yield* Server.send("GET", `${path}/schedules`, { key: stranger.key })).status).toBe(404)
    expect((yield* send("DELETE", `/schedules/${id}`)).status).toBe(204)
    expect((yield* send("GET", `/schedules/${id}`)).status).toBe(404)
  })

  it("is one of at most twenty of its site and a hundred of its account, also for concurrent requests", function* () {
    const { account, key, project, send } = yield* customer()
    const sql = yield* SqlClient.SqlClient
    const fill = (id: string, count: number) => sql`
    INSERT INTO site_health_schedules (account_id, project_id, every, every_minutes, url, check_dead_links)
    SELECT ${account}, ${id}, '1d', 1440, 'https://example.com/', true FROM generate_series(1, ${count}::int)`
    yield* fill(project.id, 15)
    const replies = yield* Effect.replicateEffect(send("POST", "/schedules", { every: "1d" }), 12, {
      concurrency: "unbounded"
    })
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 7 }, () => 422)
    ])
    expect(replies.find(({ status }) => status === 422)?.body.error.details).toEqual([
      {
        message: "The site has 20 crawl schedules, which is the limit: delete one first",
        path: "body"
      }
    ])
    const second = yield* Server.projectOf(account, "https://second.example")
    yield* fill(second.id, 80)
    const third = yield* Server.projectOf(account, "https://third.example")
    const elsewhere = `/api/v1/projects/${third.id}/site-health/schedules`
    expect((yield* Server.send("POST", elsewhere, { body: { every: "1d" }, key })).body.error.details).toEqual([
      {
        message: "The account has 100 crawl schedules, which is the limit: delete one first",
        path: "body"
      }
    ])
    const { body } = yield* send("GET", "/schedules?limit=1")
    expect((yield* send("PATCH", `/schedules/${body.data[0].id}`, { every: "2d" })).status).toBe(200)
    expect((yield* send("DELETE", `/schedules/${body.data[0].id}`)).status).toBe(204)
    expect((yield* send("POST", "/schedules", { every: "1d" })).status).toBe(201)
  })

  it("is created once for a repeated request", function* () {
    const { send } = yield* customer()
    const once = () => send("POST", "/schedules", { every: "1d" }, { "idempotency-key": "nightly-1" })
    const [first, second] = [yield* once(), yield* once()]
    expect([first.status, second.status, second.body.data.id]).toEqual([201, 200, first.body.data.id])
  })

  it("starts one crawl per slot, for any number of workers, and none for missed slots", function* () {
    const { create, get, runs } = yield* customer()
    const sql = yield* SqlClient.SqlClient
    const request = { check_external_links: true, max_pages: 3, render: "never", url: "https://www.example.com/shop" }
    const { id } = yield* create({ every: "6h", ...request })
    yield* sql`UPDATE site_health_schedules SET next_at = next_at - interval '25 hours' WHERE id = ${id}`
    yield* Effect.replicateEffect(worker, 3)
    const schedule = yield* until(get(id), ({ last_run_id }) => last_run_id !== null, "100 millis")
    const started = yield* runs
    expect(started).toMatchObject([
      {
        id: schedule.last_run_id,
        request: { check_dead_links: true, ...request },
        status: "queued"
      }
    ])
    expect(Math.round(seconds(schedule.next_at) / 3600)).toBe(5)
    expect(schedule.last_skipped).toBeNull()
  })

  it("keeps all concurrent changes, and is not found by a change after its deletion", function* () {
    const { create, get, send } = yield* customer()
    const { id } = yield* create({ every: "6h" })
    const changes = [{ every: "7d" }, { max_pages: 9 }, { check_dead_links: false }]
    yield* Effect.forEach(changes, (change) => send("PATCH", `/schedules/${id}`, change), {
      concurrency: "unbounded"
    })
    expect(yield* get(id)).toMatchObject(Object.assign({}, ...changes))
    yield* send("DELETE", `/schedules/${id}`)
    expect((yield* send("PATCH", `/schedules/${id}`, { every: "1d" })).status).toBe(404)
  })

  it("skips its slot after three workers died", function* () {
    const { create, get, runs } = yield* customer()
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* create({ every: "6h" })
    yield* sql`UPDATE site_health_schedules SET attempts = 3, lease = gen_random_uuid(),
      leased_until = clock_timestamp() - interval '1 second' WHERE id = ${id}`
    yield* worker
    const schedule = yield* until(get(id), ({ last_skipped }) => last_skipped !== null, "100 millis")
    expect(schedule.last_skipped.reason).toContain("3 times in a row")
    expect(yield* runs).toEqual([])
  })
})

describe("a schedule of crawls", () => {
  it("accepts intervals from 6h to 30d and URLs on the site's host", function* () {
    const { send } = yield* customer()
    const refused: ReadonlyArray<readonly [object, string]> = [
      [{}, "every"],
      [{ every: "5h" }, "every"],
      [{ every: "359m" }, "every"],
      [{ every: "31d" }, "every"],
      [{ every: 6 }, "every"],
      [{ every: "daily" }, "every"],
      [{ every: "1d", url: "https://example.org/" }, "url"],
      [{ every: "1d", max_pages: 51 }, "max_pages"],
      [{ every: "1d", check_external_links: 1 }, "check_external_links"],
      [{ every: "1d", render: "sometimes" }, "render"],
      [{ every: "1d", render: null }, "render"]
    ]
    for (const [body, path] of refused) {
      const reply = yield* send("POST", "/schedules", body)
      expect([reply.status, reply.body.error.details?.[0]?.path]).toEqual([422, path])
    }
    for (const every of ["6h", "360m", "30d", "720h"])
      expect((yield* send("POST", "/schedules", { every })).body.data.every).toBe(every)
  })

  it("skips a slot without quota, and says why", function* () {
    const { create, get, runs, send } = yield* customer("free")
    yield* send("POST", "/runs", { max_pages: 1 })
    const { created_at, id } = yield* create({ every: "6h" })
    yield* worker
    const schedule = yield* until(get(id), ({ last_skipped }) => last_skipped !== null, "100 millis")
    expect(schedule.last_skipped.reason).toBe(
      "Too many crawls at a time: 1 in progress, and your plan allows 1. Try again when one has finished."
    )
    expect(Date.parse(schedule.last_skipped.at)).toBeGreaterThanOrEqual(Date.parse(created_at))
    expect(seconds(schedule.last_skipped.at)).toBeLessThanOrEqual(0)
    expect([schedule.last_run_id, (yield* runs).length]).toEqual([null, 1])
    expect(seconds(schedule.next_at)).toBeGreaterThan(6 * 3600 - 60)
  })
})
