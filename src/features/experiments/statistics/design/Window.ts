import { type Lengths, weeksOf } from "./Panel.ts"
import { at, type Table } from "./Table.ts"

/** Clicks (y) and impressions (n) of each page before (0) and after (1) a real or a pretended change: the treated pages first, then the control. */
export interface Window {
  readonly treated: number
  readonly size: number
  readonly y0: Float64Array
  readonly y1: Float64Array
  readonly n0: Float64Array
  readonly n1: Float64Array
  /** Imported days before and after. */
  readonly present: readonly [pre: number, post: number]
}

/** Some weeks: from, and before. */
type Weeks = readonly [from: number, to: number]

/** The sums of a column over weeks, for each row; weeks that the table lacks have nothing. */
const sums = (column: Float64Array, { size, weeks }: Table, [from, to]: Weeks): Float64Array => {
  const totals = new Float64Array(size)
  for (let week = Math.max(0, from); week < Math.min(weeks, to); week++)
    for (let row = 0; row < size; row++) totals[row] = at(totals, row) + at(column, week * size + row)
  return totals
}

const daysIn = ({ days }: Table, [from, to]: Weeks): number =>
  days.subarray(Math.max(0, from), Math.max(0, to)).reduce((total, count) => total + count, 0)

/** The windows around a change at the beginning of week `change` of the table: pre [c − a, c), post [c + g, c + g + b). */
export const windowAt = (table: Table, lengths: Lengths, change: number): Window => {
  const { post, pre, settle } = weeksOf(lengths)
  const before: Weeks = [change - pre, change]
  const after: Weeks = [change + settle, change + settle + post]
  return {
    treated: table.treated,
    size: table.size,
    y0: sums(table.clicks, table, before),
    y1: sums(table.clicks, table, after),
    n0: sums(table.impressions, table, before),
    n1: sums(table.impressions, table, after),
    present: [daysIn(table, before), daysIn(table, after)]
  }
}

/** The share of a window's days that must have been imported. */
const share = 0.75

/** The first window, if any, of which too many days are missing. */
export const lacking = ({ present }: Window, { post_days, pre_days }: Lengths): "pre" | "post" | undefined => {
  if (present[0] < share * pre_days) return "pre"
  return present[1] < share * post_days ? "post" : undefined
}

/** The sum of a column over the treated pages. */
export const ofTreated = (column: Float64Array, { treated }: Window): number =>
  column.subarray(0, treated).reduce((total, value) => total + value, 0)

/** How many pages of each arm had a click before the change. */
export const clicked = ({ treated, y0 }: Window): { readonly treatment: number; readonly control: number } => {
  const count = (column: Float64Array) => column.reduce((pages, clicks) => (clicks >= 1 ? pages + 1 : pages), 0)
  return { treatment: count(y0.subarray(0, treated)), control: count(y0.subarray(treated)) }
}
