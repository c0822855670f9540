import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type { AccountId, Plan } from "../../../src/features/accounts/Domain.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layer)

/** A customer with a site, and a function that starts crawls of it. */
const site = (plan: Plan = "agency_team", url = "https://example.com") =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer(plan)
    const project = yield* Server.projectOf(account, url)
    const path = `/api/v1/projects/${project.id}/site-health/runs`
    const start = (body?: unknown, idempotency?: string) =>
      Server.send("POST", path, {
        body,
        headers: idempotency === undefined ? {} : { "idempotency-key": idempotency },
        key
      })
    return { account, key, path, project, start }
  })

const finish = (account: AccountId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE site_health_runs SET status = 'cancelled', phase = 'finished', finished_at = clock_timestamp()
      WHERE account_id = ${account} AND finished_at IS NULL`
  )

const age = (account: AccountId, seconds: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE site_health_runs SET created_at = created_at - ${seconds} * interval '1 second'
      WHERE account_id = ${account} AND finished_at IS NULL`
  )

/** Resets the rate limits of all keys. */
const rested = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE api_key_passes SET passes = '{}'`)

describe("starting a crawl", () => {
  it("returns 202 with the queued crawl and the URL to poll", function* () {
    const { key, project, start } = yield* site()
    const reply = yield* start()
    expect(reply.status).toBe(202)
    expect(reply.body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: "site_health",
        project_id: project.id,
        status: "queued",
        phase: "queued",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
        started_at: null,
        finished_at: null,
        counters: null,
        error: null,
        deadline_at: null,
        last_url: null,
        score: null,
        findings: null,
        request: {
          check_dead_links: true,
          check_external_links: false,
          max_pages: 50,
          render: "auto",
          url: "https://example.com/",
          verify: null
        },
        result_available: false
      },
      meta: {}
    })
    const location = reply.headers.get("location") ?? ""
    expect(location).toBe(`/api/v1/runs/${reply.body.data.id}`)
    const polled = yield* Server.send("GET", `${location}?include=result`, { key })
    expect(polled.body).toEqual({ data: reply.body.data })
  })

  it("accepts an absent, an empty and an {} body with the same effect", function* () {
    const { start } = yield* site()
    const first = yield* start()
    for (const body of ["", "{}", {}]) {
      const reply = yield* start(body)
      expect([reply.status, reply.body.data.id]).toEqual([200, first.body.data.id])
    }
  })

  for (const [plan, cap] of [
    ["free", 25],
    ["starter", 50],
    ["growth_pro", 50],
    ["agency_team", 50]
  ] as const) {
    it(`limits the pages to ${cap} on plan ${plan}`, function* () {
      const { account, start } = yield* site(plan)
      for (const [asked, given] of [
        [undefined, cap],
        [50, cap],
        [1, 1]
      ] as const) {
        const reply = yield* start(asked === undefined ? {} : { max_pages: asked })
        expect(reply.body.data.request.max_pages).toBe(given)
        yield* finish(account)
      }
    })
  }

  it("refuses bad fields by name", function* () {
    const { path, key, start } = yield* site()
    const wrong: ReadonlyArray<readonly [body: unknown, path: string]> = [
      [{ max_pages: 0 }, "max_pages"],
      [{ max_pages: 51 }, "max_pages"],
      [{ max_pages: 1.5 }, "max_pages"],
      [{ max_pages: "5" }, "max_pages"],
      [{ max_pages: null }, "max_pages"],
      [{ check_dead_links: "yes" }, "check_dead_links"],
      [{ check_external_links: "yes" }, "check_external_links"],
      [{ check_external_links: null }, "check_external_links"],
      [{ render: "sometimes" }, "render"],
      [{ render: true }, "render"],
      [{ render: null }, "render"],
      [{ url: 5 }, "url"],
      [{ url: "" }, "url"],
      [{ url: "nonsense" }, "url"],
      [{ url: "ftp://example.com/" }, "url"],
      [{ url: "https://user:pass@example.com/" }, "url"],
      [{ url: "https://other.example/" }, "url"],
      [{ url: "https://example.com:8443/" }, "url"],
      [{ url: "https://example.com.evil.example/" }, "url"],
      [{ url: `https://example.com/${"x".repeat(2048)}` }, "url"]
    ]
    for (const [body, field] of wrong) {
      const reply = yield* start(body)
      expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
      expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual([field])
    }
    for (const idempotency of ["short", "x".repeat(201), "with\tcontrol"]) {
      const reply = yield* Server.send("POST", path, { headers: { "idempotency-key": idempotency }, key })
      expect([reply.status, reply.body.error.details[0].path]).toEqual([422, "idempotency-key"])
    }
    expect((yield* Server.send("GET", path, { key })).body.data).toEqual([])
  })

  it("accepts any URL on the site's host, with or without www, and drops the fragment", function* () {
    const { account, start } = yield* site()
    for (const [asked, given] of [
      ["https://www.example.com/a?b=1#c", "https://www.example.com/a?b=1"],
      ["http://EXAMPLE.com", "http://example.com/"]
    ]) {
      expect((yield* start({ url: asked })).body.data.request.url).toBe(given)
      yield* finish(account)
    }
  })
})

