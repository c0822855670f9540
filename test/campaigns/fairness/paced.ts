import type { Report } from "./launch.ts"

/** Requests that a key may send in a second and in a minute, by the plan of both tenants. */
const perSecond = 10

/** Runs an effect repeatedly with one key, as often as the limit per minute allows, one after the other. */
export const paced = async (report: Report, does: (round: number) => Promise<string | number>) => {
  for (let round = 0; ; round++) {
    const next = performance.now() + 1000 / perSecond
    report.count(await does(round).catch((error) => `no answer (${error.code ?? error.name ?? error})`))
    await Bun.sleep(Math.max(0, next - performance.now()))
  }
}
