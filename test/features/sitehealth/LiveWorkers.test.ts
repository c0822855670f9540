import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Run } from "../../../src/features/sitehealth/Domain.ts"
import { LiveWorkersRepo, present } from "../../../src/features/sitehealth/LiveWorkers.ts"
import * as Schedules from "../../../src/features/sitehealth/schedules/Schedules.ts"
import { QueueRepo } from "../../../src/features/sitehealth/Worker.ts"
import { call } from "../../app/mcp/wire.ts"
import { suite } from "../../harness.ts"
import { promptly } from "../../promptly.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

const it = suite(Layer.provideMerge(Layer.merge(LiveWorkersRepo.Default, QueueRepo.Default), promptly(Server.layer)))

const site = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account, `https://${crypto.randomUUID()}.example/`)
  const path = `/api/v1/projects/${id}/site-health`
  const send = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
    Server.send(method, `${path}${to}`, { body, headers, key })
  return { account, id, key, send }
})

/** A worker that ends with the scope. */
const worker = (browser: string | null) =>
  present({ browser, problem: browser === null ? "No browser found." : null }, () => Effect.succeed("Chromium 156.0"))

const shell = "/usr/bin/chromium-headless-shell"

/** The answer to a request that renders always while no live worker has a browser. */
const refused = {
  body: {
    error: {
      code: "validation_error",
      details: [{ message: expect.stringContaining("apt-get install chromium-headless-shell"), path: "render" }]
    }
  },
  status: 422
}

describe("a crawl that renders always", () => {
  it("needs a live worker with a browser, and is refused with what to install", function* () {
    const { send } = yield* site
    const sql = yield* SqlClient.SqlClient
    const start = send("POST", "/runs", { render: "always" })
    const schedule = send("POST", "/schedules", { every: "1d", render: "always" })
    for (const request of [start, schedule]) expect(yield* request).toMatchObject(refused)
    yield* worker(null)
    expect(yield* start).toMatchObject(refused)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* worker(shell)
        expect(yield* start).toMatchObject({ body: { data: { request: { render: "always" } } }, status: 202 })
        expect(yield* schedule).toMatchObject({ body: { data: { render: "always" } }, status: 201 })
        yield* sql`UPDATE site_health_workers SET leased_until = clock_timestamp() - interval '1 second' WHERE browser IS NOT NULL`
        expect(yield* schedule).toMatchObject(refused)
        // Its lease was renewed before the clock was set back.
        yield* sql`UPDATE site_health_workers SET leased_until = clock_timestamp() + interval '1 hour' WHERE browser IS NOT NULL`
        expect(yield* schedule).toMatchObject(refused)
      })
    )
    // The crawl in progress is joined without a further look.
    expect((yield* start).status).toBe(200)
  })

  it("is refused by the tool of agents in the same words, which starts crawls that render otherwise", function* () {
    const { id, key, send } = yield* site
    const start = (render: object) => call(key, "start_run", { site: id, wait_seconds: 0, ...render })
    const { answer, isError } = yield* start({ render: "always" })
    expect([isError, answer.code, answer.details]).toEqual([true, "validation_error", refused.body.error.details])
    yield* start({ render: "never" })
    yield* start({})
    const { body } = yield* send("GET", "/runs")
    expect(body.data.map(({ request }: Run) => request.render)).toEqual(["auto", "never"])
  })

  it("is replayed by its Idempotency-Key when no worker has a browser any more", function* () {
    const { send } = yield* site
    const start = send("POST", "/runs", { render: "always" }, { "idempotency-key": "rendered-1" })
    const first = yield* Effect.scoped(Effect.zipRight(worker(shell), start))
    expect(first.status).toBe(202)
    const again = yield* start
    expect([again.status, again.body.data.id]).toEqual([200, first.body.data.id])
  })

  it("is skipped by its schedule when no worker has a browser any more, and the schedule can be changed all the same", function* () {
    const { send } = yield* site
    const made = yield* Effect.scoped(
      Effect.zipRight(worker(shell), send("POST", "/schedules", { every: "1d", render: "always" }))
    )
    const path = `/schedules/${made.body.data.id}`
    expect((yield* send("PATCH", path, { every: "2d" })).body.data).toMatchObject({ every: "2d", render: "always" })
    expect(yield* send("PATCH", path, { render: "always" })).toMatchObject(refused)
    expect(yield* send("PATCH", path, { render: "sometimes" })).toMatchObject({ status: 422 })
    yield* Layer.build(Schedules.workerLayer)
    const { body } = yield* until(send("GET", path), ({ body }) => body.data.last_skipped !== null, "100 millis")
    expect(body.data.last_skipped.reason).toContain("No running worker has a browser")
    expect((yield* send("PATCH", path, { render: "never" })).body.data.render).toBe("never")
  })
})

describe("a worker without a browser", () => {
  it("leaves what may render to live workers that have one", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DELETE FROM site_health_runs`
    const { queues } = yield* QueueRepo
    const { send } = yield* site
    const { body: rendering } = yield* send("POST", "/runs", {})
    const { body: plain } = yield* send("POST", "/runs", { render: "never" })
    const claimed = Effect.map(queues.plain.claim, Option.getOrNull)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* worker(shell)
        expect(yield* claimed).toMatchObject({ id: plain.data.id, request: { render: "never" } })
        expect(yield* claimed).toBeNull()
      })
    )
    expect(yield* claimed).toMatchObject({ id: rendering.data.id, request: { render: "auto" } })
  })

  it("leaves nothing behind when it ends", function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = sql`SELECT id FROM site_health_workers`
    yield* Effect.scoped(
      Effect.tap(
        worker(null),
        Effect.map(ids, (rows) => expect(rows.length).toBe(1))
      )
    )
    expect(yield* ids).toEqual([])
  })
})
