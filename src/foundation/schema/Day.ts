import * as Option from "effect/Option"

/** A calendar day as the number of days since 1970-01-01, for arithmetic with windows. */
export type DayNumber = number

const text = /^(\d{4})-(\d{2})-(\d{2})$/
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysIn = (year: number, month: number) => (month === 2 && isLeap(year) ? 29 : (monthDays[month - 1] ?? 0))

/** Days before 1 March of a year counted from 0000-03-01: years that start in March put the leap day last. */
const marchDays = (year: number) => year * 365 + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)

/** Days between 0000-03-01 and 1970-01-01. */
const epoch = 719468

/** Reads `YYYY-MM-DD`; none for text that is no day of the Gregorian calendar from the year 1. */
export const parse = (date: string): Option.Option<DayNumber> => {
  const match = text.exec(date)
  if (match === null) return Option.none()
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1 || day < 1 || day > daysIn(year, month)) return Option.none()
  const sinceMarch = (month + 9) % 12
  return Option.some(marchDays(month > 2 ? year : year - 1) + Math.floor((153 * sinceMarch + 2) / 5) + day - 1 - epoch)
}

/** The number of a validated day; any other text is a defect. */
export const of = (date: string): DayNumber => Option.getOrThrow(parse(date))

/** Writes a day as `YYYY-MM-DD`. */
export const format = (day: DayNumber): string => {
  const days = day + epoch
  const century = Math.floor((4 * days + 3) / 146097)
  const inCentury = days - Math.floor((146097 * century) / 4)
  const yearInCentury = Math.floor((4 * inCentury + 3) / 1461)
  const inYear = inCentury - Math.floor((1461 * yearInCentury) / 4)
  const sinceMarch = Math.floor((5 * inYear + 2) / 153)
  const month = sinceMarch < 10 ? sinceMarch + 3 : sinceMarch - 9
  const year = century * 100 + yearInCentury + (month <= 2 ? 1 : 0)
  const dayOfMonth = inYear - Math.floor((153 * sinceMarch + 2) / 5) + 1
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`
}

const pad = (value: number, width: number) => String(value).padStart(width, "0")
