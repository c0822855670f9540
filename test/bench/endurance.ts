/**
 * The memory of a server over many requests: `bun test/bench/endurance.ts [requests]` (a script, no test; a million requests take about a quarter of an
 * hour). 32 connections read keywords, projects, a run and an audit in turns. After each twentieth of the requests it prints the resident memory in MB
 * and the requests per second.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Accounts } from "../../src/features/accounts/Accounts.ts"
import { Projects } from "../../src/features/projects/Projects.ts"
import * as cluster from "../cluster.ts"
import { load } from "./http/load.ts"
import { programs, started } from "./http/servers.ts"
import { furnish, pathsOf } from "./http/site.ts"

const requests = Number(process.argv[2] ?? 1_000_000)
const folder = mkdtempSync(join(tmpdir(), "findable-bench-"))

const residentOf = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000)

const main = Effect.gen(function* () {
  const site = yield* furnish(folder, 400, 1)
  const node = yield* Effect.promise(() =>
    started(
      programs[0],
      {
        DATABASE_URL: site.url,
        FINDABLE_HOST: "127.0.0.1",
        FINDABLE_LOG_LEVEL: "error",
        FINDABLE_PORT: "0",
        FINDABLE_ROLE: "api"
      },
      folder
    )
  )
  const headers = { "idempotency-key": "benchmark-1", "x-api-key": site.keys[0] ?? "" }
  const begun = yield* Effect.promise(() =>
    fetch(`${node.base}/api/v1/projects/${site.project}/site-health/runs`, { headers, method: "POST" }).then(
      (response) => response.text()
    )
  )
  const paths = pathsOf(site, JSON.parse(begun).data.id)
  let next = 0
  const asking = () => {
    const turn = next++
    return `GET ${paths[turn % paths.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${site.keys[turn % site.keys.length]}\r\n\r\n`
  }
  console.log(`0 requests, ${residentOf(node.child.pid)} MB`)
  for (let sent = 0; sent < requests; ) {
    const [from, began] = [sent, performance.now()]
    while (sent < requests && sent - from < requests / 20) {
      const options = { connections: 32, requests: asking, seconds: 1, statuses: [200] }
      sent += (yield* Effect.promise(() => load(node.base, options))).count
    }
    const rate = ((sent - from) / (performance.now() - began)) * 1000
    console.log(`${sent} requests, ${residentOf(node.child.pid)} MB, ${Math.round(rate)} a second`)
  }
  node.child.kill()
}).pipe(Effect.provide(Layer.mergeAll(Accounts.Default, Projects.Default).pipe(Layer.provideMerge(cluster.layer))))

await Effect.runPromise(main).finally(() => rmSync(folder, { recursive: true }))
process.exit(0)
