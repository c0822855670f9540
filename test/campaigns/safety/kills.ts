import { readdirSync, readFileSync } from "node:fs"
import { insider } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { type Installation, installation } from "../fairness/installation.ts"
import { type Node, node, until } from "../node.ts"
import { leased, searchData } from "./leased.ts"
import { everything, others } from "./others.ts"

/** Workers that are killed one after the other, during all their work. */
const kills = 2

/** Seconds in which the last worker finishes the work of the others. */
const patience = 240

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((id) => {
      try {
        return new RegExp(`^PPid:\\s+${pid}$`, "m").test(readFileSync(`/proc/${id}/status`, "utf8"))
      } catch {
        return false
      }
    })

/** Kills workers during every kind of locked work, and lets another worker finish it. */
const workers = async (on: Installation): Promise<ReadonlyArray<Law>> => {
  const systems = await others(on.onClose)
  const settings = { DATABASE_URL: on.database.url(), ...systems.settings }
  const api = await node({ ...settings, FINDABLE_ROLE: "api" })
  on.onClose(() => api.end("SIGKILL"))
  const worker = () => node({ ...settings, FINDABLE_ROLE: "worker" })
  const { key } = await insider(on.database, everything)
  const work = await leased(api, key, systems)
  systems.gate.close()
  await work.begin()
  for (let n = 0; n < kills; n++) {
    const victim = await worker()
    // Early, because an endpoint that is silent for longer counts as failing.
    await until(() => systems.gate.held() >= 8, 60)
    await Bun.sleep(Math.random() * 4000)
    await victim.end("SIGKILL")
    // The response to its request goes to nobody.
    systems.gate.open()
    await until(() => systems.gate.held() === 0, 10).catch(() => 0)
    if (n + 1 < kills) systems.gate.close()
  }
  const heir = await worker()
  on.onClose(() => heir.end("SIGKILL"))
  // A crawl of a dead worker fails with its reason; an engine that was asked is not asked again.
  const laws = await work.laws(patience, {
    again: kills + 1,
    excused: ["site health run", "AI visibility run"]
  })
  if (process.env.CAMPAIGN_LOG !== undefined) console.log(heir.output())
  return laws.map((law) => ({ ...law, law: `${kills} workers killed: ${law.law}` }))
}

/** Kills the processes of an import and of a crawl repeatedly while a server uses them. */
const children = async (on: Installation): Promise<ReadonlyArray<Law>> => {
  const systems = await others(on.onClose)
  const serving = await node({ DATABASE_URL: on.database.url(), ...systems.settings })
  on.onClose(() => serving.end("SIGKILL"))
  const { key } = await insider(on.database, everything)
  const post = async (path: string, body?: unknown) =>
    (await serving.ask("POST", `/api/v1${path}`, { body, key })).body.data
  const project = (await post("/projects", { url: systems.site })).id
  systems.gate.close()
  const run = (await post(`/projects/${project}/site-health/runs`, { max_pages: 3 })).id
  const sent = await fetch(`${serving.base}/api/v1/projects/${project}/rankings/imports?format=gsc-csv`, {
    body: searchData(200_000),
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data } = Object(await sent.json())
  const read = async (path: string) => (await serving.ask("GET", `/api/v1${path}`, { key })).body.data
  const ends = new Map<string, string>()
  const look = async () => {
    for (const pid of childrenOf(serving.child.pid)) process.kill(pid, "SIGKILL")
    for (const path of [`/runs/${run}`, `/projects/${project}/rankings/imports/${data.id}`]) {
      const found = await read(path)
      if (found?.finished_at != null) ends.set(path, found.error?.code ?? found.status)
    }
    return ends.size === 2
  }
  await until(look, patience, 500).catch(() => 0)
  systems.gate.open()
  const keywords = (await read("/keywords")) ?? []
  return [
    {
      found: [...ends.values()].join(", "),
      holds: ends.size === 2 && [...ends.values()].every((end) => end === "crawl_failed" || end === "import_failed"),
      law: "a crawl and an import whose processes are killed fail and say so"
    },
    { found: `${keywords.length} keywords`, holds: keywords.length === 0, law: "nothing of such an import is stored" }
  ]
}

const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)

