import { describe, expect, test } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Worker from "../../../src/features/sitehealth/Worker.ts"
import { suite } from "../../harness.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import * as Crawled from "./crawled.ts"

const it = suite(promptly(Server.layer))

const page = (body: string) =>
  new Response(`<!doctype html><html lang="en"><head><title>A page</title></head><body>${body}</body></html>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

/** A small site; `/hang` never responds, `hanging` is the number of requests waiting for it, `agents` the user agents. */
const serve = (front: string) =>
  Effect.gen(function* () {
    const waiting = new Set<Request>()
    const agents = new Set<string | null>()
    const hang = (request: Request) => {
      waiting.add(request)
      request.signal.addEventListener("abort", () => waiting.delete(request))
      return new Promise<Response>(() => {})
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: (request) => {
            const { pathname } = new URL(request.url)
            agents.add(request.headers.get("user-agent"))
            if (pathname === "/") return page(front)
            if (pathname === "/hang") return hang(request)
            return pathname.startsWith("/ok") ? page("Fine.") : new Response("Gone", { status: 404 })
          }
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    return { agents, hanging: Effect.sync(() => waiting.size), url: server.url.href }
  })

/** Starts the crawl of a new customer's site. */
const started = (front: string, body: unknown = {}) =>
  Effect.gen(function* () {
    const { agents, hanging, url } = yield* serve(front)
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account, url)
    const reply = yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { body, key })
    const run = `/api/v1/runs/${reply.body.data.id}`
    const poll = Effect.map(Server.send("GET", `${run}?include=result`, { key }), ({ body }) => body.data)
    const until = (status: string) =>
      poll.pipe(
        Effect.filterOrFail(
          (data) => data.status === status,
          (data) => `still ${data.status}`
        ),
        Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("50 seconds"))),
        Effect.orDie
      )
    return { account, agents, hanging, key, poll, project, run, until, url }
  })

/** A worker that ends with the scope, gracefully. */
const worker = Layer.build(Worker.layer)

describe("a crawl that runs into the limit of its time", () => {
  test.each([
    ["preparing", "fetching robots.txt, the start page and sitemaps"],
    ["crawling", "crawling pages"],
    ["analysing", "analyzing the crawled pages"]
  ] as const)("says that it was still %s", (phase, words) => {
    expect(Worker.late({ phase })).toEqual({
      code: "crawl_failed",
      message: `The crawl did not finish within 95 seconds: it was still ${words}. Start a new crawl.`
    })
  })
})

describe("a crawl worker", () => {
  it("runs a queued crawl and stores its result", function* () {
    const { key, project, until, url } = yield* started('<a href="/ok">ok</a> <a href="/dead">dead</a>')
    yield* worker
    const run = yield* until("completed")
    expect(run).toMatchObject({
      counters: { pages_discovered: 3 },
      error: null,
      phase: "finished",
      result_available: true
    })
    expect(run.result.summary).toMatchObject({
      complete: true,
      termination: "complete",
      dead_links: {
        found: 1,
        items: [{ anchor_text: "dead", http_status: 404, linked_from: [url], url: `${url}dead` }],
        state: "complete"
      }
    })
    expect(run.result.score.has_data).toBe(true)
    const { result, ...rest } = run
    const latest = yield* Server.send("GET", `/api/v1/projects/${project.id}/site-health/latest`, { key })
    expect(latest.body.data).toEqual({ has_data: true, result, run: rest })
  })

  it("sends the URL of the page about the crawler to crawled sites", function* () {
    const { agents, until } = yield* started("Home")
    const settings = {
      ...Server.settings,
      FINDABLE_CRAWLER_URL: "https://agency.example/bot",
      PATH: process.env.PATH ?? ""
    }
    yield* Effect.withConfigProvider(worker, ConfigProvider.fromMap(new Map(Object.entries(settings))))
    const run = yield* until("completed")
    const agent = "Mozilla/5.0 (compatible; FindableBot/1.0; +https://agency.example/bot)"
    expect(run.result.summary.crawl.user_agent).toBe(agent)
    expect([...agents]).toEqual([agent])
  })

  it("ends a crawl at its page limit as partial", function* () {
    const { until } = yield* started('<a href="/ok1">1</a> <a href="/ok2">2</a>', { max_pages: 1 })
    yield* worker
    const run = yield* until("partial")
    expect(run.result.summary).toMatchObject({ complete: false, termination: "max-pages" })
  })

  it("ends a crawl of an unreachable site as failed", function* () {
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account, "http://127.0.0.1:2/")
    const reply = yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
    yield* worker
    const read = yield* Server.send("GET", `/api/v1/runs/${reply.body.data.id}?include=result`, { key }).pipe(
      Effect.filterOrFail(({ body }) => body.data.status === "failed"),
      Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo("50 seconds"))),
      Effect.orDie
    )
    expect(read.body.data).toMatchObject({
      error: { code: "start_unreachable" },
      result: null,
      result_available: false
    })
  })

  it("returns its crawl to the queue when it stops, and another worker finishes it", function* () {
    const { poll, until } = yield* started('<a href="/hang">waits</a>')
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Worker.layer, scope)
    yield* until("running")
    yield* Scope.close(scope, Exit.void)
    expect(yield* poll).toMatchObject({ counters: null, phase: "queued", started_at: null, status: "queued" })
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE site_health_runs SET url = url || 'ok' WHERE status = 'queued'`
    yield* worker
    yield* until("completed")
  })

  it("is missed by others when it died, and its crawl fails with worker_lost", function* () {
    const { until } = yield* started("<p>never crawled</p>")
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE site_health_runs SET status = 'running', phase = 'crawling', started_at = now(),
      attempts = 1, lease = gen_random_uuid(), leased_until = now() - interval '1 second' WHERE status = 'queued'`
    yield* worker
    const run = yield* until("failed")
    expect(run).toMatchObject({ error: { code: "worker_lost" }, phase: "finished", result: null })
  })

  it("stops a cancelled crawl, and stores nothing", function* () {
    const { hanging, key, poll, run } = yield* started('<a href="/hang">waits</a>')
    const become = (count: number) =>
      Effect.repeat(Effect.zipLeft(hanging, Effect.sleep("10 millis")), { until: (now) => now === count })
    yield* worker
    yield* become(1)
    expect((yield* Server.send("POST", `${run}/cancel`, { key })).status).toBe(200)
    // The worker abandons the page that it waits for, long before the page's own timeout.
    yield* Effect.timeout(become(0), "50 seconds")
    expect(yield* poll).toMatchObject({ result: null, status: "cancelled" })
  })

  it("shares the queue with others, and each crawl runs once", function* () {
    const runs = yield* Effect.replicateEffect(started('<a href="/ok">ok</a>'), 6)
    yield* Effect.replicateEffect(Layer.build(Crawled.worker), 3)
    const ended = yield* Effect.forEach(runs, ({ until }) => until("completed"), { concurrency: "unbounded" })
    expect(ended).toHaveLength(6)
  })
})
