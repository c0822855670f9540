import { dayLength } from "../parts/Formats.ts"

/** Days of a range that one deletion takes. */
const mostDays = 500

// Sweden writes days as ISO 8601 does.
const iso = new Intl.DateTimeFormat("sv-SE", { timeZone: "UTC" })

/** The days from the first to the last one, both included; none without both, in the wrong order, or for a range that is too long. */
export const daysBetween = (first: string, last: string): ReadonlyArray<string> => {
  const [from, to] = [Date.parse(first), Date.parse(last)]
  const days = Math.round((to - from) / dayLength) + 1
  if (!(days >= 1 && days <= mostDays)) return []
  return Array.from({ length: days }, (_, day) => iso.format(from + day * dayLength))
}
