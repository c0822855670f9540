/**
 * Requests beside other servers: `bun test/bench/http.ts [rounds] [seconds]` (a script, no test). Ours, the framework alone, a hand-written server
 * on Bun, and Fastify on Node answer the same paths from the same database with the same statements, in turns within one run, each after 6,000
 * requests. Printed are
 * the medians of the rounds: requests per second with 32 connections, CPU per request in the server and in PostgreSQL from the processes' own
 * accounting, p50 and p99, and p50 with one connection, where nothing waits.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../src/accounts/Accounts.ts"
import { Projects } from "../../src/projects/Projects.ts"
import * as Cluster from "../cluster.ts"
import { backendsOf, cpuOf, cpuOfEnded } from "./http/cpu.ts"
import { load } from "./http/load.ts"

const rounds = Number(process.argv[2] ?? 3)
const seconds = Number(process.argv[3] ?? 4)
const connections = 32
const keyCount = 400

/** Requests before anything is measured: so many it takes until the compilers of the runtimes have nothing left to do. */
const warmth = 6000

const root = resolve(import.meta.dir, "../..")
const folder = mkdtempSync(join(tmpdir(), "findable-bench-"))

interface Program {
  readonly name: string
  readonly words: ReadonlyArray<string>
}

const programs: ReadonlyArray<Program> = [
  { name: "ours", words: [process.execPath, "src/main.ts"] },
  { name: "framework alone", words: [process.execPath, "test/bench/http/framework.ts"] },
  { name: "bun + pg", words: [process.execPath, "test/bench/http/bun.ts"] },
  { name: "fastify + pg", words: ["node", "test/bench/http/fastify.mjs"] }
]

const started = async ({ words }: Program, environment: Record<string, string>) => {
  const child = Bun.spawn([...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stderr: "inherit",
    stdout: "pipe"
  })
  let output = ""
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    const base = /answers on (http:\S+)/.exec(output)?.[1]
    if (base !== undefined) return { base, child }
  }
  throw new Error(`${words.join(" ")} ended: ${output}`)
}

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const at = (times: ReadonlyArray<number>, share: number) => times[Math.floor(times.length * share)] ?? 0

const warm = async (base: string, requests: () => string) => {
  for (let sent = 0; sent < warmth; ) {
    sent += (await load(base, { connections, requests, seconds: 1, statuses: [200] })).count
  }
}

/** Runs a command of ours and answers its JSON. */
const cli = async (url: string, ...words: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, "src/cli.ts", ...words, "--json"], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, FINDABLE_LOG_LEVEL: "error" },
    stderr: "inherit",
    stdout: "pipe"
  })
  return JSON.parse(await new Response(child.stdout).text())
}

/** Three weeks of 400 queries. */
const rankings = () => {
  const lines = ["Date,Query,Page,Clicks,Impressions,Position"]
  for (let day = 1; day <= 21; day++) {
    for (let query = 0; query < 400; query++) {
      lines.push(
        `2026-10-${String(day).padStart(2, "0")},words of query ${query},https://example.com/page/${query % 50},${query % 7},${10 + ((query * 7919) % 500)},${1 + ((query + day) % 40)}`
      )
    }
  }
  return lines.join("\n")
}

const furnish = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const projects = yield* Projects
  const url = yield* Cluster.databaseUrl
  const account = yield* accounts.create("bench", "agency_team")
  const keys = yield* Effect.replicateEffect(
    accounts.createKey(account.id, ["*", "site-health:write"], "test"),
    keyCount
  )
  yield* sql`INSERT INTO projects (account_id, name, url, host)
    SELECT ${account.id}, 'p' || n, 'https://' || n || '.example.com/', n || '.example.com' FROM generate_series(1, 40) n`
  const project = yield* projects.create(account.id, { url: "https://example.com" })
  const file = join(folder, "rankings.csv")
  writeFileSync(file, rankings())
  yield* Effect.promise(() => cli(url, "rankings", "import", "--project", project.id, "--format", "gsc-csv", file))
  const report = resolve(root, "../shared/oracles/lighthouse/lhr-13.5.0-local.json")
  const audit = yield* Effect.promise(() =>
    cli(url, "audits", "import", "--account", account.id, "--lighthouse", report)
  )
  return { account: account.id, audit: String(audit.id), keys: keys.map(({ key }) => key), project: project.id, url }
})

/** The statement that our server answers a path with, caught on its way to the database. */
const caught = (read: Effect.Effect<unknown, unknown, never>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const texts: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const capture = Statement.withTransformer((original) => {
      texts.push(original.compile())
      return Effect.succeed(original)
    })
    yield* Effect.exit(capture(read).pipe(Effect.provideService(SqlClient.SqlClient, sql)))
    return texts.at(-1) ?? ["", []]
  })

