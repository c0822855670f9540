/**
 * `bun test/bench/webhooks.ts [case…]`: compares deliveries with a hand-written sender (`webhooks/sender.ts`: same bodies, HMAC, `fetch` with keep-alive, one
 * durable write for each delivery), in turns, on an embedded PostgreSQL with the settings that a server uses. Cases: burst1, burst20, steady20, steady200,
 * slow (an endpoint that takes 100 ms), workers (1, 2 and 4 processes). CPU time comes from the accounting of the processes themselves.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Installation from "./webhooks/installation.ts"

const { directory, environment, run, sql } = Installation
await run(
  sql.unsafe(`CREATE TABLE bare_deliveries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, url text, secret text,
  body text, state text DEFAULT 'due', status int, finished_at timestamptz); CREATE INDEX ON bare_deliveries (id) WHERE state = 'due'`)
)

const start = async (program: string, ready: RegExp, more: Record<string, string>) => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program)], {
    env: { ...environment, FINDABLE_LOG_LEVEL: "error", ...more },
    stderr: "inherit",
    stdout: "pipe"
  })
  let output = ""
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    const found = ready.exec(output)
    const stop = () => {
      child.kill()
      return child.exited
    }
    if (found !== null) return { child, stop, what: found[1] ?? "" }
  }
  throw new Error(`${program} ended: ${output}`)
}

/** CPU milliseconds of a process so far; of one that ended nothing. */
const cpuOf = (pid: number) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
const postmaster = Number(readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0])
/** All of PostgreSQL: its processes, and those that ended, which are counted by their parent. */
const cpuOfPostgres = () => {
  const ended = readFileSync(`/proc/${postmaster}/stat`, "utf8").replace(/.*\) /, "").split(" ")
  const alive = readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && Bun.file(`/proc/${name}/stat`) && parentOf(name) === postmaster
  )
  return (Number(ended[13]) + Number(ended[14])) * 10 + alive.reduce((sum, pid) => sum + cpuOf(Number(pid)), 0)
}
const parentOf = (pid: string) => {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ")[1])
  } catch {
    return 0
  }
}

const account = await Installation.account("bench")
const data = { padding: "x".repeat(600) }

/** Hands events to the hand-written sender: a row for each of the addresses. */
let made = 0
const publishBare = async (count: number, urls: ReadonlyArray<string>) => {
  const bodies = Array.from({ length: count }, () => Installation.bodyOf(`evt_${made++}`, data))
  await run(sql`
    WITH made AS (INSERT INTO bare_deliveries (url, secret, body)
      SELECT url, ${"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, body
      FROM unnest(${urls}::text[]) AS url, unnest(${bodies}::text[]) AS body RETURNING 1)
    SELECT pg_notify('bare', '') FROM made LIMIT 1`)
}

interface Load {
  readonly events: number
  readonly webhooks: number
  /** Events per second; without it all events are published immediately. */
  readonly rate?: number
  readonly delay?: number
  readonly workers?: number
}

const measure = async (sender: "ours" | "bare", load: Load) => {
  const { delay = 0, events, rate, webhooks, workers = 1 } = load
  const target = await start("webhooks/receiver.ts", /receives on (\S+)/, { DELAY: `${delay}` })
  const urls = Array.from({ length: webhooks }, (_, index) => `${target.what}/${index}`)
  await run(sql`DELETE FROM webhooks`)
  if (sender === "ours") {
    for (const address of urls) await Installation.subscribe(account, address)
  }
  const publish = (count: number) =>
    sender === "ours" ? Installation.publish(account, count, data) : publishBare(count, urls)
  const processes = await Promise.all(
    Array.from({ length: workers }, () =>
      sender === "ours"
        ? start("../../src/main.ts", /(works)/, { FINDABLE_ROLE: "worker" })
        : start("webhooks/sender.ts", /(sends)/, {})
    )
  )
  const statistics = async () =>
    (await (await fetch(target.what)).json()) as Record<
      "first" | "last" | "p50" | "p99" | "received" | "repeated",
      number
    >
  const settled = async (count: number) => {
    while ((await statistics()).received < count) await Bun.sleep(20)
  }
  // The runtime compiles what both senders do often, so they do it before the measurement.
  const warm = Math.ceil(2000 / webhooks)
  for (let left = warm; left > 0; left -= 500) await publish(Math.min(500, left))
  await settled(warm * webhooks)
  await Bun.sleep(1000)
  await fetch(target.what, { method: "DELETE" })
  const cpu = () => ({ js: processes.reduce((sum, { child }) => sum + cpuOf(child.pid), 0), pg: cpuOfPostgres() })
  const before = cpu()
  const began = Date.now()
  if (rate === undefined) {
    for (let left = events; left > 0; left -= 500) await publish(Math.min(500, left))
  } else {
    for (let index = 0; index < events; index++) {
      const wait = began + (index * 1000) / rate - Date.now()
      if (wait > 0) await Bun.sleep(wait)
      void publish(1)
    }
  }
  await settled(events * webhooks)
  await Bun.sleep(300)
  const after = cpu()
  const { last, p50, p99, repeated } = await statistics()
  const deliveries = events * webhooks
  await Promise.all([...processes, target].map(({ stop }) => stop()))
  return {
    p50,
    p99,
    perSecond: Math.round((deliveries * 1000) / (last - began)),
    "js ms": Number(((after.js - before.js) / deliveries).toFixed(2)),
    "pg ms": Number(((after.pg - before.pg) / deliveries).toFixed(2)),
    repeated
  }
}

const cases: Readonly<Record<string, ReadonlyArray<Load>>> = {
  burst1: [{ events: 12_000, webhooks: 1 }],
  burst20: [{ events: 250, webhooks: 20 }],
  steady20: [{ events: 200, rate: 20, webhooks: 1 }],
  steady200: [{ events: 2000, rate: 200, webhooks: 1 }],
  slow: [{ delay: 100, events: 1500, webhooks: 1 }],
  workers: [1, 2, 4].map((workers) => ({ events: 4000, webhooks: 1, workers }))
}

const chosen = process.argv.slice(2)
for (const [name, loads] of Object.entries(cases)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const load of loads) {
    const bare = await measure("bare", load)
    const ours = await measure("ours", load)
    console.log(
      `\n${name} ${JSON.stringify(load)}: throughput ${(ours.perSecond / bare.perSecond).toFixed(2)} of the hand-written sender's`
    )
    console.table({ bare, ours })
  }
}
await Installation.remove()
process.exit(0)
