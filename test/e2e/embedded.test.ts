import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { filled, keyed } from "../app/server/endpoints.ts"
import { acceptableBody, acceptableQuery } from "../app/server/things.ts"
import * as Cli from "../cli.ts"
import { databaseFolder } from "../folder.ts"
import { it } from "../harness.ts"
import { until } from "../waiting.ts"
import * as Node from "./node.ts"

const slow = 60_000

/** A data directory; processes in it are ended with the scope. */
const directory = Effect.tap(databaseFolder, (path) =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      const pid = postmaster(path)
      if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGQUIT")
    })
  )
)

const postmaster = (path: string): number | undefined => {
  try {
    return Number(readFileSync(join(path, "postgres/data/postmaster.pid"), "utf8").split("\n")[0])
  } catch {
    return undefined
  }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const projects = (node: Node.Node, key: string, more: Record<string, string> = {}) =>
  Node.ask(`${node.base}/api/v1/projects`, { headers: { authorization: `Bearer ${key}`, ...more } })

/** The last line of a server that cannot start. */
const hinders = (environment: Record<string, string>) =>
  Effect.map(Effect.flip(Node.start(environment)), ({ code, output }) => {
    expect(code).toBe(1)
    return output.trim().split("\n").at(-1)
  })

interface Span {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue?: string } }>
}

/** A collector that keeps the spans sent by servers. */
const collector = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const spans: Array<Span> = []
      const server = Bun.serve({
        fetch: async (request) => {
          const { resourceSpans = [] } = Object(await request.json())
          for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
          return Response.json({})
        },
        hostname: "127.0.0.1",
        port: 0
      })
      return { server, spans }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  ),
  ({ server, spans }) => ({ told: () => spans.splice(0), url: server.url.href })
)

