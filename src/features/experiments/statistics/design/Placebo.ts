import * as Either from "effect/Either"
import type { Steps } from "../../../../foundation/schema/Steps.ts"
import { type Contrast, contrast } from "./Jackknife.ts"
import { type Lengths, type Metric, weeksOf } from "./Panel.ts"
import { type Spread, spread } from "./Spread.ts"
import type { Table } from "./Table.ts"
import { weigh } from "./Weights.ts"
import { lacking, windowAt } from "./Window.ts"

/** The same comparison at an earlier date, at which nothing was changed. */
export interface Placebo extends Contrast {
  /** Whole weeks by which it lies before the change. */
  readonly weeksBefore: number
}

/** Windows that count at most, the newest. */
const most = 52

/** Cost of comparing one page in one pair of windows, in characters: about 0.4 µs. */
export const worth = 5

/** Days of history before the change that the first placebo needs: a + g + b. */
export const neededDays = ({ post_days, pre_days, settle_days }: Lengths): number => pre_days + settle_days + post_days

/**
 * The placebos in time, newest first: c_j = c − g − b − 7j for j = 0, 1, … while c_j − a is not before the first imported day, each with weights of its own. One
 * without 75 % of its days, or with a total that is not positive, is skipped. None of them sees a day from the change on.
 */
export const placebosOf = function* (table: Table, lengths: Lengths, metric: Metric): Steps<ReadonlyArray<Placebo>> {
  const { post, pre, settle } = weeksOf(lengths)
  const found: Array<Placebo> = []
  for (let weeksBefore = settle + post; found.length < most; weeksBefore++) {
    const first = table.changeWeek - weeksBefore - pre
    if (first < 0 || table.change - 7 * (weeksBefore + pre) < table.firstDay) break
    const window = windowAt(table, lengths, table.changeWeek - weeksBefore)
    yield worth * window.size
    if (lacking(window, lengths) !== undefined) continue
    const result = contrast(window, weigh(window).weights, metric)
    if (Either.isRight(result)) found.push({ ...result.right, weeksBefore })
  }
  return found
}

/**
 * How much placebos share that lie l weeks apart: the autocorrelation of h_s = min(q, p + z + q − s)/q − max(0, p − s)/p, s = 1 … P, the weight of a week's step
 * of a random walk in θ; p, z, q are the weeks of the windows and P = p + z + q − 1. Products are not centred.
 */
export const autocorrelation = (lengths: Lengths): ReadonlyArray<number> => {
  const { post: q, pre: p, settle: z } = weeksOf(lengths)
  const h = Array.from({ length: p + z + q - 1 }, (_, index) => {
    const s = index + 1
    return Math.min(q, p + z + q - s) / q - Math.max(0, p - s) / p
  })
  const product = (lag: number) => h.reduce((sum, value, index) => sum + value * (h[index + lag] ?? 0), 0)
  const whole = product(0)
  return h.map((_, lag) => product(lag) / whole)
}

/** ν_t = J / (1 + 2 Σ (1 − l/J) ρ_l²), l = 1 … min(J − 1, P − 1): as many independent windows as the J overlapping ones are worth (M. S. Bartlett, 1946). */
export const freedomOf = (count: number, lengths: Lengths): number => {
  const shared = autocorrelation(lengths)
    .slice(1, count)
    .reduce((sum, rho, index) => sum + (1 - (index + 1) / count) * rho * rho, 0)
  return count / (1 + 2 * shared)
}

/** The error of θ over time, √(Σθ_j²/J), about zero, so that a steady drift counts as noise; none without a placebo. */
export const timeError = (placebos: ReadonlyArray<Placebo>, lengths: Lengths): Spread | null =>
  placebos.length === 0
    ? null
    : spread(
        placebos.reduce((sum, { theta }) => sum + theta * theta, 0) / placebos.length,
        freedomOf(placebos.length, lengths)
      )
