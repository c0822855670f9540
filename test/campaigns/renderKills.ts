import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findBrowser } from "../../src/foundation/browser/Find.ts"
import { processes } from "../../src/foundation/browser/Memory.ts"
import { html } from "../crawl/site/Html.ts"
import { insider } from "./attackers.ts"
import { type Node, node, spawn, until } from "./node.ts"
import { type Postgres, postgres } from "./postgres.ts"
import { filesBelow } from "./render/watch.ts"
import { outcomeOf } from "./render.ts"

const pages = 12
/** Milliseconds that the data of a page take, in which its clock stands still. */
const slow = 700
/** Seconds until nothing is left of what was killed, and until a run tells that its worker is gone. */
const mostLeft = 5
const mostLost = 20

const paths = Array.from({ length: pages - 1 }, (_, at) => `/page-${at + 1}`)

/** Pages whose scripts write their heading when their data have come. */
const applications = () => {
  let loading = 0
  const server = Bun.serve({
    fetch: async ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/data") {
        loading += 1
        await Bun.sleep(slow)
        return Response.json({ heading: "By a script" })
      }
      if (pathname !== "/" && !paths.includes(pathname)) return new Response("", { status: 404 })
      const code = `fetch("/data?${pathname}").then((answer) => answer.json()).then(({ heading }) => { document.querySelector("h1").textContent = heading })`
      const body = html({ body: `<script>${code}</script>`, links: ["/", ...paths], title: `Page ${pathname}` })
      return new Response(body, { headers: { "content-type": "text/html" } })
    },
    hostname: "127.0.0.1",
    idleTimeout: 60,
    port: 0
  })
  return {
    /** Pages that have asked for their data. */
    loading: () => loading,
    stop: () => server.stop(true),
    url: server.url.href
  }
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

const isBrowser = (command: string) => command.includes("--remote-debugging-pipe") && !command.includes("--type=")

/** Processes below one that a kill may hit, by what they are. */
const kinds = {
  "the browser": isBrowser,
  "a page's process": (command: string) => command.includes("--type=renderer"),
  "the crawl's process": (command: string) => command.includes("crawler/child/main.ts")
} as const

const startedBy = (pid: number) => processes().startedBy(pid)

const victimsBelow = (pid: number, kind: keyof typeof kinds) =>
  startedBy(pid).filter((each) => kinds[kind](commandOf(each)))

const isRunning = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

const folderOf = () => {
  const folder = mkdtempSync(join(tmpdir(), "findable-campaign-"))
  chmodSync(folder, 0o711)
  return folder
}

type Site = ReturnType<typeof applications>

