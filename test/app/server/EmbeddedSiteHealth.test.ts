import { describe, expect } from "bun:test"
import * as HttpApp from "@effect/platform/HttpApp"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Workers from "../../../src/app/node/Workers.ts"
import * as Embedded from "../../../src/app/server/Embedded.ts"
import { Accounts } from "../../../src/features/accounts/Accounts.ts"
import * as EmbedderAuth from "../../../src/features/accounts/EmbedderAuth.ts"
import { Feeds } from "../../../src/features/events/Feeds.ts"
import * as OutboundLive from "../../../src/foundation/outbound/OutboundLive.ts"
import * as cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"
import { settings } from "../../server.ts"

const it = suite(
  Layer.merge(Accounts.Default, Feeds.Default).pipe(
    Layer.provideMerge(OutboundLive.layer),
    Layer.provideMerge(cluster.layer),
    Layer.provideMerge(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))))
  )
)

/** A program that mounts site health alone below `/health`, for one account. */
const program = Effect.gen(function* () {
  const { id: account } = yield* (yield* Accounts).findOrCreate("embedder", "agency_team")
  const known = EmbedderAuth.layer(() => Effect.succeed({ account, scopes: ["*", "site-health:write"] }))
  const api = yield* Effect.provide(Embedded.siteHealth({ prefix: "/health" }), known)
  const handle = HttpApp.toWebHandler(api)
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await handle(
        new Request(`https://agency.example/health${path}`, {
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          headers: { "content-type": "application/json", host: "agency.example" },
          method
        })
      )
      return { body: JSON.parse(await response.text()), status: response.status }
    })
  return { account, ask }
})

const site = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      fetch: () => new Response("<title>one</title>", { headers: { "content-type": "text/html" } }),
      hostname: "127.0.0.1",
      port: 0
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

describe("site health alone inside another program", () => {
  it("crawls a site to its result and its events, over HTTP and in process", function* () {
    yield* Layer.build(Workers.siteHealth)
    const { account, ask } = yield* program
    const { url } = yield* site
    const feeds = yield* Feeds
    const events = yield* Queue.unbounded<{ readonly account: string; readonly type: string }>()
    yield* Effect.forkScoped(feeds.follow("the program", (event) => Queue.offer(events, event), { from: "oldest" }))

    const made = yield* ask("POST", "/api/v1/projects", { url: url.origin })
    const started = yield* ask("POST", `/api/v1/projects/${made.body.data.id}/site-health/runs`)
    expect([made.status, started.status]).toEqual([201, 202])
    const run = yield* ask("GET", `/api/v1/runs/${started.body.data.id}?include=result`).pipe(
      Effect.map(({ body }) => body.data),
      Effect.filterOrFail(({ finished_at }) => finished_at !== null),
      Effect.retry(Schedule.spaced("50 millis"))
    )
    expect([run.status, run.result.pages.length]).toEqual(["completed", 1])
    const told = [yield* Queue.take(events), yield* Queue.take(events)]
    expect(told.map(({ account, type }) => [account, type]).sort()).toEqual([
      [account, "audit.completed"],
      [account, "site_health.completed"]
    ])
    expect((yield* ask("GET", `/api/v1/runs/${run.id}/findings`)).status).toBe(200)
    expect((yield* ask("GET", "/api/v1/rules")).status).toBe(200)
  })

  it("has no routes and no document of other features", function* () {
    const { ask } = yield* program
    for (const path of ["keywords", "audits", "webhooks", "events", "experiments", "keys"])
      expect((yield* ask("GET", `/api/v1/${path}`)).body.error.code).toBe("not_found")
    const { body } = yield* ask("GET", "/api/v1/openapi.json")
    expect(body.servers).toEqual([{ description: "This server", url: "/health" }])
    const others = Object.keys(body.paths).filter((path) => !/projects|runs|rules|z$|metrics|openapi/.test(path))
    expect(others).toEqual([])
    expect(body.webhooks).toBeUndefined()
    expect(Object.keys(body.components.schemas)).not.toContain("KeywordRanking")
    expect(Object.keys(body.components.schemas)).toContain("SiteHealthRun")
    const used = new Set(JSON.stringify(body).match(/#\/components\/schemas\/\w+/g))
    expect(used.size).toBe(Object.keys(body.components.schemas).length)
  })
})
