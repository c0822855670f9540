import * as Option from "effect/Option"
import * as Day from "../../../foundation/schema/Day.ts"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** `Oct 1, 2026` and `October 1, 2026`, as spreadsheets write days in English. */
const named = /^([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})$/

/** Year, month and day, together, by hyphens or by slashes, and a time behind them. */
const numeric = /^(\d{4})(-|\/|)(\d{2})\2(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z| ?UTC|[+-]\d{2}:?\d{2})?)?$/

/** Days whose first two numbers may be the day or the month. */
const ambiguous = /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}$/

/** A day as `YYYY-MM-DD`, or why the text is none. */
export type Read = { readonly day: string } | { readonly reason: string }

const written = (text: string): string | undefined => {
  const [, year, , month, day] = numeric.exec(text) ?? []
  if (year !== undefined) return `${year}-${month}-${day}`
  const [, name = "", number = "", of = ""] = named.exec(text) ?? []
  const index = months.indexOf(name.slice(0, 3).toLowerCase())
  return index < 0 ? undefined : `${of}-${String(index + 1).padStart(2, "0")}-${number.padStart(2, "0")}`
}

/** Reads a day in the spellings that are not ambiguous. Of a time the day is taken as it is written: Search Console's days are Pacific ones. */
export const read = (text: string): Read => {
  const trimmed = text.trim()
  const day = written(trimmed)
  if (day !== undefined && Option.isSome(Day.parse(day))) return { day }
  return {
    reason: ambiguous.test(trimmed)
      ? `"${text}" is ambiguous: it may name the day or the month first; write it YYYY-MM-DD`
      : `"${text}" is not a day written YYYY-MM-DD`
  }
}