/** A run on the only worker that is awake. */
const begin = async (database: Postgres, serving: Node, site: Site) => {
  const { key } = await insider(database)
  const { body } = await serving.ask("POST", "/api/v1/projects", { body: { url: site.url }, key })
  const path = `/api/v1/projects/${body.data.id}/site-health/runs`
  const run = await serving.ask("POST", path, { body: { render: "always" }, key })
  if (run.status >= 300) throw new Error(`The run was refused: ${JSON.stringify(run.body)}`)
  const id: string = run.body.data.id
  return {
    look: async () => (await serving.ask("GET", `/api/v1/runs/${id}`, { key })).body.data,
    /** How many pages ended in each way. */
    outcomes: async (): Promise<ReadonlyMap<string, number>> => {
      const { body } = await serving.ask("GET", `/api/v1/runs/${id}/pages?limit=100`, { key })
      const outcomes = new Map<string, number>()
      for (const { rendering } of body.data) {
        const outcome = outcomeOf(rendering)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      return outcomes
    }
  }
}

/** Waits until pages are being rendered, for a while that differs each time. */
const midway = async (site: Site, before: number, look?: () => Promise<unknown>) => {
  await until(() => site.loading() > before, 90, 20).catch(async (error: unknown) => {
    throw new Error(`No page was rendered: ${JSON.stringify(await look?.())}`, { cause: error })
  })
  await Bun.sleep(Math.random() * 1500)
}

/** Waits until none of the processes is there; false after the bound. */
const gone = (pids: ReadonlyArray<number>) =>
  until(() => !pids.some(isRunning), mostLeft, 50).then(
    () => true,
    () => false
  )

/** `render-kills [rounds]`: SIGKILL of the server, the crawl's process, the browser, a page's process and a command in the middle of crawls that render. */
export const renderKills = async ([rounds = "3"]: ReadonlyArray<string>) => {
  const browser = await Effect.runPromise(
    findBrowser("rendering").pipe(Effect.provide(BunContext.layer), Effect.option)
  )
  if (Option.isNone(browser) || process.platform !== "linux") {
    console.log("SKIPPED: there is no browser here (Debian: apt-get install chromium-headless-shell), or no Linux")
    return true
  }
  const database = await postgres()
  // Children at their usual low priority would starve beside busy processes.
  const settings = { DATABASE_URL: database.url(), FINDABLE_CHILD_NICENESS: "0" }
  const serving = await node({ ...settings, FINDABLE_ROLE: "api" })
  const heir = await node({ ...settings, FINDABLE_ROLE: "worker" })
  const site = applications()
  const wrong: Array<string> = []
  const tell = (what: string, outcome: string, faults: ReadonlyArray<string>) => {
    if (faults.length > 0) wrong.push(what)
    console.log(`| ${what} | ${outcome} | ${faults.length === 0 ? "none" : faults.join("; ")} |`)
  }
  console.log("| killed | what became of the crawl | faults |\n|---|---|---|")

  const folder = folderOf()
  const worker = () => node({ ...settings, FINDABLE_ROLE: "worker", TMPDIR: folder })
  const leftIn = () =>
    filesBelow(folder)
      .slice(0, 2)
      .map(([path]) => `${path} was left`)
  const statusOf = ({
    error,
    status
  }: {
    readonly error: { readonly code: string } | null
    readonly status: string
  }) => (error === null ? status : `${status}: ${error.code}`)

  /** Kills the worker itself: another one says so, and the next one in its place clears up. */
  const ofWorker = async () => {
    heir.child.kill("SIGSTOP")
    const victim = await worker()
    const before = site.loading()
    const { look } = await begin(database, serving, site)
    await midway(site, before, look)
    heir.child.kill("SIGCONT")
    const pids = startedBy(victim.child.pid)
    await victim.end("SIGKILL")
    const isGone = await gone(pids)
    const seconds = await until(async () => (await look()).finished_at !== null, 60, 250).catch(() => 60)
    const ended = await look()
    const left = filesBelow(folder).length
    heir.child.kill("SIGSTOP")
    const next = await worker()
    await until(() => filesBelow(folder).length === 0, 10, 100).catch(() => 0)
    const faults = [
      ...(isGone ? [] : ["processes were left"]),
      ...(seconds > mostLost ? ["told too late"] : []),
      ...(ended.error?.code === "worker_lost" ? [] : ["no reason was told"]),
      ...leftIn()
    ]
    tell(
      "the worker",
      `${statusOf(ended)} after ${seconds.toFixed(1)} s; the next worker removed ${left} files`,
      faults
    )
    await next.end("SIGTERM")
  }

  /** Kills a process below a worker, which goes on. */
  const below = async (kind: keyof typeof kinds) => {
    heir.child.kill("SIGSTOP")
    const serves = await worker()
    const before = site.loading()
    const { look, outcomes: outcomesOf } = await begin(database, serving, site)
    await midway(site, before, look)
    const find = () => victimsBelow(serves.child.pid, kind)
    await until(() => find().length > 0, 10, 20).catch(() => 0)
    const crawl = startedBy(serves.child.pid)
    const [victim] = find()
    if (victim !== undefined) kill(victim)
    await until(async () => (await look()).finished_at !== null, 120, 250).catch(() => 0)
    const ended = await look()
    const isChild = kind === "the crawl's process"
    const isGone = await gone(crawl)
    await until(() => filesBelow(folder).length === 0, mostLeft, 100).catch(() => 0)
    const outcomes = ended.status === "completed" ? await outcomesOf() : new Map<string, number>()
    const shown = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ")
    // Pages have five seconds, which a busy machine may not give them; the process of a page that the system ends is told as a crash.
    const excused = new Map([
      ["rendered", pages],
      ["failed: time", pages],
      ["failed: crashed", kind === "a page's process" ? 2 : 0]
    ])
    const lost = [...outcomes].filter(([outcome, count]) => count > (excused.get(outcome) ?? 0))
    const faults = [
      ...(victim === undefined ? ["nothing was killed"] : []),
      ...(isGone ? [] : ["processes were left"]),
      ...(isChild && ended.error?.code !== "crawl_failed" ? ["no reason was told"] : []),
      ...(isChild || ended.status === "completed" ? [] : ["the run was lost"]),
      ...lost.map(([outcome, count]) => `${count} pages ${outcome}`),
      ...leftIn()
    ]
    tell(kind, `${statusOf(ended)}${shown === "" ? "" : `; ${shown}`}`, faults)
    await serves.end("SIGTERM")
  }

  const ofCommand = async () => {
    const before = site.loading()
    const { child } = spawn("cli.ts", { TMPDIR: folder }, ["crawl", site.url, "--render", "always", "--json"])
    await midway(site, before)
    const pids = startedBy(child.pid)
    child.kill("SIGKILL")
    const isGone = await gone(pids)
    const left = filesBelow(folder).length
    const next = spawn("cli.ts", { TMPDIR: folder }, ["crawl", site.url, "--render", "always", "--json"])
    const code = await next.child.exited
    const faults = [
      ...(isGone ? [] : ["processes were left"]),
      ...(code === 0 ? [] : [`the next ended with ${code}`]),
      ...leftIn()
    ]
    tell("a command", `the next one removed ${left} files`, faults)
  }

  for (let round = 0; round < Number(rounds); round++) {
    for (const kind of ["the browser", "a page's process", "the crawl's process"] as const) await below(kind)
    await ofWorker()
    await ofCommand()
  }
  console.log(`${Number(rounds)} rounds by ${browser.value}: ${wrong.length} with faults`)
  heir.child.kill("SIGCONT")
  for (const one of [serving, heir]) await one.end("SIGTERM")
  site.stop()
  rmSync(folder, { force: true, recursive: true })
  await database.remove()
  return wrong.length === 0
}
