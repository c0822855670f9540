import * as Schema from "effect/Schema"
import { Finite, NonEmptyText } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import * as EventKind from "../../events/EventKind.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** What an AI engine says about the brand, or how often it cites it, changed. */
export const geoScoreChanged = EventKind.make({
  type: "geo_score.changed",
  description: "Brand sentiment or citation rate in the answers of an AI engine moved by 5 points or more.",
  data: Schema.Struct({
    project_id: ProjectId.annotations({ description: "UUID of the project" }),
    engine: NonEmptyText.annotations({ description: "The AI engine whose answers were sampled" }),
    metric: Schema.Literal("sentiment", "citation_rate").annotations({ description: "What moved" }),
    previous: Finite.annotations({ description: "Points in the previous snapshot" }),
    current: Finite.annotations({ description: "Points in the newest snapshot" }),
    delta: Finite.annotations({ description: "current − previous, in points" }),
    measured_at: Moment.annotations({ description: "Time of the newest snapshot" })
  }),
  example: {
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    engine: "example-engine",
    metric: "citation_rate",
    previous: 31,
    current: 24.5,
    delta: -6.5,
    measured_at: "2026-11-21T00:00:00.000000+00:00"
  }
})
