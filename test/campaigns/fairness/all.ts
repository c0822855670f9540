import type { Node } from "../node.ts"
import { armBodies } from "./bodies.ts"
import { armDeliveries } from "./deliveries.ts"
import { laws, type Result } from "./figures.ts"
import { installation as another, type Installation } from "./installation.ts"
import { launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"
import { armReads, readiness } from "./reads.ts"
import { allDue, armSchedules } from "./schedules.ts"
import { armUploads } from "./uploads.ts"

/** The data that each attack needs, created in an installation. */
export const armed = async (installation: Installation, on: Node) => {
  const reads = await armReads(installation, on)
  const arms = {
    // Its files come first: beside the other attacks they would take minutes to arrive.
    uploads: await armUploads(installation, on),
    reads,
    bodies: await armBodies(installation, on),
    deliveries: await armDeliveries(installation, on),
    slowExports: reads
  }
  await armSchedules(installation, on)
  return arms
}

/** Begins all attacks; the returned effect ends them and returns their figures. */
export const attacked = async (installation: Installation, on: Node, arms: Awaited<ReturnType<typeof armed>>) => {
  const stopDue = await allDue(installation)
  const attacks: Array<{ readonly name: string; readonly stop: () => Promise<Readonly<Record<string, number>>> }> = []
  for (const [name, given] of Object.entries(arms))
    attacks.push({ name, ...(await launch(installation, on, name, given)) })
  return async () => {
    stopDue()
    for (const { name, stop } of attacks) console.log(`  ${name}: ${JSON.stringify(await stop())}`)
  }
}

/**
 * Everything that the limits of one account allow, at the same time. A flood of connections exceeds them, and has its own measurement. The same attacks on
 * another installation of this machine, which shares only the cores and the disk, show which part of the ratio is due to the machine.
 */
export const all = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const arms = await armed(installation, on)
  const other = await another(installation.options)
  const there = await other.serve()
  const armsThere = await armed(other, there)
  const tenant = await ordinary(installation, on)
  const idle = await tenant.measure(seconds)
  const stopThere = await attacked(other, there, armsThere)
  const beside = await tenant.measure(seconds)
  await stopThere()
  await other.close()
  const stop = await attacked(installation, on, arms)
  const ready = readiness(on)
  const under = await tenant.measure(seconds)
  const law = ready()
  await stop()
  return {
    figures: { idle, "another installation attacked": beside, attacked: under },
    laws: [...laws("all at once", idle, under), law]
  }
}
