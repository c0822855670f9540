/**
 * Reads of stored crawls: `bun test/bench/runs.ts [runs] [requests]` (a script, no test). A server crawls a site of 50 pages twice, whole and without its last
 * pages; copies of these two crawls fill 100 sites up to so many crawls (10,000). Then single requests, each of another crawl, read pages, issues, diff, report
 * and fixes, and the reads of the console's first screen follow one another as they do there. Printed are bytes, p50 and p95 in milliseconds.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../src/features/accounts/Accounts.ts"
import { Projects } from "../../src/features/projects/Projects.ts"
import * as cluster from "../cluster.ts"
import { programs, started } from "./http/servers.ts"

const [, , runs = "10000", requests = "300"] = process.argv
const sites = 100
const folder = mkdtempSync(join(tmpdir(), "findable-bench-"))

const at = (times: ReadonlyArray<number>, share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0

const site = async () => {
  const words = [process.execPath, join(import.meta.dir, "crawl/site.ts"), "50", "20000", "100000", "0"]
  const child = Bun.spawn(words, { stderr: "inherit", stdout: "pipe" })
  for await (const chunk of child.stdout) {
    const origin = /answers on (\S+)/.exec(new TextDecoder().decode(chunk))?.[1]
    if (origin !== undefined) return { child, origin }
  }
  throw new Error("The site did not start")
}

const main = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const account = yield* accounts.create("bench", "agency_team")
  const { child, origin } = yield* Effect.promise(site)
  const keys = yield* Effect.forEach(Array.from({ length: 100 }), () =>
    accounts.createKey(account.id, ["*", "site-health:write"], "test")
  )
  const environment = {
    DATABASE_URL: yield* cluster.databaseUrl,
    FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
    FINDABLE_HOST: "127.0.0.1",
    FINDABLE_LOG_LEVEL: "error",
    FINDABLE_PORT: "0"
  }
  const server = yield* Effect.promise(() => started(programs[0], environment, folder))
  let asked = 0
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { "content-type": "application/json", "x-api-key": keys[asked++ % keys.length]?.key ?? "" }
    const response = await fetch(`${server.base}/api/v1${path}`, { headers, ...init })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text.slice(0, 500)}`)
    return text
  }
  const { data: project } = JSON.parse(
    yield* Effect.promise(() => ask("/projects", { body: JSON.stringify({ url: `${origin}/` }), method: "POST" }))
  )
  const crawled = async (pages: number) => {
    const body = JSON.stringify({ max_pages: pages })
    let run = JSON.parse(await ask(`/projects/${project.id}/site-health/runs`, { body, method: "POST" })).data
    while (run.finished_at === null) {
      await Bun.sleep(500)
      run = JSON.parse(await ask(`/runs/${run.id}`)).data
    }
    return String(run.id)
  }
  const whole = yield* Effect.promise(() => crawled(50))
  const part = yield* Effect.promise(() => crawled(46))
  // Copies are final from the start, and share the outcome of their crawl: triggers would compute it anew.
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`INSERT INTO projects (account_id, name, url, host)
        SELECT ${account.id}, 'site ' || n, 'https://' || n || '.example.com/', n || '.example.com' FROM generate_series(2, ${sites}) n`
      const columns = sql.literal(
        "account_id, url, max_pages, check_dead_links, status, phase, started_at, finished_at, counters, result, score, score_version, findings, rules"
      )
      yield* sql`INSERT INTO site_health_runs (project_id, created_at, ${columns})
        SELECT p.id, r.created_at - n * interval '1 hour', ${columns}
        FROM generate_series(1, ${Number(runs) / sites}) n CROSS JOIN (SELECT id FROM projects) p
        JOIN site_health_runs r ON r.id = CASE WHEN n % 2 = 0 THEN ${whole}::uuid ELSE ${part}::uuid END`
    })
  )
  yield* sql`VACUUM ANALYZE site_health_runs`
  const [stored] = yield* sql<{ bytes: string; size: string }>`
    SELECT count(*) || ' crawls' AS bytes, pg_size_pretty(pg_total_relation_size('site_health_runs')) AS size FROM site_health_runs`
  console.log(`${stored?.bytes}, ${stored?.size}`)
  // The first crawl of a site has no earlier one to differ from.
  const ids = (yield* sql<{ id: string }>`
    SELECT id FROM (SELECT id FROM site_health_runs ORDER BY created_at DESC LIMIT ${Number(runs) / 2}) AS later ORDER BY md5(id::text) LIMIT 1000`).map(
    ({ id }) => id
  )
  console.log("| read | bytes | p50 ms | p95 ms |\n|---|---|---|---|")
  const measure = async (name: string, read: (id: string) => Promise<string>) => {
    const times: Array<number> = []
    let bytes = 0
    for (let n = 0; n < Number(requests) + 50; n++) {
      const from = performance.now()
      const text = await read(ids[n % ids.length] ?? whole)
      // The first fifty warm the compilers up.
      if (n >= 50) times.push(performance.now() - from)
      bytes = Math.max(bytes, text.length)
    }
    console.log(`| ${name} | ${bytes} | ${at(times, 0.5).toFixed(1)} | ${at(times, 0.95).toFixed(1)} |`)
  }
  const reads: ReadonlyArray<readonly [string, (id: string) => string]> = [
    ["the crawl", (id) => `/runs/${id}`],
    ["the crawl with its result", (id) => `/runs/${id}?include=result`],
    ["pages, 20", (id) => `/runs/${id}/pages?limit=20`],
    ["pages, 100", (id) => `/runs/${id}/pages?limit=100`],
    ["issues, 20", (id) => `/runs/${id}/findings?limit=20`],
    ["diff", (id) => `/runs/${id}/diff`],
    ["report", (id) => `/runs/${id}/report`],
    ["fixes", (id) => `/runs/${id}/fixes`],
    ["history, 100", () => `/projects/${project.id}/site-health/history?limit=100`],
    ["latest", () => `/projects/${project.id}/site-health/latest`]
  ]
  for (const [name, path] of reads) yield* Effect.promise(() => measure(name, (id) => ask(path(id))))
  yield* Effect.promise(() =>
    measure(`first screen of the console, ${sites} sites`, async () => {
      const [key, list] = await Promise.all([ask("/key"), ask("/projects?include=health&limit=100")])
      return key + list
    })
  )
  server.child.kill()
  child.kill()
}).pipe(Effect.provide(Layer.mergeAll(Accounts.Default, Projects.Default).pipe(Layer.provideMerge(cluster.layer))))

await Effect.runPromise(main).finally(() => rmSync(folder, { recursive: true }))
process.exit(0)
