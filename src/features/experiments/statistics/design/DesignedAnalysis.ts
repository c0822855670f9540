import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Scalars.ts"

const Finite = (description: string) => Schema.Number.pipe(Schema.finite({ description, title: "number" }))
const Count = (description: string) => Schema.Number.pipe(Schema.int({ description, title: "integer" }))
const Probability = (description: string) => Schema.Number.pipe(Schema.between(0, 1, { description, title: "number" }))
const Interval = (description: string) =>
  Schema.Tuple(Finite("Lower bound."), Finite("Upper bound.")).annotations({ description })

/** What weakens a verdict, by its code; always in this order. */
export const WarningCode = Schema.Literal(
  "pre_trend",
  "few_pages",
  "dominant_page",
  "totals_disagree",
  "imported_early",
  "missing_days",
  "row_limit",
  "mixed_sources",
  "contamination",
  "short_history",
  "not_randomised",
  "reporting_fault",
  "pages_without_data"
)
export type WarningCode = typeof WarningCode.Type

/** A standard error on the scale of ln(1 + lift), and the degrees of freedom of its Student's t. */
const Spread = Schema.Struct({
  standard_error: Finite("Of the logarithm of the effect."),
  degrees_of_freedom: Finite("Of Student's t; need not be a whole number.")
}).annotations({ identifier: "EffectError", description: "A standard error of the logarithm of the effect." })

/** A day, `YYYY-MM-DD`, Pacific time as all of Search Console's. */
const Dates = Schema.Tuple(Schema.String, Schema.String).annotations({
  description: "First and last day, `YYYY-MM-DD`, both inclusive."
})

const MetricUnit = Schema.Literal("clicks_per_day", "ctr").annotations({
  description: "What `didEstimator` counts: clicks a day, or clicks an impression."
})

const Pages = Schema.Struct({ treatment: Count("Pages of the arm."), control: Count("Pages of the arm.") }).annotations(
  {
    identifier: "ArmPageCounts",
    description: "How many pages each arm has."
  }
)

const Windows = Schema.Struct({
  pre: Dates,
  post: Dates,
  days_present: Schema.Tuple(Count("Imported days of `pre`."), Count("Imported days of `post`.")).annotations({
    description: "How many days of each window were imported."
  }),
  days: Schema.Tuple(Count("Days of `pre`."), Count("Days of `post`.")).annotations({
    description: "How many days each window has."
  })
}).annotations({ identifier: "DesignWindows", description: "The days before and after the change that are compared." })

const Totals = Schema.Struct({
  lift_percentage: Finite("The same effect by plain sums, which the largest pages rule.")
}).annotations({ identifier: "TotalsEffect", description: "The effect without weights." })

const Secondary = Schema.Struct({
  metric: Schema.Literal("clicks", "ctr").annotations({ description: "The other metric." }),
  liftPercentage: Finite("Effect on the other metric, per cent."),
  lift_interval: Interval("Its 95 % interval, per cent."),
  pValue: Probability("Its p-value after Holm's correction for two metrics.")
}).annotations({ identifier: "SecondaryEffect", description: "The effect on a metric that the verdict is not about." })

