import { armBodies } from "./bodies.ts"
import { armDeliveries } from "./deliveries.ts"
import { laws, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"
import { armReads, readiness } from "./reads.ts"
import { allDue, armSchedules } from "./schedules.ts"
import { armUploads } from "./uploads.ts"

/** Everything at once that the limits of one tenant allow. A flood of connections is beyond them, and has a measure of its own. */
export const all = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const arms = {
    reads: await armReads(installation, on),
    bodies: await armBodies(installation, on),
    deliveries: await armDeliveries(installation, on),
    uploads: await armUploads(installation, on)
  }
  await armSchedules(installation, on)
  const tenant = await ordinary(installation, on)
  const idle = await tenant.measure(seconds)
  const stopDue = await allDue(installation)
  const attacks = await Promise.all([
    ...Object.entries(arms).map(async ([name, given]) => ({ name, ...(await launch(installation, on, name, given)) })),
    (async () => ({ name: "slowExports", ...(await launch(installation, on, "slowExports", arms.reads)) }))()
  ])
  const ready = readiness(on)
  const attacked = await tenant.measure(seconds)
  const law = ready()
  stopDue()
  for (const { name, stop } of attacks) console.log(`  ${name}: ${JSON.stringify(await stop())}`)
  return { figures: { idle, attacked }, laws: [...laws("all at once", idle, attacked), law] }
}