describe("a crawl in progress", () => {
  it("is joined by a request with the same options, and not by others", function* () {
    const { start } = yield* site()
    const first = yield* start({ check_external_links: true })
    const same = yield* start({ check_external_links: true })
    expect([same.status, same.body.data.id, same.body.meta]).toEqual([
      200,
      first.body.data.id,
      { joined_in_flight: true }
    ])
    const other = yield* start({})
    expect([other.status, other.body.data.request.check_external_links]).toEqual([202, false])
  })

  it("is joined by a request that renders alike, and by none that renders otherwise", function* () {
    const { start } = yield* site()
    const first = yield* start({})
    const same = yield* start({ render: "auto" })
    expect([same.status, same.body.data.id]).toEqual([200, first.body.data.id])
    const other = yield* start({ render: "never" })
    expect([other.status, other.body.data.request.render]).toEqual([202, "never"])
  })
})

describe("an Idempotency-Key", () => {
  it("used again returns its crawl, in any state", function* () {
    const { account, start } = yield* site()
    const first = yield* start({ max_pages: 5 }, "key-00001")
    yield* finish(account)
    const again = yield* start(
      { check_dead_links: true, check_external_links: false, max_pages: 5, render: "auto" },
      "key-00001"
    )
    expect(again.status).toBe(200)
    expect(again.body.meta).toEqual({ idempotent_replay: true })
    expect(again.body.data).toMatchObject({ id: first.body.data.id, status: "cancelled" })
    expect(again.headers.get("location")).toBe(first.headers.get("location"))
  })

  it("used with a different request is a conflict, also for another site", function* () {
    const { account, key, start } = yield* site()
    yield* start({ max_pages: 5 }, "key-00002")
    const other = yield* Server.projectOf(account, "https://other.example")
    for (const reply of [
      yield* start({ max_pages: 6 }, "key-00002"),
      yield* start({ check_dead_links: false, max_pages: 5 }, "key-00002"),
      yield* start({ check_external_links: true, max_pages: 5 }, "key-00002"),
      yield* start({ max_pages: 5, render: "never" }, "key-00002"),
      yield* Server.send("POST", `/api/v1/projects/${other.id}/site-health/runs`, {
        body: { max_pages: 5 },
        headers: { "idempotency-key": "key-00002" },
        key
      })
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([409, "idempotency_conflict"])
    }
  })

  it("belongs to its account only", function* () {
    const [one, other] = [yield* site(), yield* site()]
    const replies = [yield* one.start({}, "key-00003"), yield* other.start({}, "key-00003")]
    expect(replies.map(({ status }) => status)).toEqual([202, 202])
  })

  it("used 30 times concurrently starts exactly one crawl", function* () {
    const { key, path, start } = yield* site()
    const replies = yield* Effect.all(
      Array.from({ length: 30 }, () => start({}, "key-00004")),
      { concurrency: "unbounded" }
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 29 }, () => 200), 202])
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
    expect((yield* Server.send("GET", path, { key })).body.data).toHaveLength(1)
  })

  it("returns a crawl that its first request joined", function* () {
    const { account, start } = yield* site()
    const first = yield* start({}, "key-00005")
    const joined = yield* start({}, "key-00006")
    expect([joined.status, joined.body.meta]).toEqual([200, { joined_in_flight: true }])
    yield* finish(account)
    const replayed = yield* start({}, "key-00006")
    expect(replayed.body).toMatchObject({ data: { id: first.body.data.id }, meta: { idempotent_replay: true } })
  })
})