const main = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const site = yield* furnish
  const environment = {
    DATABASE_URL: site.url,
    FINDABLE_HOST: "127.0.0.1",
    FINDABLE_LOG_LEVEL: "error",
    FINDABLE_PORT: "0",
    FINDABLE_ROLE: "api"
  }
  const { AuditsRepo } = yield* Effect.promise(() => import("../../src/audits/AuditsRepo.ts"))
  const { AuditId } = yield* Effect.promise(() => import("../../src/audits/AuditId.ts"))
  const { Keywords } = yield* Effect.promise(() => import("../../src/rankings/keywords/Keywords.ts"))
  const { RunId } = yield* Effect.promise(() => import("../../src/sitehealth/Domain.ts"))
  const { RunsRepo } = yield* Effect.promise(() => import("../../src/sitehealth/RunsRepo.ts"))
  const projects = yield* Projects

  const ours = yield* Effect.promise(() => started(programs[0] ?? { name: "", words: [] }, environment))
  const begin = () =>
    fetch(`${ours.base}/api/v1/projects/${site.project}/site-health/runs`, {
      headers: { "idempotency-key": "benchmark-1", "x-api-key": site.keys[0] ?? "" },
      method: "POST"
    }).then((response) => response.text())
  const run: string = JSON.parse(yield* Effect.promise(begin)).data.id
  const batch = { after: undefined, count: 21 }
  const services = Layer.mergeAll(AuditsRepo.Default, Keywords.Default, RunsRepo.Default).pipe(
    Layer.provide(Layer.succeed(SqlClient.SqlClient, sql))
  )
  const found = yield* Effect.provide(
    Effect.gen(function* () {
      const keywords = yield* Keywords
      const audits = yield* AuditsRepo
      const runs = yield* RunsRepo
      return {
        "/api/v1/keywords": yield* caught(keywords.list(site.account, {}, batch)),
        "/api/v1/projects": yield* caught(projects.list(site.account, batch)),
        [`/api/v1/runs/${run}`]: yield* caught(runs.find({ account: site.account, id: RunId.make(run) })),
        [`/api/v1/audits/${site.audit}`]: yield* caught(
          audits.find({ account: site.account, id: AuditId.make(site.audit) })
        )
      }
    }),
    services
  )
  const statements = Object.fromEntries(
    Object.entries(found).map(([path, [text, values]], index) => [
      path,
      { list: index < 2, name: `s${index}`, text, values }
    ])
  )
  const others = yield* Effect.forEach(programs.slice(1), (program) =>
    Effect.promise(() => started(program, { ...environment, BENCH_STATEMENTS: JSON.stringify(statements) }))
  )
  const servers = [ours, ...others].map((server, index) => ({ ...server, name: programs[index]?.name ?? "" }))

  const [backend] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
  const postmaster = Number(readFileSync(`/proc/${backend?.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
  const databaseCpu = () =>
    backendsOf(postmaster).reduce((sum, pid) => sum + cpuOf(pid), cpuOf(postmaster) + cpuOfEnded(postmaster))
  let next = 0
  const asking =
    (path: string, extra = "", method = "GET") =>
    () =>
      `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${site.keys[next++ % keyCount]}\r\n${extra}\r\n`

  const paths = Object.keys(statements).map((path) => ({
    everywhere: true,
    name: path.split("/")[3] ?? "",
    requests: asking(path)
  }))
  const replay = asking(
    `/api/v1/projects/${site.project}/site-health/runs`,
    "Idempotency-Key: benchmark-1\r\nContent-Length: 0\r\n",
    "POST"
  )
  const kinds = [...paths, { everywhere: false, name: "replay of a start", requests: replay }]
  const rest = sql`DELETE FROM api_key_passes`
  console.log("| path | server | req/s | CPU µs | PostgreSQL µs | p50 ms | p99 ms | alone p50 ms | / bun + pg |")
  console.log("|---|---|---|---|---|---|---|---|---|")
  for (const { everywhere, name, requests } of kinds) {
    const measured = new Map<
      string,
      Array<{ rate: number; js: number; pg: number; p50: number; p99: number; alone: number }>
    >()
    for (const server of everywhere ? servers : servers.slice(0, 1)) {
      yield* rest
      yield* Effect.promise(() => warm(server.base, requests))
    }
    for (let round = 0; round < rounds; round++) {
      for (const server of everywhere ? servers : servers.slice(0, 1)) {
        yield* rest
        const before = { js: cpuOf(server.child.pid), pg: databaseCpu() }
        const { count, times } = yield* Effect.promise(() =>
          load(server.base, { connections, requests, seconds, statuses: [200] })
        )
        const after = { js: cpuOf(server.child.pid), pg: databaseCpu() }
        yield* rest
        const alone = yield* Effect.promise(() =>
          load(server.base, { connections: 1, requests, seconds: 1, statuses: [200] })
        )
        const all = measured.get(server.name) ?? []
        all.push({
          alone: at(alone.times, 0.5),
          js: (after.js - before.js) / count,
          p50: at(times, 0.5),
          p99: at(times, 0.99),
          pg: (after.pg - before.pg) / count,
          rate: count / seconds
        })
        measured.set(server.name, all)
      }
    }
    const rate = (of: string) => median((measured.get(of) ?? []).map((one) => one.rate))
    for (const [server, all] of measured) {
      const of = (key: "rate" | "js" | "pg" | "p50" | "p99" | "alone") => median(all.map((one) => one[key]))
      console.log(
        `| ${name} | ${server} | ${of("rate").toFixed(0)} | ${of("js").toFixed(0)} | ${of("pg").toFixed(0)} | ${of("p50").toFixed(1)} | ${of("p99").toFixed(1)} | ${of("alone").toFixed(2)} | ${everywhere ? (of("rate") / rate("bun + pg")).toFixed(2) : ""} |`
      )
    }
  }
  for (const { child } of servers) child.kill()
}).pipe(Effect.provide(Layer.mergeAll(Accounts.Default, Projects.Default).pipe(Layer.provideMerge(Cluster.layer))))

await Effect.runPromise(main).finally(() => rmSync(folder, { recursive: true }))
await Cluster.stopCluster()
process.exit(0)
