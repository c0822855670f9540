/**
 * Compares our server with others: `bun test/bench/http.ts [rounds] [seconds] [path …]` (a script, no test). Our server, its framework alone, a hand-written
 * server on Bun, and Fastify on Node answer the same paths from the same database; the others use SQL of their own. Each is measured after 20,000 requests,
 * in turns; each round begins with another server, so that none always follows the same one. It prints the medians of the rounds: requests per second with
 * 32 connections, CPU time per request in the server and in PostgreSQL (from the accounting of the processes), p50 and p99, and p50 with one connection,
 * where nothing waits. Our server writes its access log to a file. The last column is the median of the comparisons within each round, because the speed of
 * a machine changes from minute to minute. Paths are `keywords`, `projects`, `runs`, `audits` and `replay`; without a path all are measured. Keywords are
 * read among 400 queries and among 20,000 (for which PostgreSQL chooses another plan), with 400 keys of one account and with 400 keys of 400 accounts, each
 * with its own site. At the end two servers under load share the rate limit of one key: printed are the requests that passed beside those that the database
 * counted, and the most in a second and in a minute.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../src/features/accounts/Accounts.ts"
import { Projects } from "../../src/features/projects/Projects.ts"
import * as cluster from "../cluster.ts"
import { backendsOf, cpuOf, cpuOfEnded } from "./http/cpu.ts"
import { load } from "./http/load.ts"
import { programs, started } from "./http/servers.ts"
import { furnish, pathsOf } from "./http/site.ts"

const [, , rounds = "4", seconds = "2", ...asked] = process.argv
const connections = 32

/** Requests before the measurement, until the runtimes' compilers have nothing left to do. */
const warmth = 20_000

const folder = mkdtempSync(join(tmpdir(), "findable-bench-"))

const at = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const warm = async (base: string, requests: () => string) => {
  for (let sent = 0; sent < warmth; ) {
    sent += (await load(base, { connections, requests, seconds: 1, statuses: [200] })).count
  }
}

