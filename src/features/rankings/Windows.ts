import type { DayNumber } from "../../foundation/schema/Day.ts"

/** A closed range of days. */
export interface Window {
  readonly start: DayNumber
  readonly end: DayNumber
}

/** The two windows that a ranking compares: adjacent, of equal length, the current one ending at the newest day. */
interface Windows {
  readonly current: Window
  readonly previous: Window
}

/** The windows of `length` days (an integer of at least 1) that end at `newest`. */
export const endingAt = (newest: DayNumber, length: number): Windows => ({
  current: { start: newest - length + 1, end: newest },
  previous: { start: newest - 2 * length + 1, end: newest - length }
})
