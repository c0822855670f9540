import { ask, type Node } from "../node.ts"
import { inSeconds, type Law, laws, percentile, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { type Arms, type Attack, launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"

const files = 14
const rows = 100_000

/** A file with a different query and page in every row, which is the most costly. */
export const large = (count: number, name: string) => {
  const lines = ["Date,Query,Page,Clicks,Impressions,Position"]
  const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  for (let n = 0; n < count; n++)
    lines.push(`${day},${name} word ${n * 7919} of ${n},/page/${n % 20_000},0,${1 + (n % 50)},${1 + (n % 30)}`)
  return lines.join("\n")
}

/** Fills the queue of imports up to the account's limit, and keeps it full. */
export const uploads: Attack = async ({ base, given: { projects = [] }, keys: [key = ""], scale }, report) => {
  const send = async (project: string, round: number) => {
    const path = `/api/v1/projects/${project}/rankings/imports?format=gsc-csv`
    const response = await fetch(`${base}${path}`, {
      body: large(rows * scale, `${round}`),
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    await response.arrayBuffer()
    report.count(response.status)
  }
  for (const project of projects) await send(project, 0)
  report.ready()
  for (let round = 1; ; round++) {
    await Bun.sleep(5000)
    await send(projects[round % projects.length] ?? "", round)
  }
}

/** Sites of the attacker, one per file, because the files of a site are imported one after the other. */
export const armUploads = async ({ attacker }: Installation, { base }: Node): Promise<Arms> => {
  const keys = await attacker.keys(1)
  const projects: Array<string> = []
  for (let n = 0; n < files; n++) {
    const { body } = await ask(base, "POST", "/api/v1/projects", {
      body: { url: `https://upload-${n}.example` },
      key: keys[0]
    })
    projects.push(body.data.id)
    await Bun.sleep(30)
  }
  return { given: { projects }, keys }
}

/** The number of the attacker's files that ended while a file of the ordinary tenant waited. */
const passed = async (on: Node, { given: { projects = [] } = {}, keys: [key] }: Arms, from: number, to: number) => {
  let count = 0
  for (const project of projects) {
    const { body } = await on.ask("GET", `/api/v1/projects/${project}/rankings/imports?limit=100`, { key })
    for (const { finished_at } of body?.data ?? []) {
      const at = Date.parse(finished_at ?? "")
      if (at > from && at < to) count++
    }
  }
  return count
}

/** The attacker's files that may end while another account's file waits: the running one, and one turn. */
const turns = 2
/** Milliseconds to wait for the small file. */
const patience = 120_000

/** A small file behind the maximum number of large files in the queue. */
export const uploadsCase = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const tenant = await ordinary(installation, on)
  const arms = await armUploads(installation, on)
  const idle = await tenant.measure(seconds)
  const attack = await launch(installation, on, "uploads", arms)
  const from = Date.now()
  const alone = await tenant.importOne(patience)
  const ended = await passed(on, arms, from, Date.now())
  const attacked = await tenant.measure(seconds)
  console.log(`  uploads: ${JSON.stringify(await attack.stop())}`)
  const own: Law = {
    found: `${alone === undefined ? `not over after ${inSeconds(patience)}` : `completed after ${inSeconds(alone)}`}, ${ended} large files ended meanwhile`,
    holds: alone !== undefined && ended <= turns,
    law: `the small file waits for at most ${turns} of the ${files} large ones (idle: ${inSeconds(percentile(idle.imports, 0.5))})`
  }
  return { figures: { idle, attacked }, laws: [own, ...laws("uploads", idle, attacked)] }
}
