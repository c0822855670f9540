import { readdirSync, readFileSync } from "node:fs"
import { armed, attacked } from "../fairness/all.ts"
import { type Figures, type Law, laws, percentile } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { ordinary } from "../fairness/ordinary.ts"
import { readiness } from "../fairness/reads.ts"
import type { Extent } from "../safety.ts"

/** Minutes after which attacks are begun anew: their processes end by themselves after a quarter of an hour. */
const spell = 10
/** Seconds of each measurement of the ordinary tenant. */
const measured = 60
/** How much more a node may have in the last third than in the first one, when its caches have filled. */
const growth = 1.25

const megabytesOf = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000)
const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** What a node has, read each five seconds. */
const watching = (pid: number) => {
  const samples: Array<{ readonly descriptors: number; readonly megabytes: number }> = []
  const timer = setInterval(() => samples.push({ descriptors: descriptorsOf(pid), megabytes: megabytesOf(pid) }), 5000)
  return () => {
    clearInterval(timer)
    return samples
  }
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

/** Load at all limits of an account for as long as it is given: whether a node grows, and what another account notices. */
export const endurance = async ({ minutes, scale }: Extent): Promise<ReadonlyArray<Law>> => {
  const on = await installation({ scale, seconds: measured })
  try {
    const serving = await on.serve()
    const arms = await armed(on, serving)
    const tenant = await ordinary(on, serving)
    const idle = await tenant.measure(measured)
    const ready = readiness(serving)
    const samples = watching(serving.child.pid)
    const under: Array<Figures> = []
    const ends = performance.now() + minutes * 60_000
    while (performance.now() < ends) {
      const stop = await attacked(on, serving, arms)
      const until = Math.min(ends, performance.now() + spell * 60_000)
      while (performance.now() < until)
        under.push(await tenant.measure(Math.min(measured, Math.ceil((until - performance.now()) / 1000))))
      await stop()
    }
    const found = samples()
    const failures: Record<string, number> = {}
    for (const [code, count] of under.flatMap(({ failures }) => Object.entries(failures)))
      failures[code] = (failures[code] ?? 0) + count
    const all: Figures = {
      events: under.flatMap(({ events }) => events),
      failures,
      imports: under.flatMap(({ imports }) => imports),
      missing: under.reduce((sum, { missing }) => sum + missing, 0),
      times: under.flatMap(({ times }) => times)
    }
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
      ...laws(`${minutes} minutes of all at once`, idle, all),
      ready()
    ]
  } finally {
    await on.close()
  }
}
