import * as Schema from "effect/Schema"
import { Count, conversionsWithinImpressions } from "../Count.ts"

/** The two arms of an experiment. */
export const Arm = Schema.Literal("control", "treatment").annotations({
  message: () => ({ message: "must be control or treatment", override: true })
})
export type Arm = typeof Arm.Type

/** The counts of one page of one arm; a page may have no impressions in either period. */
export const PageMetrics = Schema.Struct({
  arm: Arm.annotations({ description: "Whether the page got the change (`treatment`) or not" }),
  page: Schema.optionalWith(
    Schema.String.pipe(Schema.maxLength(2048, { message: () => "must be at most 2048 characters" })).annotations({
      description: "Name of the page, such as its path; it only distinguishes pages."
    }),
    { exact: true }
  ),
  preImpressions: Count("Impressions of the page before the change.", 0),
  postImpressions: Count("Impressions of the page after the change.", 0),
  preConversions: Count("Conversions of the page before the change, at most its preImpressions.", 0),
  postConversions: Count("Conversions of the page after the change, at most its postImpressions.", 0)
})
  .annotations({ message: () => "must be an object of counts with the arm of the page" })
  .pipe(
    Schema.filter(conversionsWithinImpressions, { jsonSchema: {} }),
    Schema.brand("PageMetrics", {
      identifier: "PageMetrics",
      description: "Counts of one page of an arm, before and after the change."
    })
  )
export type PageMetrics = typeof PageMetrics.Type
