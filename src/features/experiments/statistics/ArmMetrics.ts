import * as Schema from "effect/Schema"
import { Count, conversionsWithinImpressions } from "./Count.ts"

/** The counts of one arm before (`pre`) and after (`post`) the change: integers up to 2^53 − 1, conversions out of impressions. */
export const ArmMetrics = Schema.Struct({
  preImpressions: Count("Impressions before the change, at least 1.", 1),
  postImpressions: Count("Impressions after the change, at least 1.", 1),
  preConversions: Count("Conversions before the change, at most preImpressions.", 0),
  postConversions: Count("Conversions after the change, at most postImpressions.", 0)
})
  .annotations({ message: () => "must be an object of counts" })
  .pipe(
    Schema.filter(conversionsWithinImpressions, { jsonSchema: {} }),
    Schema.brand("ArmMetrics", {
      identifier: "ArmMetrics",
      description: "Counts of one arm, before and after the change; conversions never exceed impressions."
    })
  )
export type ArmMetrics = typeof ArmMetrics.Type
