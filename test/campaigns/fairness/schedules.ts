import { ask, type Node, site, until } from "../node.ts"
import { inSeconds, type Law, laws, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import type { Arms } from "./launch.ts"
import { type Ordinary, ordinary } from "./ordinary.ts"

/** Sites and schedules that the attacker requests; the limits of its account may refuse some. */
const most = 300
/** Keys that share these requests, because each has its limits. */
const keysAtOnce = 10
/** Milliseconds by which the first crawl of the ordinary tenant's schedule may start later than on an idle server. */
const later = 10_000

/** Sites with a schedule each, up to the limits of the account. */
export const armSchedules = async (installation: Installation, { base }: Node): Promise<Arms> => {
  const keys = await installation.attacker.keys(keysAtOnce)
  const refused: Record<string, number> = {}
  let made = 0
  const count = Math.ceil((most * installation.options.scale) / keysAtOnce)
  const one = async (key: string) => {
    for (let n = 0; n < count; n++) {
      const { stop, url } = site(3, 5)
      installation.onClose(stop)
      const project = await ask(base, "POST", "/api/v1/projects", { body: { url }, key })
      const path = `/api/v1/projects/${project.body?.data?.id}/site-health/schedules`
      const schedule = project.status === 201 ? await ask(base, "POST", path, { body: { every: "6h" }, key }) : project
      if (schedule.status === 201) made++
      else refused[schedule.status] = (refused[schedule.status] ?? 0) + 1
      await Bun.sleep(250)
    }
  }
  await Promise.all(keys.map(one))
  console.log(`  ${made} schedules were made, refused: ${JSON.stringify(refused)}`)
  return { keys }
}

/** Makes all schedules of the attacker due together, now and every five seconds. */
export const allDue = async ({ attacker, database, onClose }: Installation) => {
  const due = () =>
    database.query("UPDATE site_health_schedules SET next_at = now() - interval '1 hour' WHERE account_id = $1", [
      attacker.account
    ])
  await due()
  const again = setInterval(() => due().catch((error) => console.error(`  were not made due: ${error}`)), 5000)
  onClose(() => clearInterval(again))
  return () => clearInterval(again)
}

/** Milliseconds until a new schedule of the tenant has started its first crawl. */
const firstRun = async (installation: Installation, tenant: Ordinary) => {
  const { stop, url } = site(3, 5)
  installation.onClose(stop)
  const project: string = (await tenant.request("POST", "/projects", { body: { url } })).body.data.id
  const path = `/projects/${project}/site-health/schedules`
  const at = performance.now()
  await tenant.request("POST", path, { body: { every: "30d" } })
  const begun = async () => (await tenant.request("GET", path)).body?.data?.[0]?.last_run_id !== null
  return await until(begun, 60, 250).then(
    () => performance.now() - at,
    () => undefined
  )
}

/** The maximum number of schedules of an account, due together. */
export const schedules = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const tenant = await ordinary(installation, on)
  await armSchedules(installation, on)
  const before = await firstRun(installation, tenant)
  const idle = await tenant.measure(seconds)
  const stop = await allDue(installation)
  const during = firstRun(installation, tenant)
  const attacked = await tenant.measure(seconds)
  const run = await during
  stop()
  const own: Law = {
    found: `${run === undefined ? "not within 60 s" : `after ${inSeconds(run)}`}, idle ${before === undefined ? "not within 60 s" : inSeconds(before)}`,
    holds: run !== undefined && before !== undefined && run <= before + later,
    law: `a new schedule of the ordinary tenant starts its run at most ${inSeconds(later)} later`
  }
  return { figures: { idle, attacked }, laws: [own, ...laws("schedules", idle, attacked)] }
}
