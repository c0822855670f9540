import * as Schema from "effect/Schema"
import { field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { Assignment, Design, DesignPatch, FrozenPages, StoredDesign } from "./design/Design.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
import { Analysis } from "./statistics/Analysis.ts"
import { DesignedAnalysis } from "./statistics/design/DesignedAnalysis.ts"

export const ExperimentId = Uuid.pipe(Schema.brand("ExperimentId"))
export type ExperimentId = typeof ExperimentId.Type

/** One message for any value outside the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** An experiment is drafted, runs, and is completed by its single evaluation; no status goes back. */
export const ExperimentStatus = Schema.Literal("draft", "running", "completed").annotations(
  instead("must be draft, running or completed")
)
export type ExperimentStatus = typeof ExperimentStatus.Type

/** The result of an experiment, from a design or from counts. */
export const ExperimentAnalysis = Schema.Union(DesignedAnalysis, Analysis).annotations({
  identifier: "ExperimentAnalysis",
  description: "`DesignedAnalysis` from stored Search Console data, `Analysis` from sent counts"
})

/** A change to part of a domain's pages, with its result. */
export const Experiment = Schema.Struct({
  id: ExperimentId.annotations({ description: "UUID of the experiment" }),
  project_id: Schema.propertySignature(GrowthProjectId).annotations({
    description: "UUID of the experiment domain (`growth-projects`)"
  }),
  name: Schema.String.annotations({ description: "Display name, 1 to 200 characters" }),
  hypothesis: Schema.NullOr(Schema.String).annotations({
    description: "Expected effect of the change; null without one"
  }),
  status: ExperimentStatus.annotations({
    description: "`draft`, `running` after the start, `completed` after the evaluation"
  }),
  created_at: field(Timestamp, "When it was created"),
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When it was started; null for a draft" }),
  completed_at: Schema.NullOr(Timestamp).annotations({ description: "When it was evaluated; null before that" }),
  analysis: Schema.NullOr(ExperimentAnalysis).annotations({
    description:
      "Result: `DesignedAnalysis` from stored Search Console data, `Analysis` from sent counts; null before the evaluation"
  }),
  design: Schema.optionalWith(StoredDesign, { exact: true }).annotations({
    description: "Pages, days and metric; absent without a design"
  }),
  assignment: Schema.optionalWith(Assignment, { exact: true }).annotations({
    description: "The random assignment; absent without one"
  }),
  pages: Schema.optionalWith(FrozenPages, { exact: true }).annotations({
    description: "Test and control pages as fixed at the start; absent before the start, without a design, and in lists"
  }),
  warnings: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "Warnings from the start: pages without data, and why a forced experiment cannot give a result yet; absent before the start, and without a design"
  })
}).annotations({
  identifier: "Experiment",
  description: "A change to some pages of a domain, and its measured effect"
})
export type Experiment = typeof Experiment.Type

const Hypothesis = Schema.NullOr(Text(2000)).annotations(instead("must be 1 to 2000 characters of valid text, or null"))

/** The initial status of an experiment; only an evaluation completes one. */
export const InitialStatus = Schema.Literal("draft", "running").annotations(instead("must be draft or running"))

/** Body of `POST /experiments/{id}/start`. */
export const StartExperiment = Schema.Struct({
  force: Schema.optionalWith(Schema.Boolean, { default: () => false, exact: true }).annotations({
    description:
      "`true` starts an experiment with a design even if it cannot give a result yet; `warnings` then say why"
  })
}).annotations({ identifier: "StartExperiment", description: "Options of the start" })

/** Body of `POST /experiments`. */
export const NewExperiment = Schema.Struct({
  project_id: Schema.propertySignature(GrowthProjectId).annotations({
    description: "UUID of an experiment domain (`growth-projects`)"
  }),
  name: Text(200).annotations({ description: "Display name, 1 to 200 characters" }),
  hypothesis: Schema.optionalWith(Hypothesis, { default: () => null, exact: true }).annotations({
    description: "Expected effect of the change, 1 to 2,000 characters; optional"
  }),
  status: Schema.optionalWith(InitialStatus, { default: () => "draft" as const, exact: true }).annotations({
    description: "`running` starts it immediately"
  }),
  design: Schema.optionalWith(Design, { exact: true }).annotations({
    description:
      "Pages, days and metric, for a result from stored Search Console data; without a design, send counts to the evaluation"
  })
}).annotations({ identifier: "NewExperiment", description: "The experiment, as a draft or running" })
export type NewExperiment = typeof NewExperiment.Type

/** The changes of a draft; absent fields stay as they are. */
export const ExperimentPatch = Schema.Struct({
  name: Schema.optionalWith(Text(200), { exact: true }).annotations({ description: "New name, 1 to 200 characters" }),
  hypothesis: Schema.optionalWith(Hypothesis, { exact: true }).annotations({
    description: "New hypothesis, 1 to 2,000 characters; null removes it"
  }),
  design: Schema.optionalWith(Schema.NullOr(DesignPatch), { exact: true }).annotations({
    description: "Changes to the design; null removes it"
  })
}).annotations({
  identifier: "ExperimentPatch",
  description: "Fields to change; fields that you leave out stay the same"
})
export type ExperimentPatch = typeof ExperimentPatch.Type
