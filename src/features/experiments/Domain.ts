import * as Schema from "effect/Schema"
import { field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { Assignment, Design, DesignPatch, FrozenPages, StoredDesign } from "./design/Design.ts"
import { GrowthProjectId } from "./GrowthProjectsApi.ts"
import { Analysis } from "./statistics/Analysis.ts"
import { DesignedAnalysis } from "./statistics/design/DesignedAnalysis.ts"

export const ExperimentId = Uuid.pipe(Schema.brand("ExperimentId"))
export type ExperimentId = typeof ExperimentId.Type

/** One message for a value that is none of the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

/** An experiment is drafted, runs, and is completed by its one evaluation; there is no way back. */
export const ExperimentStatus = Schema.Literal("draft", "running", "completed").annotations(
  instead("must be draft, running or completed")
)
export type ExperimentStatus = typeof ExperimentStatus.Type

/** The verdict on an experiment, by what it rests on. */
export const ExperimentAnalysis = Schema.Union(DesignedAnalysis, Analysis).annotations({
  identifier: "ExperimentAnalysis",
  description: "`DesignedAnalysis` from stored page totals, `Analysis` from counts that were sent"
})

/** A change made to part of a domain's pages, and the verdict on it. */
export const Experiment = Schema.Struct({
  id: ExperimentId.annotations({ description: "UUID of the experiment" }),
  project_id: Schema.propertySignature(GrowthProjectId).annotations({
    description: "UUID of the growth project that it belongs to"
  }),
  name: Schema.String.annotations({ description: "Name for people, 1 to 200 characters" }),
  hypothesis: Schema.NullOr(Schema.String).annotations({
    description: "What the change is expected to do; null when none was written"
  }),
  status: ExperimentStatus.annotations({
    description: "`draft`, `running` from its start, `completed` by its one evaluation"
  }),
  created_at: field(Timestamp, "When it was made"),
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When it was started; null for a draft" }),
  completed_at: Schema.NullOr(Timestamp).annotations({ description: "When it was evaluated; null before that" }),
  analysis: Schema.NullOr(ExperimentAnalysis).annotations({
    description:
      "Verdict: `DesignedAnalysis` from stored page totals, `Analysis` from counts that were sent; null until the experiment was evaluated"
  }),
  design: Schema.optionalWith(StoredDesign, { exact: true }).annotations({
    description: "What is compared with what, and when; absent on an experiment without a design"
  }),
  assignment: Schema.optionalWith(Assignment, { exact: true }).annotations({
    description: "How the service dealt the pages to the arms; absent where it did not"
  }),
  pages: Schema.optionalWith(FrozenPages, { exact: true }).annotations({
    description: "Pages of both arms as the start fixed them; absent before, without a design, and in lists"
  }),
  warnings: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "What the start of a design noticed: pages that never had data, and why it can only fail to be judged where it was started by force; absent before, and without a design"
  })
}).annotations({
  identifier: "Experiment",
  description: "A change to a part of a domain's pages, and the verdict on it"
})
export type Experiment = typeof Experiment.Type

const Hypothesis = Schema.NullOr(Text(2000)).annotations(instead("must be 1 to 2000 characters of valid text, or null"))

/** The initial status of an experiment; only an evaluation completes one. */
export const InitialStatus = Schema.Literal("draft", "running").annotations(instead("must be draft or running"))

/** Body of `POST /experiments/{id}/start`. */
export const StartExperiment = Schema.Struct({
  force: Schema.optionalWith(Schema.Boolean, { default: () => false, exact: true }).annotations({
    description:
      "`true` starts an experiment with a design also where it can only fail to be judged as things stand; `warnings` then say why"
  })
}).annotations({ identifier: "StartExperiment", description: "How it is started" })

/** Body of `POST /experiments`. */
export const NewExperiment = Schema.Struct({
  project_id: Schema.propertySignature(GrowthProjectId).annotations({
    description: "UUID of a growth project of the caller"
  }),
  name: Text(200).annotations({ description: "Name for people, 1 to 200 characters" }),
  hypothesis: Schema.optionalWith(Hypothesis, { default: () => null, exact: true }).annotations({
    description: "What the change is expected to do, 1 to 2,000 characters; null or absent: none"
  }),
  status: Schema.optionalWith(InitialStatus, { default: () => "draft" as const, exact: true }).annotations({
    description: "`running` starts it at once"
  }),
  design: Schema.optionalWith(Design, { exact: true }).annotations({
    description: "Compares stored page totals; without one, counts are sent to the evaluation"
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
    description: "Changes of the design; null takes it away"
  })
}).annotations({ identifier: "ExperimentPatch", description: "The changes; absent fields stay as they are" })
export type ExperimentPatch = typeof ExperimentPatch.Type
