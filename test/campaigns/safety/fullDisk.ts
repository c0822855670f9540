import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { insider } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { type Node, node, until } from "../node.ts"
import { postgres } from "../postgres.ts"
import { leased } from "./leased.ts"
import { everything, others } from "./others.ts"

/** Seconds without room: longer than any bounded wait. */
const seconds = 90

/** Seconds until all work is done once there is room. */
const patience = 150

type OnClose = (end: () => unknown) => void

const run = (...words: ReadonlyArray<string>) => {
  const { exitCode, stderr } = Bun.spawnSync([...words])
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`)
}

const folder = (onClose: OnClose) => {
  const at = mkdtempSync(join(tmpdir(), "findable-disk-"))
  onClose(() => rmSync(at, { force: true, recursive: true }))
  return at
}

/** A small disk: `fill` takes all room, and whatever becomes free, until `free`. Mounting needs root. */
const smallDisk = (megabytes: number, onClose: OnClose) => {
  const at = folder(onClose)
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", at)
  onClose(() => run("umount", "-l", at))
  const ballast = join(at, "ballast")
  const block = Buffer.alloc(65_536)
  let file = 0
  let filling: ReturnType<typeof setInterval> | undefined
  const more = () => {
    for (const size of [block.length, 4096])
      try {
        while (writeSync(file, block, 0, size) === size);
      } catch {
        // There is no room for this many bytes.
      }
  }
  return {
    at,
    fill: () => {
      file = openSync(ballast, "a")
      more()
      filling = setInterval(more, 100)
    },
    free: () => {
      clearInterval(filling)
      closeSync(file)
      unlinkSync(ballast)
    }
  }
}
type Disk = ReturnType<typeof smallDisk>

/** The database of a campaign, with the functions that create keys. */
type Served = { readonly database: Parameters<typeof insider>[0]; readonly on: Node }

/** PostgreSQL's data on the disk, and its write-ahead log elsewhere: it continues, and refuses statements. */
const dataOn = async (disk: Disk, environment: Record<string, string>, onClose: OnClose): Promise<Served> => {
  const database = await postgres({ directory: join(disk.at, "pg") })
  onClose(database.remove)
  const home = folder(onClose)
  run("chmod", "777", home)
  await database.stop()
  run("mv", join(disk.at, "pg/data/pg_wal"), join(home, "wal"))
  symlinkSync(join(home, "wal"), join(disk.at, "pg/data/pg_wal"))
  await database.start()
  return { database, on: await node({ DATABASE_URL: database.url(), ...environment }) }
}

/** The server's own PostgreSQL with its write-ahead log on the disk: it stops when it cannot write. */
const logOn = async (disk: Disk, environment: Record<string, string>, onClose: OnClose): Promise<Served> => {
  const home = folder(onClose)
  run("chmod", "755", home)
  const directory = join(home, "findable")
  const lock = join(directory, "postgres/data/postmaster.pid")
  onClose(() => process.kill(Number(readFileSync(lock, "utf8").split("\n")[0]), "SIGQUIT"))
  const settings = { FINDABLE_DATA_DIR: directory, ...environment }
  const first = await node(settings)
  await first.end("SIGTERM")
  run("mv", join(directory, "postgres/data/pg_wal"), join(disk.at, "wal"))
  symlinkSync(join(disk.at, "wal"), join(directory, "postgres/data/pg_wal"))
  const on = await node(settings)
  const query = async (text: string, values: ReadonlyArray<unknown> = []) => {
    const client = new Client({ database: "findable", host: join(directory, "postgres/socket"), user: "findable" })
    await client.connect()
    try {
      return (await client.query(text, [...values])).rows
    } finally {
      await client.end()
    }
  }
  return { database: { query }, on }
}

const reads = ["/projects", "/webhooks", "/keywords", "/key", "/events", "/audits"]

/** Sends all kinds of requests for some time; returns the number of each status, and the forbidden responses. */
const pestering = async (on: Node, key: string, project: string, milliseconds: number) => {
  const counts: Record<string, number> = {}
  const odd: Array<string> = []
  const writes = [
    ["/projects", { url: "https://other.example" }],
    [`/projects/${project}/site-health/runs`, { max_pages: 3 }],
    ["/webhooks", { events: ["audit.completed"], url: "https://receiver.example/hook" }],
    [`/projects/${project}/inspections`, { urls: ["https://other.example/"] }],
    [`/projects/${project}/geo/prompts`, { text: "What?" }],
    ["/keys", { name: "one", scopes: ["projects:read"] }]
  ] as const
  const upload = async () => {
    const response = await fetch(`${on.base}/api/v1/projects/${project}/rankings/imports?format=gsc-csv`, {
      body: `Date,Query,Page,Clicks,Impressions,Position\n${"2026-11-01,a,/a,1,2,3\n".repeat(5000)}`,
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    return { body: Object(await response.json()), status: response.status }
  }
  const began = performance.now()
  for (let n = 0; performance.now() - began < milliseconds; n++) {
    const [to, body] = writes[n % writes.length] ?? writes[0]
    const answers = [
      await on.ask("GET", `/api/v1${reads[n % reads.length]}`, { key }),
      await on.ask("POST", `/api/v1${to}`, { body, key }),
      await upload().catch((error) => ({ body: String(error), status: 0 })),
      await on.ask("GET", "/healthz")
    ]
    for (const { body, status } of answers) {
      const what = status < 400 ? String(status) : `${status} ${body?.error?.code}`
      counts[what] = (counts[what] ?? 0) + 1
      const leaks = status >= 400 && /base\/|pg_|could not|PANIC|node_modules/.test(JSON.stringify(body))
      if (status === 500 || status === 0 || leaks || (status >= 400 && body?.error?.request_id === undefined))
        odd.push(`${status} ${JSON.stringify(body)}`)
    }
    await Bun.sleep(500)
  }
  return { counts, odd }
}

/** Fills a disk during every kind of locked work. */
const filled = async (
  what: string,
  disk: Disk,
  serve: (disk: Disk, environment: Record<string, string>, onClose: OnClose) => Promise<Served>,
  onClose: OnClose
): Promise<ReadonlyArray<Law>> => {
  const systems = await others(onClose)
  const { database, on } = await serve(disk, { ...systems.settings, FINDABLE_LOG_LEVEL: "info" }, onClose)
  onClose(() => on.end("SIGKILL"))
  const { key } = await insider(database, everything)
  const work = await leased(on, key, systems)
  systems.gate.close()
  await work.begin()
  await until(() => systems.gate.held() >= 20, 30).catch(() => 0)
  disk.fill()
  await Bun.sleep(1000)
  systems.gate.open()
  const { counts, odd } = await pestering(on, key, work.project, seconds * 1000)
  disk.free()
  const freed = performance.now()
  const answers = async () => (await on.ask("GET", "/api/v1/projects", { key })).status === 200
  const back = await until(answers, patience).catch(() => Number.POSITIVE_INFINITY)
  const laws = await work.laws(patience)
  if (process.env.CAMPAIGN_LOG !== undefined) console.log(on.output())
  return [
    {
      found: odd.slice(0, 3).join("; ") || JSON.stringify(counts),
      holds: odd.length === 0,
      law: "every answer is in the envelope and says nothing of the server, and none is 500"
    },
    { found: `after ${back.toFixed(1)} s`, holds: back <= 30, law: "requests are answered again once there is room" },
    {
      found: `${((performance.now() - freed) / 1000).toFixed(0)} s after there was room`,
      holds: laws.every(({ holds }) => holds),
      law: "all is over"
    },
    ...laws
  ].map((law) => ({ ...law, law: `${what}: ${law.law}` }))
}

/** A disk that is full for a minute and a half during every kind of locked work, with PostgreSQL's data, or with its write-ahead log. */
export const fullDisk = async (): Promise<ReadonlyArray<Law>> => {
  const laws: Array<Law> = []
  for (const [what, megabytes, serve] of [
    ["data", 200, dataOn],
    ["log of writes", 64, logOn]
  ] as const) {
    const ends: Array<() => unknown> = []
    try {
      const onClose: OnClose = (end) => void ends.push(end)
      laws.push(...(await filled(what, smallDisk(megabytes, onClose), serve, onClose)))
    } finally {
      for (const end of ends.reverse()) await Promise.resolve().then(end).catch(console.error)
    }
  }
  return laws
}
