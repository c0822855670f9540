import * as Schema from "effect/Schema"
import { Finite, NonEmptyText } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"
import { RunId } from "./Domain.ts"

/** An AI engine's sentiment or citation rate for the brand changed. */
export const geoScoreChanged = EventKind.make({
  type: "geo_score.changed",
  description:
    "Brand sentiment or citation rate in an AI assistant changed by 5 points or more. Measured by Findable, the change is significant in two runs in a row.",
  data: Schema.Struct({
    project_id: ProjectId.annotations({ description: "UUID of the site" }),
    engine: NonEmptyText.annotations({ description: "The AI engine" }),
    metric: Schema.Literal("sentiment", "citation_rate").annotations({ description: "The metric that changed" }),
    previous: Finite.annotations({ description: "Points in the previous snapshot, or in the baseline run" }),
    current: Finite.annotations({ description: "Points in the latest snapshot or run" }),
    delta: Finite.annotations({ description: "current − previous, in points" }),
    measured_at: Moment.annotations({ description: "Time of the latest snapshot, or end of the latest run" }),
    basis: Schema.Literal("run", "import").annotations({
      description: "Source of the numbers: runs of this server, or imported snapshots"
    }),
    model: Schema.optionalWith(NonEmptyText, { exact: true }).annotations({
      description: "With `basis` `run`: the model that answered in both runs"
    }),
    run_id: Schema.optionalWith(RunId, { exact: true }).annotations({
      description: "With `basis` `run`: UUID of the latest run"
    }),
    baseline_run_id: Schema.optionalWith(RunId, { exact: true }).annotations({
      description: "With `basis` `run`: UUID of the baseline run"
    }),
    interval: Schema.optionalWith(Schema.Tuple(Finite, Finite), { exact: true }).annotations({
      description: "With `basis` `run`: 95% interval of `delta`, in points"
    }),
    p_value: Schema.optionalWith(Finite, { exact: true }).annotations({
      description: "With `basis` `run`: p-value of the change in the latest run"
    })
  }),
  example: {
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    engine: "example-engine",
    metric: "citation_rate",
    previous: 31,
    current: 24.5,
    delta: -6.5,
    measured_at: "2026-11-21T00:00:00.000000+00:00",
    basis: "import"
  }
})
