import * as Schema from "effect/Schema"
import { NonEmptyText, Score } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import * as EventKind from "../../events/EventKind.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** A referring domain of high authority no longer links to the site. */
export const backlinkLost = EventKind.make({
  type: "backlink.lost",
  description: "A referring domain whose authority was 60 or more is missing from the newest snapshot.",
  data: Schema.Struct({
    project_id: ProjectId.annotations({ description: "UUID of the project" }),
    domain: NonEmptyText.annotations({ description: "The referring domain" }),
    authority: Score.annotations({ description: "Its authority in the last snapshot that had it, 0 to 100" }),
    last_seen_at: Moment.annotations({ description: "Time of the last snapshot that had it" }),
    missing_since: Moment.annotations({ description: "Time of the first snapshot without it" })
  }),
  example: {
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    domain: "news.example.org",
    authority: 78,
    last_seen_at: "2026-11-14T00:00:00.000000+00:00",
    missing_since: "2026-11-21T00:00:00.000000+00:00"
  }
})
