import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as cluster from "../cluster.ts"
import { databaseFolder } from "../folder.ts"
import { suite } from "../harness.ts"
import { until } from "../waiting.ts"
import * as Node from "./node.ts"

const it = suite(cluster.layer, { timeout: 60_000 })

/** A site whose second page never responds. */
const site = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) =>
        new URL(url).pathname === "/"
          ? new Response('<html><title>t</title><a href="/hang">h</a></html>', {
              headers: { "content-type": "text/html" }
            })
          : new URL(url).pathname === "/hang"
            ? new Promise<Response>(() => {})
            : new Response("", { status: 404 })
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

describe("servers that share a database", () => {
  it("fail the crawl of a killed worker, return that of a stopped one to the queue, and lose nothing", function* () {
    const { url } = yield* site
    const sql = yield* SqlClient.SqlClient
    const environment = {
      DATABASE_URL: yield* cluster.databaseUrl,
      FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
      FINDABLE_DATA_DIR: yield* databaseFolder,
      FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
    }
    const api = yield* Node.start({ ...environment, FINDABLE_ROLE: "api" })
    const ask = (method: string, path: string, body?: unknown) =>
      Node.ask(`${api.base}/api/v1${path}`, {
        body: body === undefined ? null : JSON.stringify(body),
        headers: { "content-type": "application/json", "x-api-key": api.key ?? "" },
        method
      })
    const { body: project } = yield* ask("POST", "/projects", { url: url.href })
    const runs = `/projects/${project.data.id}/site-health/runs`
    const { body: started } = yield* ask("POST", runs)
    const reached = (status: string) =>
      until(ask("GET", `/runs/${started.data.id}`), ({ body }) => body.data.status === status, "100 millis")

    const stopped = yield* Node.startWorker(environment)
    yield* reached("running")
    stopped.kill("SIGTERM")
    expect(yield* stopped.exited).toBe(0)
    expect((yield* reached("queued")).body.data).toMatchObject({ counters: null, phase: "queued", started_at: null })

    const killed = yield* Node.startWorker(environment)
    yield* reached("running")
    killed.kill("SIGKILL")
    yield* killed.exited
    // The lock of 15 s is made to expire by changing its time.
    yield* sql`UPDATE site_health_runs SET leased_until = leased_until - interval '15 seconds' WHERE status = 'running'`
    yield* Node.startWorker(environment)
    expect((yield* reached("failed")).body.data).toMatchObject({ error: { code: "worker_lost" }, phase: "finished" })
  })
})
