import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Day from "../../foundation/schema/Day.ts"
import { Invalid } from "../../foundation/schema/DomainError.ts"
import { IsoDate } from "./Domain.ts"

/** The days that are read, both inclusive; without them the 28 days that end at the newest one. */
export const DayParameters = {
  start: Schema.optionalWith(IsoDate, { exact: true }).annotations({
    description: "First day, YYYY-MM-DD, inclusive; 27 days before `end` by default"
  }),
  end: Schema.optionalWith(IsoDate, {
    exact: true
  }).annotations({ description: "Last day, YYYY-MM-DD, inclusive; the newest day with data by default" })
}

/** A range of days as a caller names it. */
export interface DayRange {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

/** A range of days as statements take it. */
export interface Days {
  readonly start: string
  readonly end: string
}

/** Days that are read by default, and at most. */
const [usual, most] = [28, 500]

/** The days that are meant where data end at `newest`; null where there are no data and no days were named. */
export const daysOf = ({ end, start }: DayRange, newest: string | null): Effect.Effect<Days | null, Invalid> =>
  Effect.gen(function* () {
    const last = end ?? newest ?? (start === undefined ? null : Day.format(Day.of(start) + usual - 1))
    if (last === null) return null
    const first = start ?? Day.format(Day.of(last) - usual + 1)
    const length = Day.of(last) - Day.of(first) + 1
    if (length < 1) return yield* Invalid.of("start", `must not be after ${last}, the last day`)
    if (length > most) return yield* Invalid.of("start", `must be at most ${most} days before the end`)
    return { end: last, start: first }
  })

/** A closed range of days. */
export interface Window {
  readonly start: Day.DayNumber
  readonly end: Day.DayNumber
}

/** The two windows that a ranking compares: adjacent, of equal length, the current one ending at the newest day. */
interface Windows {
  readonly current: Window
  readonly previous: Window
}

/** The windows of `length` days (an integer of at least 1) that end at `newest`. */
export const endingAt = (newest: Day.DayNumber, length: number): Windows => ({
  current: { start: newest - length + 1, end: newest },
  previous: { start: newest - 2 * length + 1, end: newest - length }
})
