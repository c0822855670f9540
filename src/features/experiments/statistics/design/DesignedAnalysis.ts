import * as Schema from "effect/Schema"
import { field } from "../../../../foundation/schema/Scalars.ts"

const Finite = (description: string) => Schema.Number.pipe(Schema.finite({ description, title: "number" }))
const Count = (description: string) => Schema.Number.pipe(Schema.int({ description, title: "integer" }))
const Probability = (description: string) => Schema.Number.pipe(Schema.between(0, 1, { description, title: "number" }))
const Interval = (description: string) =>
  Schema.Tuple(Finite("Lower bound."), Finite("Upper bound.")).annotations({ description })

/** Codes of limitations, in this order. */
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
  degrees_of_freedom: Finite("Degrees of freedom of Student's t; may be fractional.")
}).annotations({ identifier: "EffectError", description: "A standard error of the logarithm of the effect." })

/** A day, `YYYY-MM-DD`, in Pacific time like all days of Search Console. */
const Dates = Schema.Tuple(Schema.String, Schema.String).annotations({
  description: "First and last day, `YYYY-MM-DD`, both inclusive."
})

const MetricUnit = Schema.Literal("clicks_per_day", "ctr").annotations({
  description: "Unit of `didEstimator`: clicks per day, or clicks per impression."
})

const Pages = Schema.Struct({ treatment: Count("Number of pages."), control: Count("Number of pages.") }).annotations({
  identifier: "ArmPageCounts",
  description: "Number of test and control pages."
})

const Windows = Schema.Struct({
  pre: Dates,
  post: Dates,
  days_present: Schema.Tuple(Count("Days with data in `pre`."), Count("Days with data in `post`.")).annotations({
    description: "Days with data in each period."
  }),
  days: Schema.Tuple(Count("Days of `pre`."), Count("Days of `post`.")).annotations({
    description: "Length of each period in days."
  })
}).annotations({ identifier: "DesignWindows", description: "The days before and after the change that are compared." })

const Totals = Schema.Struct({
  lift_percentage: Finite("The effect by plain sums, which the largest pages dominate.")
}).annotations({ identifier: "TotalsEffect", description: "The effect without weights." })

const Secondary = Schema.Struct({
  metric: Schema.Literal("clicks", "ctr").annotations({ description: "The other metric." }),
  liftPercentage: Finite("Effect on the other metric, in percent."),
  lift_interval: Interval("Its 95% interval, in percent."),
  pValue: Probability("Its p-value after Holm's correction for two metrics.")
}).annotations({ identifier: "SecondaryEffect", description: "The effect on the other metric." })

/** The result of a designed experiment; its numbers are unrounded and finite. */
export const DesignedAnalysis = Schema.Struct({
  didEstimator: Finite(
    "The effect in `unit`: M · (1 − e^−θ), where M is the value of the test pages after the change."
  ),
  liftPercentage: Finite("100 · (e^θ − 1): the effect in percent of the value expected without the change."),
  pValue: Probability("Two-sided p-value of no effect: 2 · P(T > |θ| / standard_error)."),
  isSignificant: Schema.Boolean.annotations({ description: "Whether pValue is below 0.05." }),
  confidenceInterval: Interval("95% interval of didEstimator, in `unit`."),
  method: Schema.Literal("page_jackknife", "placebo_in_time").annotations({
    description:
      "Source of the standard error. `page_jackknife`: variation between pages. `placebo_in_time`: the same comparison at earlier dates without a change."
  }),
  warnings: Schema.Array(Schema.String).annotations({ description: "Limitations of the result, one sentence each." }),
  warning_codes: Schema.Array(WarningCode).annotations({ description: "The codes of `warnings`, in the same order." }),
  unit: MetricUnit,
  lift_interval: Interval("95% interval of liftPercentage, in percent."),
  standard_error: Finite("Standard error of the logarithm of the effect."),
  degrees_of_freedom: Finite("Degrees of freedom of the standard error."),
  page_error: field(Spread, "Standard error from the variation between pages."),
  time_error: Schema.NullOr(Spread).annotations({
    description: "Standard error from the same comparison at earlier dates; null without such dates."
  }),
  placebo_windows: Count("Number of earlier dates with the same comparison."),
  pages: field(Pages, "Number of test and control pages."),
  windows: field(Windows, "The days before and after the change that are compared."),
  totals: field(Totals, "The effect without weights."),
  secondary: Schema.Array(Secondary).annotations({ description: "The effect on the other metric." }),
  verdict: Schema.Literal("increase", "decrease", "no_effect_shown").annotations({
    description: "`no_effect_shown`: the interval includes 0, which does not prove that there is no effect."
  }),
  sentence: Schema.String.annotations({ description: "The result in one sentence." })
}).annotations({ identifier: "DesignedAnalysis", description: "Result of an experiment with a design." })
export type DesignedAnalysis = typeof DesignedAnalysis.Type

/** An interim result of a running experiment, corrected for one preview per planned week. */
export const DesignPreview = Schema.Struct({
  ...DesignedAnalysis.fields,
  final: Schema.Literal(false).annotations({ description: "Always true: an interim result is never final." }),
  weeks: Count("Whole weeks since the change."),
  planned_weeks: Count("Weeks planned after the change; p-value and interval are corrected for this many checks.")
}).annotations({
  identifier: "DesignPreview",
  description: "Interim result of a running experiment, corrected for weekly checks."
})
export type DesignPreview = typeof DesignPreview.Type

const PowerEffect = Schema.Struct({
  post_days: Count("Days after the change."),
  increase_percent: Finite("Minimum detectable increase (80% power), in percent."),
  decrease_percent: Finite("Minimum detectable decrease (80% power), in percent."),
  absolute: Finite("The increase in the unit of the baseline."),
  method: DesignedAnalysis.fields.method,
  placebo_windows: Count("Number of earlier dates behind this estimate.")
}).annotations({ identifier: "DetectableEffect", description: "Minimum detectable effects." })

const NoPower = Schema.Struct({
  post_days: Count("Days after the change."),
  placebo_windows: Schema.Literal(0).annotations({ description: "None: the history is too short." }),
  reason: Schema.Literal("history_too_short").annotations({ description: "Why there is no estimate." }),
  needed_days: Count("Days of history needed.")
}).annotations({ identifier: "UndetectableEffect", description: "A length for which the history is too short." })

const Baseline = Schema.Struct({
  value: Finite("Value of the test pages in the latest baseline period."),
  unit: MetricUnit
}).annotations({ identifier: "DesignBaseline", description: "Current value of the test pages." })

/** The minimum detectable effects of a design. */
export const DesignPower = Schema.Struct({
  baseline: field(Baseline, "Current value of the test pages."),
  effects: Schema.Array(
    Schema.Union(PowerEffect, NoPower).annotations({
      identifier: "DesignEffect",
      description: "Minimum detectable effects by days after the change."
    })
  ).annotations({ description: "One entry for each number of days after the change." }),
  sentence: Schema.String.annotations({ description: "The same in one sentence." })
}).annotations({ identifier: "DesignPower", description: "Statistical power of a design." })
export type DesignPower = typeof DesignPower.Type
