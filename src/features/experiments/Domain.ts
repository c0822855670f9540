import * as Schema from "effect/Schema"
import { Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { GrowthProjectId } from "./GrowthProject.ts"
import { Analysis } from "./statistics/Analysis.ts"

export const ExperimentId = Uuid.pipe(Schema.brand("ExperimentId"))
export type ExperimentId = typeof ExperimentId.Type

/** One message for a value that is none of the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** An experiment is drafted, runs, and is completed by its one evaluation; there is no way back. */
export const ExperimentStatus = Schema.Literal("draft", "running", "completed").annotations(
  instead("must be draft, running or completed")
)
export type ExperimentStatus = typeof ExperimentStatus.Type

/** A change made to part of a domain's pages, and the verdict on it. */
export const Experiment = Schema.Struct({
  id: ExperimentId,
  project_id: Schema.propertySignature(GrowthProjectId).annotations({
    description: "the growth project it belongs to"
  }),
  name: Schema.String,
  hypothesis: Schema.NullOr(Schema.String),
  status: ExperimentStatus,
  created_at: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  completed_at: Schema.NullOr(Timestamp),
  analysis: Schema.NullOr(Analysis).annotations({ description: "null until the experiment was evaluated" })
}).annotations({ identifier: "Experiment" })
export type Experiment = typeof Experiment.Type

const Hypothesis = Schema.NullOr(Text(2000)).annotations(instead("must be 1 to 2000 characters of valid text, or null"))

/** The initial status of an experiment; only an evaluation completes one. */
export const InitialStatus = Schema.Literal("draft", "running").annotations(instead("must be draft or running"))

/** Body of `POST /experiments`. */
export const NewExperiment = Schema.Struct({
  project_id: Schema.propertySignature(GrowthProjectId).annotations({ description: "a growth project of the caller" }),
  name: Text(200),
  hypothesis: Schema.optionalWith(Hypothesis, { default: () => null, exact: true }),
  status: Schema.optionalWith(InitialStatus, { default: () => "draft" as const, exact: true }).annotations({
    description: "`running` starts it at once"
  })
}).annotations({ identifier: "NewExperiment" })
export type NewExperiment = typeof NewExperiment.Type

/** The changes of a draft; absent fields stay as they are. */
export const ExperimentPatch = Schema.Struct({
  name: Schema.optionalWith(Text(200), { exact: true }),
  hypothesis: Schema.optionalWith(Hypothesis, { exact: true })
}).annotations({ identifier: "ExperimentPatch" })
export type ExperimentPatch = typeof ExperimentPatch.Type
