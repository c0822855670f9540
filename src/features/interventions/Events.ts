import * as Schema from "effect/Schema"
import { NonEmptyText, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"

const intervention = {
  id: Uuid.annotations({ description: "Id of the change" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  url: WebAddress.annotations({ description: "The changed page" }),
  connector: NonEmptyText.annotations({
    description: "System used: `github`, `wordpress`, or the system of a recorded change"
  }),
  summary: NonEmptyText.annotations({ description: "What the change does" }),
  verified_by_run_id: Schema.optionalWith(Uuid, { exact: true }).annotations({
    description: "Id of the crawl that confirmed the change; absent when no crawl did"
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
  description: "A change to the site went live: Findable confirmed it on the site, or it was recorded.",
  data: Schema.Struct({
    ...intervention,
    deployed_at: Moment.annotations({ description: "When it went live" })
  }),
  example
})

/** An automated fix was rolled back. */
export const interventionRolledBack = EventKind.make({
  type: "intervention.rolled_back",
  description: "A change was rolled back, or its pull request was closed before the merge.",
  data: Schema.Struct({
    ...intervention,
    deployed_at: Schema.NullOr(Moment).annotations({
      description: "When it went live; null if it never did"
    }),
    rolled_back_at: Moment.annotations({ description: "When the previous state was restored" }),
    reason: Schema.NullOr(NonEmptyText).annotations({ description: "Reason of the rollback, if known" })
  }),
  example: {
    ...example,
    rolled_back_at: "2026-11-22T07:00:03.000000+00:00",
    reason: "Conversions fell after the deployment"
  }
})
