import { describe, expect } from "bun:test"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../src/app/client/Client.ts"

import { effectWithTestClock, suite } from "../../harness.ts"
import * as Server from "../../server.ts"

const it = suite(Server.layerWithWorkers)

const connect = Effect.gen(function* () {
  const { base } = yield* Server.TestServer
  const { key } = yield* Server.customer()
  return yield* Client.make({ baseUrl: base, key })
}).pipe(Effect.provide(FetchHttpClient.layer))

describe("the client", () => {
  it("needs no fields that have defaults, and reports whether a site was created or existed", function* () {
    const client = yield* connect
    const made = yield* client.projects.create({ body: { url: "https://example.com" } })
    const again = yield* client.projects.create({ body: { url: "https://www.example.com" } })
    expect([made.status, made.meta, again.status, again.meta]).toEqual([201, undefined, 200, { existing: true }])
    expect(made.location).toBe(`/api/v1/projects/${made.data.id}`)
    expect(made.requestId).toMatch(/^req_\w{26}$/)

    const path = { project_id: made.data.id }
    const first = yield* client.siteHealth.start({ body: { max_pages: 1 }, idempotencyKey: "first-run-1", path })
    const second = yield* client.siteHealth.start({ body: { max_pages: 1 }, idempotencyKey: "first-run-1", path })
    expect([first.status, second.status, second.meta.idempotent_replay]).toEqual([202, 200, true])
  })

  it("fails with the errors of the contract", function* () {
    const client = yield* connect
    const error = yield* Effect.flip(client.projects.get({ path: { project_id: "a/b" } }))
    expect(error).toMatchObject({ _tag: "ApiError", code: "not_found" })
    const wrong = yield* Effect.flip(client.webhooks.create({ body: { events: [], url: "ftp://x" } }))
    const paths = wrong._tag === "ApiError" ? wrong.details?.map(({ path }) => path) : []
    expect(paths).toEqual(["url", "events"])
    expect(wrong._tag === "ApiError" && wrong.requestId).toMatch(/^req_/)
  })

  it("sends files", function* () {
    const client = yield* connect
    const { data: project } = yield* client.projects.create({ body: { url: "https://example.com" } })
    const file = new TextEncoder().encode("Date,Query,Page,Clicks,Impressions,Position\n2026-11-01,a,/,1,2,3\n")
    const path = { project_id: project.id }
    const taken = yield* client.rankingImports.create({ file, path, query: { format: "gsc-csv" } })
    expect([taken.status, taken.data.format]).toEqual([202, "gsc-csv"])
  })

  it("walks through the pages of a list", function* () {
    const client = yield* connect
    const hosts = ["a.example", "b.example", "c.example", "d.example", "e.example"]
    for (const host of hosts) yield* client.projects.create({ body: { url: `https://${host}` } })
    const all = yield* Stream.runCollect(
      Client.records((start) => client.projects.list({ query: { limit: 2, ...start } }))
    )
    expect(Chunk.toReadonlyArray(all).map(({ host }) => host)).toEqual(hosts)
  })

  it("waits for the end of a crawl", function* () {
    const client = yield* connect
    const site = Bun.serve({
      fetch: () => new Response("<title>one</title>", { headers: { "content-type": "text/html" } }),
      hostname: "127.0.0.1",
      port: 0
    })
    const { data: project } = yield* client.projects.create({ body: { url: site.url.origin } })
    const { data: started } = yield* client.siteHealth.start({ path: { project_id: project.id } })
    const { data: run } = yield* Client.ended(client, started.id)
    yield* Effect.promise(() => site.stop(true))
    expect([run.status, run.result?.pages.length]).toEqual(["completed", 1])
  })
})

/** A server with one scripted response per request. */
const scripted = (answers: ReadonlyArray<Response | "lost">) => {
  let asked = 0
  const client = HttpClient.make((request) => {
    const answer = answers[asked++] ?? "lost"
    return answer === "lost"
      ? new HttpClientError.RequestError({ reason: "Transport", request })
      : Effect.succeed(HttpClientResponse.fromWeb(request, answer))
  })
  const make = Effect.provideService(
    Client.make({ baseUrl: "http://127.0.0.1:2/below/", key: "fnd_test_x", longestWait: "10 seconds" }),
    HttpClient.HttpClient,
    client
  )
  return { asked: () => asked, make }
}

const busy = (seconds: number, status = 429) =>
  Response.json(
    {
      error: {
        code: status === 429 ? "rate_limit_exceeded" : "service_unavailable",
        message: "wait",
        request_id: "req_1"
      }
    },
    { headers: { "retry-after": `${seconds}` }, status }
  )

const list = () =>
  Response.json({ data: [], links: { self: "x" }, meta: { has_next: false, per_page: 20, total_in_batch: 0 } })

describe("the client's retries", () => {
  effectWithTestClock("repeat a read after the time that the server names, and after a lost connection", function* () {
    const { asked, make } = scripted([busy(7), busy(3, 503), "lost", list()])
    const fiber = yield* Effect.fork((yield* make).projects.list())
    for (const [seconds, so] of [
      [6, 1],
      [1, 2],
      [3, 3],
      [2, 4]
    ] as const) {
      yield* TestClock.adjust(`${seconds} seconds`)
      expect(asked()).toBe(so)
    }
    expect((yield* Fiber.join(fiber)).data).toEqual([])
  })

  effectWithTestClock(
    "end after three repeats, and immediately when the server asks for a longer wait than allowed",
    function* () {
      const often = scripted([busy(1), busy(1), busy(1), busy(1), list()])
      const fiber = yield* Effect.fork(Effect.flip((yield* often.make).projects.list()))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(fiber)).toMatchObject({ code: "rate_limit_exceeded", requestId: "req_1", retryAfter: 1 })
      expect(often.asked()).toBe(4)

      const long = scripted([busy(3600), list()])
      expect(yield* Effect.flip((yield* long.make).projects.list())).toMatchObject({ retryAfter: 3600 })
    }
  )

  effectWithTestClock("never repeat a request that would change something twice", function* () {
    const plain = scripted(["lost", list()])
    const create = { body: { url: "https://example.com" } }
    expect(yield* Effect.flip((yield* plain.make).projects.create(create))).toMatchObject({ _tag: "RequestError" })
    const keyed = scripted(["lost", busy(1)])
    const fiber = yield* Effect.fork(
      Effect.flip((yield* keyed.make).projects.create({ ...create, idempotencyKey: "create-it-once" }))
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    expect([plain.asked(), keyed.asked()]).toEqual([1, 4])
  })

  effectWithTestClock("never happen for a response that is not the API's", function* () {
    const proxy = scripted([new Response("<h1>Bad gateway</h1>", { status: 502 })])
    expect(yield* Effect.flip((yield* proxy.make).projects.list())).toMatchObject({ _tag: "ResponseError" })
  })
})
