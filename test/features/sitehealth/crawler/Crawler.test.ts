import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Worker from "../../../../src/features/sitehealth/Worker.ts"
import { Outbound } from "../../../../src/foundation/outbound/Outbound.ts"
import * as OutboundLive from "../../../../src/foundation/outbound/OutboundLive.ts"
import { suite } from "../../../harness.ts"
import * as Server from "../../../server.ts"

const asked: Array<string> = []

/** An embedding program's client: it records the path of each request before the protected client sends it. */
const noting = Layer.effect(
  Outbound,
  Effect.map(Outbound, (outbound) => ({
    ...outbound,
    exchange: (request) =>
      Effect.suspend(() => {
        asked.push(request.url.pathname)
        return outbound.exchange(request)
      })
  }))
).pipe(Layer.provide(OutboundLive.layer))

const it = suite(Server.layerWith({}, noting))

const site = Effect.acquireRelease(
  Effect.sync(() => {
    const served: Array<string> = []
    const server = Bun.serve({
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        served.push(pathname)
        return pathname === "/"
          ? new Response('<title>Shoes</title><a href="/a">a</a><a href="/b">b</a>', {
              headers: { "content-type": "text/html" }
            })
          : new Response("", { status: 404 })
      },
      hostname: "127.0.0.1",
      port: 0
    })
    return { served, server }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

describe("a crawl in a program with its own client", () => {
  it("sends every request through this client", function* () {
    yield* Layer.build(Worker.layer)
    const { served, server } = yield* site
    const { account, key } = yield* Server.customer()
    const project = yield* Server.projectOf(account, server.url.href)
    const started = yield* Server.send("POST", `/api/v1/projects/${project.id}/site-health/runs`, { key })
    const path = `/api/v1/runs/${started.body.data.id}?include=result`
    const run = yield* Server.send("GET", path, { key }).pipe(
      Effect.map(({ body }) => body.data),
      Effect.filterOrFail(({ finished_at }) => finished_at !== null),
      Effect.retry(Schedule.spaced("50 millis"))
    )
    expect(run.result.pages.length).toBe(3)
    expect(served).toContain("/robots.txt")
    expect(asked.toSorted()).toEqual(served.toSorted())
  })
})
