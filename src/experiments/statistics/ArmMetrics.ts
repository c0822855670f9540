import * as Schema from "effect/Schema"

const Count = (description: string, minimum: number) => {
  const message = () => `must be an integer from ${minimum} to ${Number.MAX_SAFE_INTEGER}`
  return Schema.Number.pipe(
    Schema.int({ message }),
    Schema.between(minimum, Number.MAX_SAFE_INTEGER, { message, description, title: "count" })
  )
}

const tooMany = (period: "pre" | "post") => ({
  path: [`${period}Conversions`],
  message: `must not exceed ${period}Impressions`
})

/** The counts of one arm before (`pre`) and after (`post`) the change: integers up to 2^53 − 1, conversions out of impressions. */
export const ArmMetrics = Schema.Struct({
  preImpressions: Count("Impressions before the change, at least 1.", 1),
  postImpressions: Count("Impressions after the change, at least 1.", 1),
  preConversions: Count("Conversions before the change, at most preImpressions.", 0),
  postConversions: Count("Conversions after the change, at most postImpressions.", 0)
}).pipe(
  Schema.filter(
    (arm) => [
      ...(arm.preConversions > arm.preImpressions ? [tooMany("pre")] : []),
      ...(arm.postConversions > arm.postImpressions ? [tooMany("post")] : [])
    ],
    { jsonSchema: {} }
  ),
  Schema.brand("ArmMetrics", {
    identifier: "ArmMetrics",
    description: "Counts of one arm, before and after the change; conversions never exceed impressions."
  })
)
export type ArmMetrics = typeof ArmMetrics.Type

/** What an evaluation needs: the control arm, which did not get the change, and the treatment arm, which did. */
export const ExperimentMetrics = Schema.Struct({
  controlMetrics: ArmMetrics,
  treatmentMetrics: ArmMetrics
}).annotations({ identifier: "ExperimentMetrics" })
export type ExperimentMetrics = typeof ExperimentMetrics.Type
