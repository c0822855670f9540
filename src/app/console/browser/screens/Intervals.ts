/** Intervals of schedules, by the value that the API takes. */
export const intervals = {
  "6h": "every 6 hours",
  "12h": "every 12 hours",
  "1d": "every day",
  "7d": "every week",
  "30d": "every 30 days"
}

/** An interval in words. */
export const everyOf = (every: string): string =>
  Object.entries(intervals).find(([value]) => value === every)?.[1] ?? `every ${every}`

/** The choices for a schedule; an interval of another program stays a choice of its schedule. */
export const choicesWith = (every: string): Readonly<Record<string, string>> => ({
  ...(Object.hasOwn(intervals, every) ? {} : { [every]: everyOf(every) }),
  ...intervals
})
