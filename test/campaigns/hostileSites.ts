import { readFileSync } from "node:fs"
import { join } from "node:path"
import { insider } from "./attackers.ts"
import { node, until } from "./node.ts"
import { postgres } from "./postgres.ts"
import { longestTurn, telling, toldBy, turnsSince } from "./turns.ts"

/** The reads of a finished crawl by its owner. */
const reads = ["", "/pages", "/findings", "/fixes", "/report"]

const percentile = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0

const peakOf = (pid: number) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/**
 * `hostile-sites [name]`: a server of role `all` crawls the costliest sites that its limits allow, four at a time, and answers requests for their runs.
 * No turn of its event loop may take 100 ms of CPU time, and 99 in 100 requests to `/healthz` must be answered within 250 ms meanwhile.
 */
export const hostileSites = async ([only = ""]: ReadonlyArray<string>) => {
  const database = await postgres()
  const serving = await node({
    ...telling,
    DATABASE_URL: database.url(),
    FINDABLE_RUNS_AT_ONCE: "4"
  })
  const sites = Bun.spawn([process.execPath, join(import.meta.dir, "hostile/sites.ts")], { stdout: "pipe" })
  process.on("exit", () => sites.kill("SIGKILL"))
  const { value } = await sites.stdout.getReader().read()
  const addresses = Object.entries<string>(JSON.parse(new TextDecoder().decode(value))).filter(([name]) =>
    name.includes(only)
  )

  const health: Array<number> = []
  let asking = true
  const asked = (async () => {
    while (asking) {
      const { seconds, status } = await serving.ask("GET", "/healthz")
      health.push(status === 200 ? seconds * 1000 : Number.POSITIVE_INFINITY)
      await Bun.sleep(10)
    }
  })()

  const wrong: Array<string> = []
  let queue = [...addresses]
  const told = toldBy(serving)
  const one = async (name: string, url: string) => {
    const { key } = await insider(database)
    const turns: Array<string> = []
    const timed = async <A>(what: string, does: () => Promise<A>) => {
      const began = toldBy(serving)
      const done = await does()
      turns.push(`${what} ${longestTurn(serving, began)}`)
      return done
    }
    const { body } = await serving.ask("POST", "/api/v1/projects", { body: { url }, key })
    const runs = `/api/v1/projects/${body.data.id}/site-health/runs`
    const crawl = async (what: string, max_pages: number) => {
      const run = await serving.ask("POST", runs, { body: { max_pages }, key })
      const path = `/api/v1/runs/${run.body.data.id}`
      const look = async () => (await serving.ask("GET", path, { key })).body.data
      const waited = await timed(what, () =>
        until(async () => (await look()).finished_at !== null, 240, 250).catch(() => -1)
      )
      return { ended: await look(), path, waited }
    }
    let bytes = 0
    const statuses = new Set<number>()
    const read = async (path: string, what: string) => {
      const answer = await timed(what === "" ? "run" : what, () => serving.ask("GET", `${path}${what}`, { key }))
      bytes = Math.max(bytes, JSON.stringify(answer.body ?? null).length)
      statuses.add(answer.status)
    }
    const { ended, path, waited } = await crawl("crawl", 50)
    for (const what of reads) await read(path, what)
    const again = await crawl("a second crawl", 3)
    await read(again.path, "/diff")
    console.log(
      `${name}: ${ended.error?.code ?? ended.status} after ${waited.toFixed(0)} s, answers ${[...statuses]} of ${(bytes / 1e6).toFixed(1)} MB at most; busy for ms at most, in its time: ${turns.join(", ")}`
    )
    if (ended.finished_at === null || [...statuses].some((status) => status >= 500)) wrong.push(name)
  }
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await one(...next)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  queue = []
  asking = false
  await asked
  health.sort((a, b) => a - b)
  const all = turnsSince(serving, told).toSorted((a, b) => b - a)
  const p99 = percentile(health, 0.99)
  console.log(
    `${addresses.length} sites: the event loop was busy for ${all[0] ?? 20} ms of CPU at most, ${all.filter((millis) => millis >= 100).length} times for 100 ms and more (${all.slice(0, 8)}); ${health.length} requests to /healthz: p50 ${percentile(health, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, at most ${health.at(-1)?.toFixed(0)} ms; the node's memory reached ${peakOf(serving.child.pid).toFixed(0)} MiB; ${wrong.length} wrong ${wrong}`
  )
  const code = await serving.end("SIGTERM")
  sites.kill()
  await database.remove()
  return wrong.length === 0 && code === 0 && (all[0] ?? 0) < 100 && p99 < 250
}
