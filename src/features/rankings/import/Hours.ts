import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Day from "../../../foundation/schema/Day.ts"
import { clockOf, hoursOf, startOf } from "../Pacific.ts"
import { ImportFailed, type Incomplete, type Met, type Time } from "../RawRow.ts"

/** The rows of a file for a day: whether some are of the whole day, the hours from 0, and a time that is no hour. */
interface DayOfFile {
  isWhole: boolean
  readonly hours: Set<number>
  odd: Time | undefined
}

/** Days of tables with equal dimensions, such as pages by country. */
interface Shape {
  /** The clock time that all days have so far. */
  clock: number | undefined
  isHourly: boolean
  readonly days: Map<string, Map<string, DayOfFile>>
}

const hour = 3600

const entryOf = <A>(map: Map<string, A>, key: string, make: () => A): A => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

const clock = (day: string, index: number) => {
  const seconds = clockOf(DateTime.add(startOf(Day.of(day)), { hours: index }))
  return `${String(seconds / hour).padStart(2, "0")}:00`
}

/** Why the hours of a day are no complete day; undefined for a complete day. */
const problemOf = (day: string, isHourly: boolean, files: ReadonlyArray<DayOfFile>): string | undefined => {
  const hours = new Set(files.flatMap((file) => [...file.hours]))
  const odd = files.find((file) => file.odd !== undefined)?.odd
  const isTimed = hours.size > 0 || odd !== undefined
  if (isTimed && files.some(({ isWhole }) => isWhole))
    return `${day} has rows with an hour and rows without one, which would count twice: import either the hours or the day`
  if (!isHourly || !isTimed) return undefined
  if (odd?.zone === "other")
    return `${day} has hours of another time zone: write them in Pacific time, as Search Console does (${day}T05:00:00-07:00)`
  if (odd !== undefined) return `${day} has times that are no hours of that day in Pacific time: write the day alone`
  const all = Array.from({ length: hoursOf(Day.of(day)) }, (_, index) => index)
  const missing = all.find((index) => !hours.has(index))
  return missing === undefined
    ? undefined
    : `${day} has ${hours.size} of its ${all.length} hours in Pacific time; ${clock(day, missing)} is missing. Import all hours of a day together (an hour without impressions as a row of zeros), or export the table by day`
}

/**
 * Keeps the days and hours of an import's tables. A time that all rows share belongs to the spelling of the day. Different times, and hours that the source
 * names, are hours, and a day is the sum of its hours. Stateful: one per import.
 */
export const hours = () => {
  const shapes = new Map<string, Shape>()
  const left = new Map<string, Set<string>>()

  const meet = ({ day, file, isHour, shape, time }: Met) => {
    const of = entryOf(shapes, shape, (): Shape => ({ days: new Map(), isHourly: false, clock: undefined }))
    const found = entryOf(
      entryOf(of.days, day, () => new Map<string, DayOfFile>()),
      file,
      (): DayOfFile => ({ hours: new Set(), isWhole: false, odd: undefined })
    )
    if (time === null) {
      found.isWhole = true
      return
    }
    of.isHourly ||= isHour || (of.clock !== undefined && of.clock !== time.clock)
    of.clock = time.clock
    const index = time.seconds / hour
    if (time.zone !== "other" && Number.isInteger(index) && index >= 0) found.hours.add(index)
    else found.odd = time
  }

  const add = (met: ReadonlyArray<Met>, incomplete: ReadonlyArray<Incomplete>) => {
    for (const one of met) meet(one)
    for (const { day, file } of incomplete) entryOf(left, file, () => new Set<string>()).add(day)
  }

  /** Days of a file that are not final yet. */
  const incompleteOf = (file: string): ReadonlySet<string> => left.get(file) ?? new Set()

  /** The days of all files that are not final yet, in order. */
  const incomplete = (): ReadonlyArray<string> => [...new Set([...left.values()].flatMap((days) => [...days]))].sort()

  /** Whether rows are of hours, which add up; the left side names the first day with missing hours. */
  const areHourly = (): Either.Either<boolean, ImportFailed> => {
    const all = [...shapes.values()]
    if (!all.some(({ isHourly }) => isHourly)) return Either.right(false)
    for (const { days, isHourly } of all)
      for (const [day, files] of [...days].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const final = [...files].filter(([file]) => left.get(file)?.has(day) !== true)
        const reason = problemOf(
          day,
          isHourly,
          final.map(([, found]) => found)
        )
        if (reason !== undefined) return Either.left(new ImportFailed({ file: final[0]?.[0] ?? "", line: 0, reason }))
      }
    return Either.right(true)
  }

  return { add, areHourly, incomplete, incompleteOf }
}
