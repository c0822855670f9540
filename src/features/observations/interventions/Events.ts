import * as Schema from "effect/Schema"
import { NonEmptyText, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { WebAddress } from "../../../foundation/schema/WebAddress.ts"
import * as EventKind from "../../events/EventKind.ts"
import { ProjectId } from "../../projects/Domain.ts"

const intervention = {
  id: Uuid.annotations({ description: "Id of the intervention" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  url: WebAddress.annotations({ description: "The page that was changed" }),
  connector: NonEmptyText.annotations({ description: "The content management system it went through" }),
  summary: NonEmptyText.annotations({ description: "What the fix changes" }),
  deployed_at: Moment.annotations({ description: "When it went live" })
}

const example = {
  id: "0193c1aa-90d1-7d57-b0e6-61a3c6d5e2f0",
  project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
  url: "https://www.example.com/pricing",
  connector: "wordpress",
  summary: "Adds the missing canonical link",
  deployed_at: "2026-11-21T09:29:58.000000+00:00"
}

/** An automated fix went live. */
export const interventionDeployed = EventKind.make({
  type: "intervention.deployed",
  description: "An automated fix was deployed through a CMS connector.",
  data: Schema.Struct(intervention),
  example
})

/** An automated fix was rolled back. */
export const interventionRolledBack = EventKind.make({
  type: "intervention.rolled_back",
  description: "An automated rollback restored the state before a fix.",
  data: Schema.Struct({
    ...intervention,
    rolled_back_at: Moment.annotations({ description: "When the state before it was restored" }),
    reason: Schema.NullOr(NonEmptyText).annotations({ description: "Why it was rolled back, where known" })
  }),
  example: {
    ...example,
    rolled_back_at: "2026-11-22T07:00:03.000000+00:00",
    reason: "Conversions fell after the deployment"
  }
})