/** The verdict on a designed experiment; no number in it is rounded, and each is finite. */
export const DesignedAnalysis = Schema.Struct({
  didEstimator: Finite("The effect in `unit`: M · (1 − e^−θ), where M is the treated pages' value after the change."),
  liftPercentage: Finite("100 · (e^θ − 1): the effect in per cent of what was to be expected without the change."),
  pValue: Probability("Two-sided p-value of no effect: 2 · P(T > |θ| / standard_error)."),
  isSignificant: Schema.Boolean.annotations({ description: "Whether pValue is below 0.05." }),
  confidenceInterval: Interval("95 % interval of didEstimator, in `unit`."),
  method: Schema.Literal("page_jackknife", "placebo_in_time").annotations({
    description:
      "Whose error decided. `page_jackknife`: how the pages differ among themselves. `placebo_in_time`: how the same comparison came out at dates when nothing was changed."
  }),
  warnings: Schema.Array(Schema.String).annotations({ description: "What weakens the verdict, a sentence each." }),
  warning_codes: Schema.Array(WarningCode).annotations({ description: "The codes of `warnings`, in the same order." }),
  unit: MetricUnit,
  lift_interval: Interval("95 % interval of liftPercentage, per cent."),
  standard_error: Finite("The error that decided, of the logarithm of the effect."),
  degrees_of_freedom: Finite("Those of the error that decided."),
  page_error: field(Spread, "The error by how pages of an arm differ."),
  time_error: Schema.NullOr(Spread).annotations({
    description: "The error by how the comparison came out at earlier dates; null without such dates."
  }),
  placebo_windows: Count("Earlier dates at which the same comparison was made."),
  pages: field(Pages, "How many pages each arm has."),
  windows: field(Windows, "The days before and after the change that are compared."),
  totals: field(Totals, "The effect without weights."),
  secondary: Schema.Array(Secondary).annotations({ description: "The effect on the other metric." }),
  verdict: Schema.Literal("increase", "decrease", "no_effect_shown").annotations({
    description: "`no_effect_shown`: the interval has 0 in it, which does not prove that there is no effect."
  }),
  sentence: Schema.String.annotations({ description: "The verdict in one sentence." })
}).annotations({ identifier: "DesignedAnalysis", description: "Verdict on an experiment designed from page totals." })
export type DesignedAnalysis = typeof DesignedAnalysis.Type

/** A look at a running experiment, corrected for as many looks as it has planned weeks. */
export const DesignPreview = Schema.Struct({
  ...DesignedAnalysis.fields,
  final: Schema.Literal(false).annotations({ description: "A look is never the verdict." }),
  weeks: Count("Whole weeks since the change that the look rests on."),
  planned_weeks: Count("Weeks that the design has after the change: the number of looks that are corrected for.")
}).annotations({ identifier: "DesignPreview", description: "How a running experiment stands, corrected for looks." })
export type DesignPreview = typeof DesignPreview.Type

const PowerEffect = Schema.Struct({
  post_days: Count("Days after the change."),
  increase_percent: Finite("The smallest increase that is found in 80 % of experiments, per cent."),
  decrease_percent: Finite("The smallest decrease that is found in 80 % of experiments, per cent."),
  absolute: Finite("The increase in the unit of the baseline."),
  method: DesignedAnalysis.fields.method,
  placebo_windows: Count("Earlier dates that this rests on.")
}).annotations({ identifier: "DetectableEffect", description: "The smallest effects that are found." })

const NoPower = Schema.Struct({
  post_days: Count("Days after the change."),
  placebo_windows: Schema.Literal(0).annotations({ description: "There are none." }),
  reason: Schema.Literal("history_too_short").annotations({ description: "Why nothing can be said." }),
  needed_days: Count("Days of history that are needed.")
}).annotations({ identifier: "UndetectableEffect", description: "A length for which the history is too short." })

const Baseline = Schema.Struct({
  value: Finite("The treated pages' value over the newest pre window."),
  unit: MetricUnit
}).annotations({ identifier: "DesignBaseline", description: "What the treated pages have now." })

/** The effects that a design can show. */
export const DesignPower = Schema.Struct({
  baseline: field(Baseline, "What the treated pages have now."),
  effects: Schema.Array(
    Schema.Union(PowerEffect, NoPower).annotations({
      identifier: "DesignEffect",
      description: "What is found with so many days after the change."
    })
  ).annotations({ description: "One entry for each length of the time after the change." }),
  sentence: Schema.String.annotations({ description: "The same in one sentence." })
}).annotations({ identifier: "DesignPower", description: "The effects that a design can show." })
export type DesignPower = typeof DesignPower.Type
