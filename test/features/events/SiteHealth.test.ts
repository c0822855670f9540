import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Payload } from "../../../src/features/webhooks/Catalogue.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { layer, subscriber } from "../webhooks/pipeline.ts"
import { receiver } from "../webhooks/receiver.ts"

const it = suite(layer)

/** The event that an endpoint receives after a crawl of this site. */
const heard = (site: string, body: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const target = yield* receiver()
    const { account, key } = yield* subscriber(target.url, ["audit.completed", "audit.failed"])
    const { id: project } = yield* Server.projectOf(account, site)
    const started = yield* Server.send("POST", `/api/v1/projects/${project}/site-health/runs`, { body, key })
    expect(started.status).toBe(202)
    const [received] = yield* target.arrived(1)
    yield* Schema.decodeUnknown(Schema.parseJson(Payload), { onExcessProperty: "error" })(received?.body)
    const run = yield* Server.send("GET", `/api/v1/runs/${started.body.data.id}?include=result`, { key })
    const subject = { id: started.body.data.id, project_id: project, subject: "site_health_run", url: `${site}/` }
    return { payload: JSON.parse(received?.body ?? ""), run: run.body.data, subject, target }
  })

const page = (title: string, links: string) =>
  new Response(`<html><head><title>${title}</title></head><body><h1>${title}</h1>${links}</body></html>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

/** A site of two pages and a broken link. */
const site = Effect.map(
  receiver(({ path }) => {
    if (path === "/") return page("Home", '<a href="/about">About</a><a href="/gone">Gone</a>')
    return path === "/about" ? page("About", '<a href="/">Home</a>') : new Response("no", { status: 404 })
  }),
  ({ url }) => new URL(url).origin
)

describe("the end of a crawl", () => {
  it("is the event audit.completed if it succeeded, with its outcome", function* () {
    const { payload, run, subject, target } = yield* heard(yield* site)
    expect(payload.type).toBe("audit.completed")
    expect(payload.data).toEqual({
      ...subject,
      outcome: {
        status: "completed",
        termination: "complete",
        aggregate_score: run.result.score.aggregate_score,
        findings: run.findings,
        pages_fetched: run.result.summary.pages.fetched,
        pages_failed: run.result.summary.pages.failed,
        dead_links_found: run.result.summary.dead_links.found,
        changes: null
      }
    })
    expect(payload.data.outcome.dead_links_found).toBe(1)
    expect(target.received).toHaveLength(1)
  })

  it("is the event audit.completed for a part of the site too, with null for unchecked broken links", function* () {
    const { payload } = yield* heard(yield* site, { check_dead_links: false, max_pages: 1 })
    expect(payload).toMatchObject({
      type: "audit.completed",
      data: { outcome: { dead_links_found: null, status: "partial", termination: "max-pages" } }
    })
  })

  it("is the event audit.failed if it failed, with its error", function* () {
    const gone = yield* Effect.scoped(site)
    const { payload, run, subject } = yield* heard(gone)
    expect(payload).toMatchObject({
      type: "audit.failed",
      data: { ...subject, outcome: { error: run.error, status: "failed" } }
    })
    expect(run.error.code).toBe("start_unreachable")
  })
})
