import { eachDay, lengthOf } from "./SearchWords.ts"

/** Days of a range that one deletion takes. */
const mostDays = 500

/** The days from the first to the last one, both included; none without both, in the wrong order, or for a range that is too long. */
export const daysBetween = (start: string, end: string): ReadonlyArray<string> => {
  const days = lengthOf({ end, start })
  return days >= 1 && days <= mostDays ? eachDay({ end, start }) : []
}
