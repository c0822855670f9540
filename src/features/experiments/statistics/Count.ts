import * as Schema from "effect/Schema"

/** A count that a double holds exactly: an integer from `minimum` to 2^53 − 1. */
export const Count = (description: string, minimum: number) => {
  const message = () => `must be an integer from ${minimum} to ${Number.MAX_SAFE_INTEGER}`
  return Schema.Number.pipe(
    Schema.int({ message }),
    Schema.between(minimum, Number.MAX_SAFE_INTEGER, { message, description, title: "count" })
  )
}

/** What was counted before (`pre`) and after (`post`) a change. */
export interface Counts {
  readonly preImpressions: number
  readonly postImpressions: number
  readonly preConversions: number
  readonly postConversions: number
}

const tooMany = (period: "pre" | "post") => ({
  path: [`${period}Conversions`],
  message: `must not exceed ${period}Impressions`
})

/** Faults of counts whose conversions exceed their impressions. */
export const conversionsWithinImpressions = (counts: Counts) => [
  ...(counts.preConversions > counts.preImpressions ? [tooMany("pre")] : []),
  ...(counts.postConversions > counts.postImpressions ? [tooMany("post")] : [])
]
