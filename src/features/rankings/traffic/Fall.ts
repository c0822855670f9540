import { criticalT } from "../../../foundation/statistics/StudentT.ts"
import { type Change, changeBetween, type Variation, type Weeks, weekly } from "../opportunities/statistics/Decay.ts"

/** Clicks that the window before a fall has at least. */
export const leastClicks = 50

/** Of the clicks before a fall, the share at which it is over. */
const recovered = 0.9

/**
 * P(a change as low as this, when nothing changed) up to which a fall begins, and up to which it lasts; that of pages which begin to fall is their
 * q-value (Benjamini and Hochberg 1995). Imports follow one another and each compares anew, so the levels are stricter than those of a list that is read
 * once: of the imports of a site where nothing changes at most one in a hundred reports anything (`bun run campaign opportunities`).
 */
export const levels = {
  page: { begins: 0.005, lasts: 0.05 },
  site: { begins: 0.001, lasts: 0.01 }
} as const

/** What a fall is measured by while it lasts: clicks of the window before it, and how weeks varied then. */
export interface Base extends Variation {
  readonly before: number
}

export const baseOf = (weeks: Weeks, { before }: Change): Base => ({ ...weekly(weeks), before })

const sumOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)

/** The change from before a fall to the newest window; `season` is a fall that the property has each year, as ln. */
export const since = (base: Base, weeks: Weeks, season: number): Change =>
  changeBetween(base.before, sumOf(weeks.now), base, season)

/** Whether a fall is over: nearly as many clicks as before it, or no longer significantly fewer. */
export const isOver = ({ before, now, p }: Change, level: number): boolean => now >= recovered * before || p > level

const percent = (log: number) => 100 * Math.expm1(log)

/** A change in per cent, with its 95 % interval. The season is a part of it. */
export const percentOf = ({ before, error, freedom, now, theta }: Change, season: number) => {
  const half = criticalT(freedom) * error
  return {
    change_percent: 100 * (now / before - 1),
    interval: [percent(theta + season - half), percent(theta + season + half)] as const
  }
}
