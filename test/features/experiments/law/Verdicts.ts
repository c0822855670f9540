import * as Either from "effect/Either"
import {
  assigning,
  type Design,
  type Metric,
  type Panel,
  powering
} from "../../../../src/features/experiments/statistics/design/Design.ts"
import { pOf, tableOf } from "../../../../src/features/experiments/statistics/design/Estimate.ts"
import { type Judgement, judging, windowOf } from "../../../../src/features/experiments/statistics/design/Judge.ts"
import { finish } from "../../../../src/foundation/schema/Steps.ts"

export const metrics = ["clicks", "ctr"] as const

/** The result by the combined method; undefined for a design that cannot be evaluated. */
export const judge = (panel: Panel, design: Design, metric: Metric): Judgement | undefined => {
  const table = finish(tableOf(panel, design))
  const window = windowOf(table, design, 2)
  if (Either.isLeft(window)) return undefined
  return Either.getOrUndefined(finish(judging(panel, table, design, metric, window.right, 0.05)))
}

export const isSignificant = ({ pValue }: Judgement): boolean => pValue < 0.05

/** Whether the jackknife alone, without the placebos, is significant. */
export const isByPages = ({ page, theta }: Judgement): boolean => pOf(theta, page) < 0.05

export const holds = ({ half, theta }: Judgement, lift: number): boolean => Math.abs(Math.log1p(lift) - theta) <= half

/** Clicks of each page before the change. */
export const clicksBefore = ({ changeWeek, clicks, pages, weeks }: Panel, days: number): ReadonlyArray<number> =>
  pages.map((_, page) =>
    clicks
      .subarray(page * weeks + changeWeek - days / 7, page * weeks + changeWeek)
      .reduce((sum, count) => sum + count, 0)
  )

/** Groups by the product's random assignment. */
export const assigned = (
  panel: Panel,
  lengths: Pick<Design, "pre_days" | "settle_days" | "post_days">,
  seed: string
) => {
  const before = clicksBefore(panel, lengths.pre_days)
  const place = new Map(panel.pages.map((path, page) => [path, page]))
  const { control, treatment } = finish(
    assigning(
      panel.pages.map((path, page) => ({ path, clicks: before[page] ?? 0 })),
      seed
    )
  )
  const pages = (paths: ReadonlyArray<string>) => paths.map((path) => place.get(path) ?? -1)
  return { ...lengths, assigned: true, treatment: pages(treatment), control: pages(control) }
}

/** The stated relative increase of a design; undefined if the history is too short. */
export const stated = (panel: Panel, design: Design): number | undefined => {
  const power = Either.getOrUndefined(finish(powering(panel, design, 2)))
  const effect = power?.effects.find(({ post_days }) => post_days === design.post_days)
  return effect !== undefined && "increase_percent" in effect ? effect.increase_percent / 100 : undefined
}

/** Counts of runs by name, as shares. */
export class Tally {
  private readonly counts = new Map<string, { yes: number; of: number }>()

  add(name: string, isSo: boolean | undefined): void {
    if (isSo === undefined) return
    const { of, yes } = this.counts.get(name) ?? { of: 0, yes: 0 }
    this.counts.set(name, { of: of + 1, yes: yes + (isSo ? 1 : 0) })
  }

  share(name: string): number {
    const { of, yes } = this.counts.get(name) ?? { of: 0, yes: 0 }
    return yes / of
  }
}