/** Kills servers during each step of designed experiments. */
const experiments = async (on: Installation): Promise<ReadonlyArray<Law>> => {
  const { key } = await insider(on.database, everything)
  const settings = { DATABASE_URL: on.database.url() }
  const other = await node(settings)
  on.onClose(() => other.end("SIGKILL"))
  const post = async (from: Node, path: string, body?: unknown) =>
    await from.ask("POST", `/api/v1${path}`, { body, key })
  const site = (await post(other, "/projects", { url: "https://design.example" })).body.data.id
  const totals = ["Date,Page,Clicks,Impressions,Position"]
  for (let before = 3; before < 130; before++)
    for (let page = 0; page < 40; page++)
      totals.push(`${day(before)},https://design.example/page/${page},${3 + (page % 9)},100,4`)
  const sent = await fetch(`${other.base}/api/v1/projects/${site}/rankings/imports?format=gsc-csv`, {
    body: totals.join("\n"),
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data: upload, error: refusal } = Object(await sent.json())
  if (sent.status !== 202) throw new Error(`The page totals are refused: ${JSON.stringify(refusal)}`)
  const over = async () =>
    (await other.ask("GET", `/api/v1/projects/${site}/rankings/imports/${upload?.id}`, { key })).body.data
  await until(async () => (await over())?.finished_at != null, patience, 500)
  const growth = (await post(other, "/growth-projects", { domain: "design.example" })).body.data.id
  const wrong: Array<string> = []
  const steps = ["assign", "start", "evaluate"] as const
  const statuses: Record<string, number> = {}
  const pages = Array.from({ length: 40 }, (_, page) => `/page/${page}`)
  const bodyOf = (step: (typeof steps)[number]) => (step === "assign" ? { pages } : undefined)
  for (let round = 0; round < 4; round++) {
    const made = await post(other, "/experiments", {
      design: { change_date: day(45), metric: "clicks", site_id: site },
      name: `round ${round}`,
      project_id: growth
    })
    const id = made.body.data?.id
    if (id === undefined) throw new Error(`An experiment is refused: ${JSON.stringify(made.body)}`)
    for (const step of steps) {
      const victim = await node({ ...settings, FINDABLE_ROLE: "api" })
      const asked = post(victim, `/experiments/${id}/${step}`, bodyOf(step))
      await Bun.sleep(Math.random() * 300)
      await victim.end("SIGKILL")
      const { status } = await asked
      const found = (await other.ask("GET", `/api/v1/experiments/${id}`, { key })).body.data
      const isDone = {
        assign: found.assignment != null,
        evaluate: found.analysis != null,
        start: found.status !== "draft"
      }
      statuses[`${step} ${status} ${isDone[step]}`] = (statuses[`${step} ${status} ${isDone[step]}`] ?? 0) + 1
      if (status >= 200 && status < 300 && !isDone[step]) wrong.push(`${step} was answered ${status} and is lost`)
      if ((found.assignment?.draws ?? 0) > 1) wrong.push(`${step}: pages were dealt out twice`)
      if (isDone[step]) continue
      const again = await post(other, `/experiments/${id}/${step}`, bodyOf(step))
      if (again.status !== 200) wrong.push(`${step} cannot be repeated: ${JSON.stringify(again.body.error)}`)
    }
  }
  return [
    {
      found: wrong.join("; ") || JSON.stringify(statuses),
      holds: wrong.length === 0,
      law: "each step of an experiment is done whole or not at all, once, and can be repeated"
    }
  ]
}

/** Workers, their children and servers are killed during locked work and experiments. */
export const killsCase = async (): Promise<ReadonlyArray<Law>> => {
  const laws: Array<Law> = []
  for (const part of [workers, children, experiments]) {
    const on = await installation({ scale: 1, seconds: 0 })
    try {
      laws.push(...(await part(on)))
    } catch (error) {
      laws.push({ found: String(error), holds: false, law: `${part.name} are killed to the end` })
    } finally {
      await on.close()
    }
  }
  return laws
}