describe("quotas", () => {
  for (const [plan, atOnce, hourly] of [
    ["free", 1, 5],
    ["starter", 2, 20],
    ["growth_pro", 2, 20],
    ["agency_team", 2, 20]
  ] as const) {
    it(`are ${atOnce} concurrent crawls and ${hourly} an hour on plan ${plan}`, function* () {
      const { account, start } = yield* site(plan)
      for (let run = 1; run <= atOnce; run++) expect((yield* start({ max_pages: run })).status).toBe(202)
      const busy = yield* start({ max_pages: 20 })
      expect([busy.status, busy.body.error.code]).toEqual([429, "quota_exceeded"])
      expect(busy.headers.get("x-ratelimit-limit")).toBe(String(atOnce))
      expect(busy.headers.get("x-ratelimit-remaining")).toBe("0")
      expect(Number(busy.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      expect(Number(busy.headers.get("retry-after"))).toBeLessThanOrEqual(95)

      // Joining never counts, nor does a refused request.
      expect((yield* start({ max_pages: 1 })).status).toBe(200)
      yield* age(account, 600)
      yield* finish(account)
      for (let run = atOnce; run < hourly; run++) {
        expect((yield* start({ max_pages: (run % 20) + 1 })).status).toBe(202)
        yield* finish(account)
        yield* rested
      }
      const spent = yield* start({ max_pages: 21 })
      expect([spent.status, spent.body.error.code]).toEqual([429, "quota_exceeded"])
      expect(spent.headers.get("x-ratelimit-limit")).toBe(String(hourly))
      const wait = Number(spent.headers.get("retry-after"))
      expect(spent.headers.get("x-ratelimit-reset")).toBe(String(wait))
      expect(wait).toBeGreaterThan(2980)
      expect(wait).toBeLessThanOrEqual(3000)
    })
  }
})

describe("reading crawls", () => {
  it("lists them latest first, each once over all pages", function* () {
    const { account, key, path, start } = yield* site()
    const ids: Array<string> = []
    for (let run = 1; run <= 5; run++) {
      ids.unshift((yield* start({ max_pages: run })).body.data.id)
      yield* finish(account)
    }
    const seen: Array<string> = []
    let next: string | undefined = `${path}?limit=2`
    while (next !== undefined) {
      const reply: Server.Reply = yield* Server.send("GET", next, { key })
      seen.push(...reply.body.data.map(({ id }: { id: string }) => id))
      expect(reply.body.meta.has_next).toBe(reply.body.links.next !== undefined)
      next = reply.body.links.next
    }
    expect(seen).toEqual(ids)
    const first = yield* Server.send("GET", `${path}?limit=2`, { key })
    const elsewhere = yield* site()
    const foreign = yield* Server.send("GET", `${elsewhere.path}?cursor=${first.body.meta.next_cursor}`, {
      key: elsewhere.key
    })
    expect([foreign.status, foreign.body.error.code]).toEqual([422, "invalid_cursor"])
  })

  it("returns nothing as the latest until there is a result", function* () {
    const { key, project, start } = yield* site()
    yield* start()
    const latest = yield* Server.send("GET", `/api/v1/projects/${project.id}/site-health/latest`, { key })
    expect([latest.status, latest.body]).toEqual([200, { data: { has_data: false, result: null, run: null } }])
  })

  it("hides another account's crawls and sites", function* () {
    const mine = yield* site()
    const theirs = yield* site()
    const run = (yield* mine.start()).body.data.id
    for (const [method, path] of [
      ["GET", `/api/v1/runs/${run}`],
      ["POST", `/api/v1/runs/${run}/cancel`],
      ["GET", mine.path],
      ["POST", mine.path],
      ["GET", `/api/v1/projects/${mine.project.id}/site-health/latest`],
      ["GET", `/api/v1/projects/${mine.project.id}`]
    ] as const) {
      const reply = yield* Server.send(method, path, { key: theirs.key })
      expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
    }
  })

  it("validates the input before the ownership", function* () {
    const mine = yield* site()
    const theirs = yield* site()
    const reply = yield* Server.send("POST", mine.path, { body: { max_pages: 0 }, key: theirs.key })
    expect(reply.status).toBe(422)
  })
})

describe("cancelling a crawl", () => {
  it("ends it finally", function* () {
    const { key, start } = yield* site()
    const { id } = (yield* start()).body.data
    const cancelled = yield* Server.send("POST", `/api/v1/runs/${id}/cancel`, { key })
    expect(cancelled.body.data).toMatchObject({ id, phase: "finished", status: "cancelled" })
    expect(cancelled.body.data.finished_at).toBeString()
    const again = yield* Server.send("POST", `/api/v1/runs/${id}/cancel`, { key })
    expect([again.status, again.body.error.code]).toEqual([409, "conflict"])
    const sql = yield* SqlClient.SqlClient
    const { message } = yield* Effect.flip(sql`UPDATE site_health_runs SET phase = 'queued' WHERE id = ${id}`)
    expect(message).toBe("Failed to execute statement")
    const read = yield* Server.send("GET", `/api/v1/runs/${id}?include=result`, { key })
    expect(read.body.data).toMatchObject({ result: null, status: "cancelled" })
  })
})