describe("a server with the embedded database", () => {
  it(
    "prints a key on its first start only, stops cleanly on SIGTERM, finds its data again, and sends traces to a collector",
    function* () {
      const path = yield* directory
      const { told, url } = yield* collector
      const environment = { FINDABLE_DATA_DIR: path, FINDABLE_OTLP_URL: url }
      const first = yield* Node.start(environment)
      const key = first.key ?? ""
      expect((yield* projects(first, key)).status).toBe(200)
      expect((yield* Node.ask(`${first.base}/readyz`)).status).toBe(200)
      first.kill("SIGTERM")
      expect(yield* first.exited).toBe(0)
      expect(postmaster(path)).toBeUndefined()
      const spans = told()
      const begun = spans.flatMap(({ name, parentSpanId }) => (parentSpanId === undefined ? [name] : []))
      expect(begun.filter((name) => name.startsWith("http."))).toEqual(["http.server GET"])
      const request = spans.find(({ name }) => name === "http.server GET")
      const route = request?.attributes.find(({ key }) => key === "http.route")
      expect(route?.value.stringValue).toBe("/api/v1/projects")
      // The list, and the check of the key, which may share a statement with other requests.
      const within = spans.flatMap(({ name, traceId }) => (traceId === request?.traceId ? [name] : []))
      expect(within.filter((name) => name === "sql.execute")).toHaveLength(1)
      expect(within).toContain("RateLimitRepo.pass")
      // Its workers have polled their queues, which is no trace.
      expect(begun.filter((name) => name.startsWith("sql."))).toEqual([])

      const second = yield* Node.start({ ...environment, FINDABLE_TRACE_RATIO: "0" })
      expect(second.key).toBeUndefined()
      expect((yield* projects(second, key)).status).toBe(200)
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const asked = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
      expect((yield* projects(second, key, asked)).status).toBe(200)
      second.kill("SIGINT")
      expect(yield* second.exited).toBe(0)
      expect([...new Set(told().map((span) => span.traceId))]).toEqual([traceId])
    },
    slow
  )

  it(
    "keeps its secrets: PostgreSQL's processes get none of its settings, and the first key is written to the named file",
    function* () {
      const parent = yield* directory
      const path = join(parent, "data")
      const keyFile = join(parent, "first.key")
      const node = yield* Node.start({
        FINDABLE_DATA_DIR: path,
        FINDABLE_FIRST_KEY_FILE: keyFile,
        FINDABLE_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
        FINDABLE_PSI_KEY: "not-for-others"
      })
      expect(node.key).toBeUndefined()
      expect(statSync(keyFile).mode & 0o777).toBe(0o600)
      expect((yield* projects(node, readFileSync(keyFile, "utf8").trim())).status).toBe(200)
      expect(statSync(path).mode & 0o7).toBe(0)
      if (process.platform === "linux") {
        const environment = readFileSync(`/proc/${postmaster(path)}/environ`, "utf8")
        expect(environment).toContain("PATH=")
        expect(environment).not.toMatch(/FINDABLE_|not-for-others/)
      }
      node.kill("SIGTERM")
      expect(yield* node.exited).toBe(0)
      expect(readdirSync(path)).not.toContain("master.key")
    },
    slow
  )

  it(
    "uses a postmaster that outlived a killed server, and shares it with a second server, the CLI, and a server whose port is taken",
    function* () {
      const path = yield* directory
      const environment = { FINDABLE_DATA_DIR: path }
      const first = yield* Node.start(environment)
      const key = first.key ?? ""
      const pid = postmaster(path) ?? 0
      first.kill("SIGKILL")
      yield* first.exited
      expect(postmaster(path)).toBe(pid)

      const [second, third] = yield* Effect.all([Node.start(environment), Node.start(environment)], {
        concurrency: 2
      })
      expect(postmaster(path)).toBe(pid)
      const [listed, taken] = yield* Effect.all(
        [
          Cli.run(environment, "accounts", "list", "--json"),
          hinders({ ...environment, FINDABLE_PORT: new URL(second.base).port })
        ],
        { concurrency: 2 }
      )
      expect(JSON.parse(listed.stdout)).toHaveLength(1)
      expect(taken).toMatch(/^findable: Cannot listen on 127\.0\.0\.1:\d+.*FINDABLE_PORT/)
      expect(postmaster(path)).toBe(pid)
      second.kill("SIGTERM")
      expect(yield* second.exited).toBe(0)
      expect(postmaster(path)).toBe(pid)
      expect((yield* projects(third, key)).status).toBe(200)
      third.kill("SIGTERM")
      expect(yield* third.exited).toBe(0)
      expect(postmaster(path)).toBeUndefined()
    },
    slow
  )

  it(
    "returns 503 during a database outage, and recovers by itself",
    function* () {
      const path = yield* directory
      const environment = { FINDABLE_DATA_DIR: path }
      const node = yield* Node.start(environment)
      const key = node.key ?? ""
      // Without this file PostgreSQL cannot be started again.
      const control = join(path, "postgres/data/global/pg_control")
      renameSync(control, `${control}.away`)
      process.kill(postmaster(path) ?? 0, "SIGQUIT")
      const away = yield* until(projects(node, key), ({ status }) => status !== 200, "100 millis")
      expect(away).toMatchObject({ body: { error: { code: "service_unavailable" } }, status: 503 })
      expect(Number(away.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      for (const endpoint of keyed) {
        const path = `${filled(endpoint, crypto.randomUUID())}${acceptableQuery(endpoint)}`
        const body = acceptableBody(endpoint)
        const reply = yield* Node.ask(`${node.base}${path}`, {
          body: body === undefined ? null : JSON.stringify(body),
          headers: { "content-type": "application/json", "x-api-key": key },
          method: endpoint.method
        })
        expect([endpoint.title, reply.status, reply.body.error.code]).toEqual([
          endpoint.title,
          503,
          "service_unavailable"
        ])
        expect(reply.headers.get("x-request-id")).toBe(reply.body.error.request_id)
      }
      expect((yield* Node.ask(`${node.base}/healthz`)).status).toBe(200)
      expect((yield* Node.ask(`${node.base}/readyz`)).status).toBe(503)

      renameSync(`${control}.away`, control)
      expect((yield* until(projects(node, key), ({ status }) => status === 200, "100 millis")).status).toBe(200)
      expect((yield* Node.ask(`${node.base}/readyz`)).status).toBe(200)
      node.kill("SIGTERM")
      expect(yield* node.exited).toBe(0)
    },
    slow
  )

  it(
    "says in one sentence why it cannot start",
    function* () {
      const port = hinders({ FINDABLE_PORT: "many" })
      const away = hinders({ DATABASE_URL: "postgresql://nobody@127.0.0.1:2/none" })
      expect(yield* Effect.all([port, away], { concurrency: 2 })).toEqual([
        expect.stringMatching(/^ {2}FINDABLE_PORT: Expected an integer/),
        expect.stringMatching(/^findable: No connection to the PostgreSQL server of DATABASE_URL/)
      ])
    },
    slow
  )
})
