import type { DayNumber } from "../../../../foundation/schema/Day.ts"

/** The metric of a designed experiment; the other metric is secondary. */
export type Metric = "clicks" | "ctr"

/**
 * Clicks and impressions of pages in weeks anchored at the change: week `changeWeek` begins on the day of the change. All bounds of windows are a multiple of
 * seven days from it, so sums of weeks suffice. A missing day has no rows, so it drops out of both arms.
 */
export interface Panel {
  /** Distinct paths of the pages. */
  readonly pages: ReadonlyArray<string>
  readonly weeks: number
  /** Clicks of page `p` in week `w` at `p · weeks + w`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
  /** Imported days of each week, 0 to 7. */
  readonly days: Uint8Array
  /** Number of weeks before the change. */
  readonly changeWeek: number
  /** The first day with the change; without one yet, the day after the latest final day. */
  readonly change: DayNumber
  /** The first imported day of the site: no window begins before it, except the real one. */
  readonly firstDay: DayNumber
}

/** Lengths of the windows in days, each a multiple of 7: before the change, settling after it, and the measurement. */
export interface Lengths {
  readonly pre_days: number
  readonly settle_days: number
  readonly post_days: number
}

/** The pages to compare, and the windows. */
export interface Design extends Lengths {
  readonly metric: Metric
  /** Indices of pages in the panel; no page is in both arms. */
  readonly treatment: ReadonlyArray<number>
  readonly control: ReadonlyArray<number>
  /** Whether the service assigned the pages before the change. */
  readonly assigned: boolean
}

/** Lengths of the windows in weeks. */
export const weeksOf = ({ post_days, pre_days, settle_days }: Lengths) => ({
  pre: pre_days / 7,
  settle: settle_days / 7,
  post: post_days / 7
})
