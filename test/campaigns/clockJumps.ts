import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { customer, type Node, node, receiver, site, until } from "./node.ts"
import { postgres } from "./postgres.ts"

const library = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`

/** A clock for a process: its wall clock is set, and its monotonic clock continues, as when an administrator or NTP sets the time of a machine. */
const clock = (file: string) => {
  const set = (offset: string) => writeFileSync(file, `${offset}\n`)
  set("+0")
  return {
    environment: {
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_NO_CACHE: "1",
      FAKETIME_TIMESTAMP_FILE: file,
      LD_PRELOAD: library
    },
    set
  }
}

interface Things {
  readonly account: string
  readonly key: string
  readonly project: string
}

const start = (on: Node, { key, project }: Things, body: object, idempotency?: string) =>
  on.ask("POST", `/api/v1/projects/${project}/site-health/runs`, {
    body,
    headers: idempotency === undefined ? {} : { "idempotency-key": idempotency },
    key
  })

/** Waits for the end of a crawl; returns its result and duration. */
const end = async (on: Node, { key }: Things, id: string, atMost: number) => {
  let ended = "never"
  const look = async () => {
    const { body, status } = await on.ask("GET", `/api/v1/runs/${id}`, { key })
    if (status === 200 && body.data.finished_at !== null) ended = body.data.error?.code ?? body.data.status
    return ended !== "never"
  }
  const seconds = await until(look, atMost, 1000).catch(() => atMost)
  return { ended, seconds }
}

type Moved = "both" | "database" | "node"

/** One jump of one clock or both during all kinds of work; prints the outcome and returns what was wrong. */
const jump = async (offset: string, moved: Moved) => {
  const home = mkdtempSync(join(tmpdir(), "findable-clock-"))
  chmodSync(home, 0o755)
  const clocks = { database: clock(join(home, "database")), node: clock(join(home, "node")) }
  const database = await postgres({ environment: clocks.database.environment })
  const settings = { DATABASE_URL: database.url(), FINDABLE_LOG_LEVEL: "info", ...clocks.node.environment }
  const pages = site(30, 700)
  const hooks = receiver()
  let refusals = 1
  const flaky = Bun.serve({
    fetch: () => (refusals-- > 0 ? new Response("", { status: 503 }) : new Response("")),
    hostname: "127.0.0.1",
    port: 0
  })
  const serving = await node(settings)
  const doomed = await node({ ...settings, FINDABLE_ROLE: "worker", FINDABLE_RUNS_AT_ONCE: "4" })
  const made = await customer(database.url())
  const { key } = made
  const project: string = (await serving.ask("POST", "/api/v1/projects", { body: { url: pages.url }, key })).body.data
    .id
  const things = { ...made, project }
  for (const url of [hooks.url, `http://127.0.0.1:${flaky.port}/`]) {
    await serving.ask("POST", "/api/v1/webhooks", { body: { events: ["audit.completed", "audit.failed"], url }, key })
  }
  await serving.ask("POST", `/api/v1/projects/${project}/site-health/schedules`, {
    body: { every: "6h", max_pages: 3 },
    key
  })
  const wrong: Array<string> = []
  const expect = (what: string, holds: boolean) => void (holds || wrong.push(what))
  // The schedule's first crawl ends, and its event waits for the second attempt at the endpoint that refused the first.
  await until(() => hooks.received.size === 1, 40)
  const first = await start(serving, things, { max_pages: 20 }, "before-the-jump")
  const second = await start(serving, things, { max_pages: 21 })
  for (let n = 0; n < 40; n++) await serving.ask("GET", "/api/v1/projects", { key })
  await Bun.sleep(1500)

  if (moved !== "node") clocks.database.set(offset)
  if (moved !== "database") clocks.node.set(offset)
  const jumped = performance.now()

  const statuses: Array<number> = []
  let longest = 0
  for (let n = 0; n < 100; n++) {
    const answer = await serving.ask("GET", "/api/v1/projects", { key })
    statuses.push(answer.status)
    longest = Math.max(longest, answer.seconds)
    if (answer.status === 429) await Bun.sleep(Number(answer.headers.get("retry-after")) * 1000)
    if (performance.now() - jumped > 20_000) break
  }
  const refused = statuses.filter((status) => status !== 200).length
  expect(`${refused} of ${statuses.length} requests were refused`, statuses.length === 100 && refused <= 3)
  const replay = await start(serving, things, { max_pages: 20 }, "before-the-jump")
  expect(`a replay is ${replay.status}`, replay.body.meta?.idempotent_replay === true)
  const ends = [await end(serving, things, first.body.data.id, 60), await end(serving, things, second.body.data.id, 60)]
  expect(
    `runs ended ${ends.map(({ ended }) => ended)}`,
    ends.every(({ ended }) => /completed|partial/.test(ended))
  )
  const retried = await until(() => refusals < 0, 30).catch(() => -1)
  expect("the second attempt of a delivery did not come", retried >= 0)
  const third = await start(serving, things, { max_pages: 4 })
  expect(`a start after the jump is ${third.status}`, third.status === 202)
  const after =
    third.status === 202 ? await end(serving, things, third.body.data.id, 40) : { ended: "none", seconds: 0 }
  expect(`a run started after the jump ended ${after.ended}`, /completed|partial/.test(after.ended))
  const delivered = await until(() => hooks.received.size >= 4, 30).catch(() => -1)
  expect(`${hooks.received.size} of 4 events arrived`, delivered >= 0)
  expect(
    "an event arrived twice",
    [...hooks.received.values()].every((count) => count === 1)
  )

  // A worker dies, and the clock is set back while its lock is valid.
  clocks.database.set("+0")
  clocks.node.set("+0")
  await Bun.sleep(4000)
  await serving.end("SIGTERM")
  const fourth = await customer(database.url())
  const other = await node({ ...settings, FINDABLE_ROLE: "api" })
  const site2: string = (await other.ask("POST", "/api/v1/projects", { body: { url: pages.url }, key: fourth.key }))
    .body.data.id
  const lost = await start(other, { ...fourth, project: site2 }, { max_pages: 30 })
  await until(
    async () =>
      (await other.ask("GET", `/api/v1/runs/${lost.body.data.id}`, { key: fourth.key })).body.data.status === "running",
    20
  )
  await doomed.end("SIGKILL")
  const heir = await node({ ...settings, FINDABLE_ROLE: "worker" })
  if (moved !== "node") clocks.database.set(offset)
  if (moved !== "database") clocks.node.set(offset)
  const buried = await end(other, { ...fourth, project: site2 }, lost.body.data.id, 60)
  expect(
    `a dead worker's run ended ${buried.ended} after ${buried.seconds.toFixed(0)} s`,
    buried.ended === "worker_lost" && buried.seconds < 40
  )

  console.log(
    `${moved} ${offset}: ${statuses.length} requests ${refused} refused, longest ${(longest * 1000).toFixed(0)} ms; runs ${ends.map(({ ended, seconds }) => `${ended} ${seconds.toFixed(0)} s`)}; retry ${retried.toFixed(0)} s; start ${third.status} ${after.ended}; events ${hooks.received.size}/4; dead worker's run ${buried.ended} ${buried.seconds.toFixed(0)} s${wrong.length === 0 ? "" : `\n  wrong: ${wrong.join("; ")}`}`
  )
  if (process.env.CAMPAIGN_LOG !== undefined) console.log(serving.output(), heir.output())
  for (const one of [other, heir]) await one.end("SIGKILL")
  pages.stop()
  hooks.stop()
  flaky.stop(true)
  await database.remove()
  rmSync(home, { recursive: true })
  return wrong
}

/** `clock-jumps [offset …]`: sets the clock of the server, of the database or of both forward and back (Debian's package `faketime`) during all work. */
export const clockJumps = async (words: ReadonlyArray<string>) => {
  if (!existsSync(library)) throw new Error(`Install the package faketime: ${library} is missing`)
  const wrong: Array<string> = []
  const clocks = (["both", "database", "node"] as const).filter(
    (name) => !words.some((word) => /^[a-z]/.test(word)) || words.includes(name)
  )
  const given = words.filter((word) => !/^[a-z]/.test(word))
  for (const offset of given.length === 0 ? ["+1h", "-1h", "+1d", "-1d"] : given) {
    for (const moved of clocks) wrong.push(...(await jump(offset, moved)))
  }
  return wrong.length === 0
}
