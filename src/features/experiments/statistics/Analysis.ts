import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Scalars.ts"
import { ArmMetrics } from "./ExperimentMetrics.ts"

const Finite = (description: string) => Schema.Number.pipe(Schema.finite({ description, title: "number" }))

const Between = (minimum: number, maximum: number, description: string) =>
  Schema.Number.pipe(Schema.between(minimum, maximum, { description, title: "number" }))

/** The statistical method. */
const Method = Schema.Literal("binomial", "page_clustered", "page_permutation")

/** The result of an experiment; its numbers are unrounded and finite. */
export const Analysis = Schema.Struct({
  didEstimator: Between(
    -2,
    2,
    "Difference-in-Differences of conversion rates, (pT1 − pT0) − (pC1 − pC0), as a fraction: 0.01 is one percentage point."
  ),
  liftPercentage: Finite(
    "100 · didEstimator / (pT0 + pC1 − pC0): the effect in percent of the rate expected without the change; 0 when that rate is not positive."
  ),
  pValue: Between(0, 1, "Two-sided p-value of no effect: erfc(|z|/√2), or by `method`."),
  isSignificant: Schema.Boolean.annotations({
    description: "Whether pValue is below 0.05, which is exactly when confidenceInterval excludes 0."
  }),
  confidenceInterval: Schema.Tuple(Finite("Lower bound."), Finite("Upper bound.")).annotations({
    description:
      "95% interval of the effect as lower and upper bound: didEstimator ± 1.959963984540054 · SE, or by `method`."
  }),
  method: Method.annotations({
    description:
      "Method behind pValue and confidenceInterval. `binomial`: each impression is an independent trial. `page_clustered`: clustered by page, with jackknife standard errors and Student's t. `page_permutation`: permutation test that reassigns pages at random."
  }),
  counts: Schema.optionalWith(
    Schema.Struct({
      control: field(ArmMetrics, "Counts of the control pages"),
      treatment: field(ArmMetrics, "Counts of the test pages")
    }).annotations({ identifier: "AnalysisCounts", description: "The counts of test and control pages, as sent" }),
    { exact: true }
  ).annotations({ description: "The counts behind the result, as sent, without `pages`." }),
  warnings: Schema.Array(Schema.String).annotations({
    description: "Limitations of the result, one or two sentences each, always in the same order."
  })
}).annotations({ identifier: "Analysis", description: "Difference-in-Differences analysis of an experiment." })
export type Analysis = typeof Analysis.Type
