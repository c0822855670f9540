import { customer, node, site, until } from "./node.ts"
import { postgres } from "./postgres.ts"

/** Workers that are killed together: a machine with two cores cannot start more of them in time. */
const together = 5

/** `worker-lost [kills]`: kills workers with SIGKILL during a crawl, and prints the time until the crawl has `worker_lost`; the promise is 20 s. */
export const workerLost = async ([given = "50"]: ReadonlyArray<string>) => {
  const database = await postgres()
  const settings = { DATABASE_URL: database.url() }
  const serving = await node({ ...settings, FINDABLE_ROLE: "api" })
  const heir = await node({ ...settings, FINDABLE_ROLE: "worker" })
  const pages = site(50, 5000)
  const waits: Array<number> = []
  const others: Array<string> = []
  for (let batch = 0; batch < Math.ceil(Number(given) / together); batch++) {
    // The next worker would claim crawls too, and must not be killed.
    heir.child.kill("SIGSTOP")
    const victims = await Promise.all(
      Array.from({ length: together }, () => node({ ...settings, FINDABLE_ROLE: "worker", FINDABLE_RUNS_AT_ONCE: "1" }))
    )
    const runs = await Promise.all(
      victims.map(async () => {
        const { key } = await customer(database.url())
        const { body } = await serving.ask("POST", "/api/v1/projects", { body: { url: pages.url }, key })
        const run = await serving.ask("POST", `/api/v1/projects/${body.data.id}/site-health/runs`, { key })
        const id: string = run.body.data.id
        return { key, look: async () => (await serving.ask("GET", `/api/v1/runs/${id}`, { key })).body.data }
      })
    )
    for (const { look } of runs) await until(async () => (await look()).status === "running", 60, 250)
    heir.child.kill("SIGCONT")
    await Bun.sleep(Math.random() * 5000)
    const killed = performance.now()
    for (const victim of victims) victim.child.kill("SIGKILL")
    await Promise.all(
      runs.map(async ({ look }) => {
        await until(async () => (await look()).finished_at !== null, 60, 250).catch(() => 0)
        const { error, status } = await look()
        waits.push((performance.now() - killed) / 1000)
        if (error?.code !== "worker_lost") others.push(error?.code ?? status)
      })
    )
  }
  waits.sort((a, b) => a - b)
  const at = (share: number) => (waits[Math.ceil(share * waits.length) - 1] ?? 0).toFixed(1)
  console.log(
    `${waits.length} workers killed in the midst of a run: worker_lost after ${waits[0]?.toFixed(1)} s at least, ${at(0.5)} s in the median, ${at(1)} s at most; ${others.length} ended otherwise ${others}`
  )
  for (const one of [serving, heir]) await one.end("SIGTERM")
  pages.stop()
  await database.remove()
  return others.length === 0 && (waits.at(-1) ?? 0) <= 20
}
