import { dayAfter, dayLength } from "../parts/Formats.ts"

/** Days of a range that one deletion takes. */
const mostDays = 500

/** The days from the first to the last one, both included; none without both, in the wrong order, or for a range that is too long. */
export const daysBetween = (first: string, last: string): ReadonlyArray<string> => {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / dayLength) + 1
  if (!(days >= 1 && days <= mostDays)) return []
  return Array.from({ length: days }, (_, day) => dayAfter(first, day))
}
