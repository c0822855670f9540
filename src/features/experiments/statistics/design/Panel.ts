import type { DayNumber } from "../../../../foundation/schema/Day.ts"

/** What a designed experiment is judged by; the other one stands beside it. */
export type Metric = "clicks" | "ctr"

/**
 * Clicks and impressions of pages in weeks that are anchored at the change: week `changeWeek` begins on the day of the change. All bounds of windows lie a
 * multiple of seven days from it, so that sums of weeks are enough. A day that was not imported has no rows, so it drops out of both arms by itself.
 */
export interface Panel {
  /** Paths of the pages, each once. */
  readonly pages: ReadonlyArray<string>
  readonly weeks: number
  /** Clicks of page `p` in week `w` at `p · weeks + w`. */
  readonly clicks: Float64Array
  readonly impressions: Float64Array
  /** Imported days of each week, 0 to 7. */
  readonly days: Uint8Array
  /** Weeks that lie before the change. */
  readonly changeWeek: number
  /** The first day with the change; where there is none yet, the day after the newest final one. */
  readonly change: DayNumber
  /** The first imported day of the site: no window begins before it, unless it is the real one. */
  readonly firstDay: DayNumber
}

/** Lengths of the windows in days, each a multiple of 7: before the change, after it without verdict, after that. */
export interface Lengths {
  readonly pre_days: number
  readonly settle_days: number
  readonly post_days: number
}

/** Whose pages are compared, and over which windows. */
export interface Design extends Lengths {
  readonly metric: Metric
  /** Indices of pages of the panel; no page is in both arms. */
  readonly treatment: ReadonlyArray<number>
  readonly control: ReadonlyArray<number>
  /** Whether the service dealt the pages to the arms before the change. */
  readonly assigned: boolean
}

/** Lengths of the windows in weeks. */
export const weeksOf = ({ post_days, pre_days, settle_days }: Lengths) => ({
  pre: pre_days / 7,
  settle: settle_days / 7,
  post: post_days / 7
})
