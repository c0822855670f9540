// `bun test/bench/http.ts`: requests per second of GET /api/v1/projects (20 rows), beside a bare server that sends the same rows without keys, limits,
// ids or validation. Both run as processes of their own on the embedded PostgreSQL, in turns, so that a noisy machine disturbs both alike.
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { Accounts } from "../../src/accounts/Accounts.ts"
import * as Cluster from "../cluster.ts"

const connections = 32
const seconds = 4
const rounds = 3
const keyCount = 400

const answering = async (program: string, environment: Record<string, string>) => {
  const child = Bun.spawn([process.execPath, program], {
    env: { ...process.env, ...environment, FINDABLE_HOST: "127.0.0.1", FINDABLE_PORT: "0" },
    stderr: "ignore",
    stdout: "pipe"
  })
  let output = ""
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    const base = /answers on (http:\S+)/.exec(output)?.[1]
    if (base !== undefined) return { base, child }
  }
  throw new Error(`${program} ended: ${output}`)
}

const load = async (url: string, keys: ReadonlyArray<string>) => {
  const until = performance.now() + seconds * 1000
  let next = 0
  const times: Array<number> = []
  const client = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const response = await fetch(url, { headers: { "x-api-key": keys[next++ % keys.length] ?? "" } })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
  times.sort((a, b) => a - b)
  return { p95: times[Math.floor(times.length * 0.95)] ?? 0, rate: times.length / seconds }
}

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const account = yield* accounts.create("bench", "agency_team")
  const keys = yield* Effect.replicateEffect(accounts.createKey(account.id, ["projects:read"], "test"), keyCount)
  yield* sql`INSERT INTO projects (account_id, name, url, host) SELECT ${account.id}, 'p' || n, 'https://example.com/', 'example.com' FROM generate_series(1, 40) n`
  const environment = { BENCH_ACCOUNT: account.id, DATABASE_URL: yield* Cluster.databaseUrl, FINDABLE_ROLE: "api" }
  const forget = Effect.asVoid(sql`DELETE FROM api_key_passes`)
  const measure = async (rested: () => Promise<void>) => {
    const ours = await answering("src/main.ts", environment)
    const bare = await answering("test/bench/baseline.ts", environment)
    const texts = keys.map(({ key }) => key)
    for (let round = 1; round <= rounds; round++) {
      const a = await load(`${ours.base}/api/v1/projects`, texts)
      const b = await load(bare.base, texts)
      console.log(
        `round ${round}: ours ${a.rate.toFixed(0)}/s, p95 ${a.p95.toFixed(1)} ms; bare ${b.rate.toFixed(0)}/s, p95 ${b.p95.toFixed(1)} ms; ratio ${(b.rate / a.rate).toFixed(2)}`
      )
      await rested()
    }
    ours.child.kill()
    bare.child.kill()
  }
  const runtime = yield* Effect.runtime()
  yield* Effect.promise(() => measure(() => Runtime.runPromise(runtime)(forget.pipe(Effect.orDie))))
}).pipe(Effect.provide(Accounts.Default.pipe(Layer.provideMerge(Cluster.layer))))

await Effect.runPromise(program)
await Cluster.stopCluster()
