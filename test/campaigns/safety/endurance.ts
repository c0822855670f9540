import { readdirSync, readFileSync } from "node:fs"
import { armed, attacked } from "../fairness/all.ts"
import { byCode, type Figures, type Law, p99, percentile } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { ordinary } from "../fairness/ordinary.ts"
import { readiness } from "../fairness/reads.ts"
import type { Extent } from "../safety.ts"

/** Minutes after which attacks are restarted: their processes end by themselves after a quarter of an hour. */
const spell = 10
/** Seconds of each measurement of the ordinary tenant. */
const measured = 60
/** The factor by which a figure may be higher in the last third than in the first, when caches are filled. */
const growth = 1.25
/** Refusals by the tenant's own plan in so long a time, with or without others. */
const ownQuota = "429 quota_exceeded of an import"

const megabytesOf = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000)
const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** Figures of a server, read every five seconds. */
const watching = (pid: number) => {
  const samples: Array<{ readonly descriptors: number; readonly megabytes: number }> = []
  const timer = setInterval(() => samples.push({ descriptors: descriptorsOf(pid), megabytes: megabytesOf(pid) }), 5000)
  return { samples, stop: () => clearInterval(timer) }
}

const steady = (what: string, samples: ReadonlyArray<number>, room: number): Law => {
  const third = Math.floor(samples.length / 3)
  const first = percentile(samples.slice(0, third), 0.9)
  const last = percentile(samples.slice(-third), 0.9)
  return {
    found: `${first}, then ${last}; at most ${Math.max(...samples)} in ${samples.length} looks`,
    holds: last <= growth * first + room,
    law: `${what} of the last third are at most ${growth} × those of the first`
  }
}

/** Load at all limits of an account for the given time: the growth of a server, and the effect on another account. */
export const endurance = async ({ minutes, scale }: Extent): Promise<ReadonlyArray<Law>> => {
  const on = await installation({ scale, seconds: measured })
  try {
    const serving = await on.serve()
    const arms = await armed(on, serving)
    const tenant = await ordinary(on, serving)
    const idle = await tenant.measure(measured)
    const ready = readiness(serving)
    const watch = watching(serving.child.pid)
    const under: Array<Figures> = []
    const ends = performance.now() + minutes * 60_000
    while (performance.now() < ends) {
      const stop = await attacked(on, serving, arms)
      const until = Math.min(ends, performance.now() + spell * 60_000)
      while (performance.now() < until) {
        const figures = await tenant.measure(Math.min(measured, Math.ceil((until - performance.now()) / 1000)))
        under.push(figures)
        const { descriptors = 0, megabytes = 0 } = watch.samples.at(-1) ?? {}
        console.log(
          `  minute ${under.length}: p99 ${Math.round(p99(figures))} ms, ${byCode(figures.failures)}; ${megabytes} MB, ${descriptors} descriptors`
        )
      }
      await stop()
    }
    watch.stop()
    const found = watch.samples
    const failures: Record<string, number> = {}
    for (const [code, count] of under.flatMap(({ failures }) => Object.entries(failures)))
      failures[code] = (failures[code] ?? 0) + count
    const { [ownQuota]: _, ...failed } = failures
    const delivered = under.reduce((sum, { events }) => sum + events.length, 0)
    const missing = under.reduce((sum, figures) => sum + figures.missing, 0)
    return [
      steady(
        "megabytes",
        found.map(({ megabytes }) => megabytes),
        50
      ),
      steady(
        "descriptors",
        found.map(({ descriptors }) => descriptors),
        50
      ),
      steady(
        `p99 of the ordinary tenant, in milliseconds (${Math.round(p99(idle))} without others): figures`,
        under.map((figures) => Math.round(p99(figures))),
        250
      ),
      {
        found: byCode(failed),
        holds: Object.keys(failed).length === 0,
        law: "no request and no import of the ordinary tenant fails, but for its own quota"
      },
      {
        found: `${missing} of ${missing + delivered} are missing`,
        holds: missing === 0,
        law: "every event of the ordinary tenant is delivered"
      },
      ready()
    ]
  } finally {
    await on.close()
  }
}