/** Measures the paths on a new database, with rankings of a number of queries, and with keys of one account or of several. */
const compared = (queries: number, accounts: 1 | 400, names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const site = yield* furnish(folder, queries, accounts)
    const environment = {
      DATABASE_URL: site.url,
      FINDABLE_HOST: "127.0.0.1",
      FINDABLE_LOG_LEVEL: "info",
      FINDABLE_PORT: "0",
      FINDABLE_ROLE: "api"
    }
    const [first, ...rest] = programs
    const ours = yield* Effect.promise(() => started(first, environment, folder))
    const begin = () =>
      fetch(`${ours.base}/api/v1/projects/${site.project}/site-health/runs`, {
        headers: { "idempotency-key": "benchmark-1", "x-api-key": site.keys[0] ?? "" },
        method: "POST"
      }).then((response) => response.text())
    const run: string = JSON.parse(yield* Effect.promise(begin)).data.id
    const paths = pathsOf(site, run)
    const others = yield* Effect.forEach(rest, (program) =>
      Effect.promise(() => started(program, { ...environment, BENCH_PATHS: JSON.stringify(paths) }, folder))
    )
    const servers = [ours, ...others]

    const [backend] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
    const postmaster = Number(readFileSync(`/proc/${backend?.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
    const databaseCpu = () =>
      backendsOf(postmaster).reduce((sum, pid) => sum + cpuOf(pid), cpuOf(postmaster) + cpuOfEnded(postmaster))
    const asking = (path: string, { extra = "", keys = site.keys, method = "GET" } = {}) => {
      let next = 0
      return () =>
        `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${keys[next++ % keys.length]}\r\n${extra}\r\n`
    }

    const reads = paths.map((path) => ({
      name: path.split("/")[3] ?? "",
      requests: asking(path),
      servers
    }))
    const replay = {
      name: "replay",
      requests: asking(`/api/v1/projects/${site.project}/site-health/runs`, {
        extra: "Idempotency-Key: benchmark-1\r\nContent-Length: 0\r\n",
        method: "POST"
      }),
      servers: [ours]
    }
    const forget = Effect.zipRight(
      sql`UPDATE api_key_passes SET passes = '{}'`,
      sql`UPDATE peer_keys SET count = 0, before = 0`
    )

    const measure = ({ base, child }: typeof ours, requests: () => string) =>
      Effect.gen(function* () {
        yield* forget
        const before = { js: cpuOf(child.pid), pg: databaseCpu() }
        const { count, times } = yield* Effect.promise(() =>
          load(base, { connections, requests, seconds: Number(seconds), statuses: [200] })
        )
        const js = (cpuOf(child.pid) - before.js) / count
        const pg = (databaseCpu() - before.pg) / count
        yield* forget
        const alone = yield* Effect.promise(() => load(base, { connections: 1, requests, seconds: 1, statuses: [200] }))
        const rate = count / Number(seconds)
        return { alone: at(alone.times, 0.5), js, p50: at(times, 0.5), p99: at(times, 0.99), pg, rate }
      })

    for (const { name, requests, servers } of [...reads, replay]) {
      if (!names.includes(name)) continue
      for (const { base } of servers) {
        yield* forget
        yield* Effect.promise(() => warm(base, requests))
      }
      const measured = servers.map((server) => ({
        server,
        all: [] as Effect.Effect.Success<ReturnType<typeof measure>>[]
      }))
      for (let round = 0; round < Number(rounds); round++) {
        for (const turn of measured.keys()) {
          const { all, server } = measured[(round + turn) % measured.length] ?? measured[0] ?? { all: [], server: ours }
          all.push(yield* measure(server, requests))
        }
      }
      const rows = measured.map(({ all, server }) => ({
        name: server.name,
        of: (key: keyof (typeof all)[number]) =>
          at(
            all.map((one) => one[key]),
            0.5
          )
      }))
      const yardstick = measured.find(({ server }) => server.name === "bun + pg")
      for (const [which, row] of rows.entries()) {
        const shares = yardstick?.all.map(({ rate }, round) => (measured[which]?.all[round]?.rate ?? 0) / rate)
        const share = shares === undefined ? "" : at(shares, 0.5).toFixed(2)
        console.log(
          `| ${name} | ${queries} | ${accounts} | ${row.name} | ${row.of("rate").toFixed(0)} | ${row.of("js").toFixed(0)} | ${row.of("pg").toFixed(0)} | ${row.of("p50").toFixed(1)} | ${row.of("p99").toFixed(1)} | ${row.of("alone").toFixed(2)} | ${share} |`
        )
      }
    }
    if (queries === 400 && accounts === 1 && names.includes("keywords")) {
      const second = yield* Effect.promise(() => started(first, environment, folder))
      const [mine = "", ...others] = site.keys
      const reading = (keys: typeof site.keys) => asking("/api/v1/keywords", { keys })
      yield* forget
      const all = [ours, second].flatMap(({ base }) => [
        load(base, { connections: 12, requests: reading(others), seconds: 20, statuses: [200] }),
        load(base, { connections: 4, requests: reading([mine]), seconds: 20, statuses: [200, 429] })
      ])
      const [, one, , two] = yield* Effect.promise(() => Promise.all(all))
      const hash = new Bun.CryptoHasher("sha256").update(mine).digest()
      const rows = yield* sql<{ at: number }>`
        SELECT extract(epoch FROM unnest(passes))::float8 AS at FROM api_key_passes JOIN api_keys ON id = key_id WHERE hash = ${hash}`
      const within = (seconds: number) =>
        Math.max(...rows.map(({ at: from }) => rows.filter(({ at }) => at >= from && at < from + seconds).length))
      console.log(
        `one key over two nodes under load: ${(one?.count ?? 0) + (two?.count ?? 0)} requests, ${(one?.passed ?? 0) + (two?.passed ?? 0)} answered 200, ${rows.length} counted, at most ${within(1)} in a second and ${within(60)} in a minute`
      )
      second.child.kill()
    }
    for (const { child } of servers) child.kill()
  }).pipe(Effect.provide(Layer.mergeAll(Accounts.Default, Projects.Default).pipe(Layer.provideMerge(cluster.layer))))

const all = ["keywords", "projects", "runs", "audits", "replay"].filter(
  (name) => asked.length === 0 || asked.includes(name)
)

const main = Effect.gen(function* () {
  console.log(
    "| path | queries | accounts | server | req/s | CPU µs | PostgreSQL µs | p50 ms | p99 ms | alone p50 ms | / bun + pg |"
  )
  console.log("|---|---|---|---|---|---|---|---|---|---|---|")
  yield* compared(400, 1, all)
  if (!all.includes("keywords")) return
  yield* compared(20_000, 1, ["keywords"])
  yield* compared(400, 400, ["keywords"])
  yield* compared(20_000, 400, ["keywords"])
})

await Effect.runPromise(main).finally(() => rmSync(folder, { recursive: true }))
process.exit(0)
