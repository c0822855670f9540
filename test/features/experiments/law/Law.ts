import type { Metric } from "../../../../src/features/experiments/statistics/design/Design.ts"
import { Random } from "../simulations/Random.ts"
import { assigned, clicksBefore, holds, isByPages, isSignificant, judge, metrics, stated, Tally } from "./Verdicts.ts"
import { changed, drawSite } from "./World.ts"

/** A measured share, and its bounds by the law. */
export interface Measured {
  readonly of: string
  readonly share: number
  readonly low: number
  readonly high: number
}

/** A row of the law's table. */
export interface Row {
  readonly name: string
  readonly metric: Metric
  readonly measured: ReadonlyArray<Measured>
}

const falseAlarms = (share: number): Measured => ({ of: "false alarms", share, low: 0.03, high: 0.06 })
const coverage = (share: number): Measured => ({ of: "interval holds +10 %", share, low: 0.94, high: 0.975 })
const power = (share: number): Measured => ({ of: "stated effect found", share, low: 0.7, high: 0.9 })

const lift = 0.1

/** Randomly assigned pages, half of them each: no change, a change of +10 %, and one as large as the stated effect. */
export const assignedRows = (pagesAnArm: number, runs: number, seed: number): ReadonlyArray<Row> => {
  const random = new Random(seed)
  const tally = new Tally()
  for (let run = 0; run < runs; run++) {
    const site = drawSite(random, { pages: 2 * pagesAnArm, history: 26, after: 5, folderShocks: 0 })
    const arms = assigned(site.panel, { pre_days: 28, settle_days: 7, post_days: 28 }, `${seed}/${run}`)
    const working = changed(random, site, arms.treatment, lift)
    for (const metric of metrics) {
      const design = { ...arms, metric }
      const still = judge(site.panel, design, metric)
      const moved = judge(working, design, metric)
      const effect = stated(site.panel, design)
      const found =
        effect === undefined ? undefined : judge(changed(random, site, arms.treatment, effect), design, metric)
      tally.add(`${metric} false`, still && isSignificant(still))
      tally.add(`${metric} holds`, moved && holds(moved, lift))
      tally.add(`${metric} found`, found && isSignificant(found))
    }
  }
  return metrics.map((metric) => ({
    name: `assigned, ${pagesAnArm} pages an arm`,
    metric,
    measured: [
      falseAlarms(tally.share(`${metric} false`)),
      coverage(tally.share(`${metric} holds`)),
      power(tally.share(`${metric} found`))
    ]
  }))
}

/** Weeks before the change in designs with chosen pages. */
export const histories = [8, 12, 20, 30, 60] as const

/** Weeks for which the stated effect of a chosen design is tested. */
const tried = 60

/** A chosen folder and the rest as control, with shocks shared within folders: no change, or one as large as the stated effect. */
export const chosenRows = (runs: number, seed: number): ReadonlyArray<Row> => {
  const random = new Random(seed)
  const tally = new Tally()
  const lengths = { pre_days: 28, settle_days: 0, post_days: 28 }
  for (let run = 0; run < runs; run++) {
    const site = drawSite(random, { pages: 200, history: Math.max(...histories), after: 4, folderShocks: 0.1 })
    const before = clicksBefore(site.panel, lengths.pre_days)
    const pages = [...site.folder.keys()].filter((page) => (before[page] ?? 0) >= 1)
    const arms = {
      ...lengths,
      assigned: false,
      treatment: pages.filter((page) => site.folder[page] === 0),
      control: pages.filter((page) => site.folder[page] !== 0)
    }
    if (arms.treatment.length < 5) continue
    for (const metric of metrics) {
      const design = { ...arms, metric }
      for (const weeks of histories) {
        const verdict = judge({ ...site.panel, firstDay: site.panel.change - 7 * weeks }, design, metric)
        tally.add(`${metric} ${weeks} rule`, verdict && isSignificant(verdict))
        tally.add(`${metric} ${weeks} pages`, verdict && isByPages(verdict))
      }
      const effect = stated(site.panel, design)
      const found =
        effect === undefined ? undefined : judge(changed(random, site, arms.treatment, effect), design, metric)
      tally.add(`${metric} found`, found && isSignificant(found))
    }
  }
  return metrics.flatMap((metric) =>
    histories.map((weeks) => ({
      name: `chosen folder, ${weeks} weeks of history`,
      metric,
      measured: [
        { of: "false alarms", share: tally.share(`${metric} ${weeks} rule`), low: 0, high: 0.055 },
        { of: "by pages alone", share: tally.share(`${metric} ${weeks} pages`), low: 0.07, high: 1 },
        ...(weeks === tried ? [power(tally.share(`${metric} found`))] : [])
      ]
    }))
  )
}

/** Three standard errors of a share among fewer runs than the law's, minus those among as many. */
const slack = (share: number, runs: number): number => {
  const error = (count: number) => 3 * Math.sqrt((share * (1 - share)) / count)
  return Math.max(0, error(runs) - error(4_000))
}

/** Whether a share obeys the law. */
export const isKept = ({ high, low, share }: Measured, runs: number): boolean =>
  share >= low - slack(low, runs) && share <= high + slack(high, runs)
