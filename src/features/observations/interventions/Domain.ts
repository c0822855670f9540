import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { NonEmptyText, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { WebAddress } from "../../../foundation/schema/WebAddress.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { RunId } from "../../sitehealth/Domain.ts"

export const InterventionId = Uuid.pipe(Schema.brand("InterventionId"))
export type InterventionId = typeof InterventionId.Type

/** A change that went live, recorded by hand. */
export const NewRecord = Schema.Struct({
  project: ProjectId,
  url: WebAddress,
  connector: NonEmptyText,
  summary: NonEmptyText,
  deployedAt: Moment
})
export type NewRecord = typeof NewRecord.Type

/** A recorded change, with its rollback if there was one. */
export const Recorded = Schema.Struct({
  id: InterventionId,
  ...NewRecord.fields,
  rolledBackAt: Schema.NullOr(Moment),
  reason: Schema.NullOr(NonEmptyText)
})
export type Recorded = typeof Recorded.Type

/** The rollback of a recorded change. */
export const Rollback = Schema.Struct({ id: InterventionId, rolledBackAt: Moment, reason: Schema.NullOr(NonEmptyText) })
export type Rollback = typeof Rollback.Type

/** How a change reaches a site. */
export const Connector = Schema.Literal("github", "wordpress", "recorded")

export const Status = Schema.Literal(
  "proposed",
  "merged",
  "deployed",
  "not_verified",
  "closed",
  "rolling_back",
  "rolled_back",
  "conflict"
).annotations({
  identifier: "InterventionStatus",
  description:
    "`proposed`: the pull request is open, or the value not written yet; `merged`: merged or written, and not seen on the site yet; `deployed`: seen there; `not_verified`: not seen there within 24 hours; `closed`: the pull request was closed without being merged; `rolling_back`: the rollback is under way; `rolled_back`: the state before is restored; `conflict`: somebody else changed the same, or a write was sent that neither an answer nor the other side shows; `error` says which. After a write it can be rolled back, and `next_look_at` is set while its effect may still come"
})
export type Status = typeof Status.Type

/** The fault that a change is to repair. */
export const Finding = Schema.Struct({
  run: RunId.annotations({ description: "Site health run of the project that has the finding" }),
  rule: Schema.String.annotations({ description: "Id of the rule that fails" }),
  url: Schema.String.annotations({ description: "URL on which it fails, as the run has it" })
}).annotations({ identifier: "InterventionFinding", description: "The fault that a change is to repair" })
export type Finding = typeof Finding.Type

/** A pull request at GitHub. */
export const PullRequest = Schema.Struct({
  number: Schema.Int.annotations({ description: "Its number in the repository" }),
  url: Schema.NullOr(Schema.String).annotations({ description: "Its page at GitHub; null where GitHub names none" })
}).annotations({ identifier: "PullRequest", description: "A pull request at GitHub" })
export type PullRequest = typeof PullRequest.Type

/** A value at WordPress before and after the change. */
export const ChangedField = Schema.Struct({
  name: Schema.String.annotations({ description: "`title`, or the key of a meta field" }),
  before: Schema.String.annotations({ description: "Its value before the change" }),
  after: Schema.String.annotations({ description: "Its value by the change" })
}).annotations({ identifier: "ChangedField", description: "A value at WordPress before and after the change" })
export type ChangedField = typeof ChangedField.Type

export const PostType = Schema.Literal("posts", "pages")

const moment = (description: string) => Schema.NullOr(Timestamp).annotations({ description })
const ofGitHub = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** A change of a site. */
export const Intervention = Schema.Struct({
  id: InterventionId.annotations({ description: "UUID of the intervention" }),
  project_id: ProjectId.annotations({ description: "UUID of the project" }),
  connector: Connector.annotations({
    description:
      "`github`: a pull request; `wordpress`: a value that is written; `recorded`: made elsewhere, and recorded"
  }),
  system: ofGitHub("Of a recorded one: what it went through, where that was said; else null"),
  status: field(Status, "Where it stands"),
  url: Schema.String.annotations({ description: "Page that is changed" }),
  summary: Schema.String.annotations({ description: "What it changes" }),
  finding: Schema.NullOr(Finding).annotations({ description: "Fault that it is to repair; null without one" }),
  repo: ofGitHub("Repository, `owner/name`; null unless it goes through GitHub, as are the next five"),
  base: ofGitHub("Branch that it is merged into"),
  branch: ofGitHub("Branch that it is proposed on"),
  paths: Schema.NullOr(Schema.Array(Schema.String)).annotations({ description: "Files that it changes" }),
  pull_request: Schema.NullOr(PullRequest).annotations({ description: "Its pull request; null until it is open" }),
  revert_pull_request: Schema.NullOr(PullRequest).annotations({
    description: "Pull request that takes it back; null until it is open"
  }),
  post_type: Schema.NullOr(PostType).annotations({
    description: "Kind of the post; null unless it goes through WordPress, as are the next two"
  }),
  post_id: Schema.NullOr(Schema.Int).annotations({ description: "Number of the post" }),
  fields: Schema.NullOr(Schema.Array(ChangedField)).annotations({ description: "Values that it changes" }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "What went wrong last, or what it waits for; null when nothing did"
  }),
  reason: Schema.NullOr(Schema.String).annotations({ description: "Why it was rolled back, where that was said" }),
  verifying_run_id: Schema.NullOr(RunId).annotations({
    description: "Run under way that is to verify it; null without one"
  }),
  verified_by_run_id: Schema.NullOr(RunId).annotations({
    description: "Run that saw it on the site; null before, and where the page itself was read"
  }),
  next_look_at: moment("When it is looked at again; null when that is not needed any more"),
  created_at: field(Timestamp, "When it was proposed or recorded"),
  merged_at: moment("When it was merged, or seen to be written; null before, and of recorded ones"),
  deployed_at: moment("When it was seen on the site, or went live as recorded; null before"),
  rolled_back_at: moment("When the state before it was restored; null before")
}).annotations({ identifier: "Intervention", description: "A change of a site, from the proposal to the rollback" })
export type Intervention = typeof Intervention.Type
