import * as Schema from "effect/Schema"
import { NonEmptyText, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"

const intervention = {
  id: Uuid.annotations({ description: "Id of the intervention" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  url: WebAddress.annotations({ description: "The page that was changed" }),
  connector: NonEmptyText.annotations({
    description: "What it went through: `github`, `wordpress`, or the system of a recorded one"
  }),
  summary: NonEmptyText.annotations({ description: "What the fix changes" }),
  verified_by_run_id: Schema.optionalWith(Uuid, { exact: true }).annotations({
    description: "Run that saw it on the site; absent where no run verified it"
  })
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
  description: "A change of the site went live: it was merged or written and then seen there, or recorded by hand.",
  data: Schema.Struct({
    ...intervention,
    deployed_at: Moment.annotations({ description: "When it went live" })
  }),
  example
})

/** An automated fix was rolled back. */
export const interventionRolledBack = EventKind.make({
  type: "intervention.rolled_back",
  description: "The state before a change was restored, or its pull request closed before it was merged.",
  data: Schema.Struct({
    ...intervention,
    deployed_at: Schema.NullOr(Moment).annotations({
      description: "When it went live; null of one that was rolled back before"
    }),
    rolled_back_at: Moment.annotations({ description: "When the state before it was restored" }),
    reason: Schema.NullOr(NonEmptyText).annotations({ description: "Why it was rolled back, where known" })
  }),
  example: {
    ...example,
    rolled_back_at: "2026-11-22T07:00:03.000000+00:00",
    reason: "Conversions fell after the deployment"
  }
})
