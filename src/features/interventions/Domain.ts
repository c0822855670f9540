import * as Schema from "effect/Schema"
import {
  field,
  isWebAddress,
  NonEmptyText,
  portProblem,
  Text,
  Uuid,
  WebAddress
} from "../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../foundation/schema/Time.ts"
import { ProjectId } from "../projects/Domain.ts"
import { RunId } from "../sitehealth/Domain.ts"
import { whyCode } from "./CodePaths.ts"

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
const Connector = Schema.Literal("github", "wordpress", "recorded")

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

const control = /\p{Cc}/u

/** A repository as GitHub names it. */
const RepositoryName = Schema.String.pipe(
  Schema.filter((text) => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(text), {
    message: () => "must be owner/name, as GitHub has it"
  })
)

/** Whether git takes the name for a branch (git-check-ref-format). */
const isBranch = (name: string): boolean =>
  name.length >= 1 &&
  name.length <= 200 &&
  !control.test(name) &&
  !/[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/.test(name) &&
  name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock")) &&
  name.isWellFormed()

/** The name of a branch. */
const BranchName = Schema.String.pipe(
  Schema.filter(isBranch, { message: () => "must be the name of a branch, without refs/heads/" })
)

/** Why a path may not be changed; undefined when it may. */
const problemOf = (path: string): string | undefined => {
  if (path.length < 1 || path.length > 500 || control.test(path) || path.includes("\\") || !path.isWellFormed())
    return "must be 1 to 500 characters of a path, with / between its parts"
  if (path.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "must be a path within the repository: no / at its ends, and no . or .. as a part"
  const why = whyCode(path)
  return why === undefined ? undefined : `must not be a file that runs code: ${why}. Make this change by hand`
}

/** The path of a file in a repository. */
export const FilePath = Schema.String.pipe(
  Schema.filter((path) => problemOf(path) === undefined, { message: ({ actual }) => problemOf(String(actual)) ?? "" })
)

/** Bounds of a change through GitHub: files, and bytes of one and of all. */
const mostOf = { files: 20, ofFile: 262_144, together: 524_288 } as const

/** Bytes of a body with as much content, and of its longest text, whose characters may be escaped. */
export const bodyBytes = { all: 4 * mostOf.together, text: 3 * mostOf.ofFile } as const

const text = (longest: number) =>
  Schema.String.pipe(
    Schema.filter(
      (value) => value.trim() !== "" && value.length <= longest && !value.includes("\0") && value.isWellFormed(),
      { message: () => `must be 1 to ${longest} characters of valid text` }
    )
  )

const page = Schema.String.pipe(
  Schema.filter((url) => url.length <= 2048 && isWebAddress(url), {
    message: () => "must be an http or https address of at most 2048 characters"
  }),
  Schema.filter(portProblem)
)

const optionally = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const summary = Text(500).annotations({ description: "What it changes, 1 to 500 characters" })

const NewFinding = Schema.Struct({
  run: RunId.annotations({
    description: "Site health run of the project that has the finding, not one that verifies another",
    message: () => "must be the id of a run"
  }),
  rule: field(text(100), "Id of the rule that fails in that run"),
  url: field(page, "URL on which it fails there")
}).annotations({ identifier: "NewInterventionFinding", description: "The fault that the change is to repair" })

const finding = Schema.optionalWith(NewFinding, { exact: true }).annotations({
  description: "Fault that it is to repair; a run verifies that it did"
})

const bytesOf = (content: string) => new TextEncoder().encode(content).length

const NewFile = Schema.Struct({
  path: field(
    FilePath,
    "Path of the file in the repository; none that runs code, such as a workflow, a hook or a package.json"
  ),
  expected_sha: Schema.NullOr(
    Schema.String.pipe(
      Schema.filter((sha) => /^[\x21-\x7e]{1,100}$/.test(sha), { message: () => "must be the SHA of a blob, or null" })
    )
  ).annotations({ description: "Blob that the file is now, as GitHub names it in `sha`; null: there is no such file" }),
  content: field(
    Schema.String.pipe(
      Schema.filter(
        (content) => !content.includes("\0") && content.isWellFormed() && bytesOf(content) <= mostOf.ofFile,
        { message: () => `must be valid text of at most ${mostOf.ofFile} bytes` }
      )
    ),
    `The whole file as it is to be, UTF-8, at most ${mostOf.ofFile} bytes`
  )
}).annotations({ identifier: "NewInterventionFile", description: "A file as it is to be" })

const files = Schema.Array(NewFile).pipe(
  Schema.filter((changes) => changes.length >= 1 && changes.length <= mostOf.files, {
    message: () => `must be 1 to ${mostOf.files} files`
  }),
  Schema.filter((changes) => new Set(changes.map(({ path }) => path)).size === changes.length, {
    message: () => "must name each file once"
  }),
  Schema.filter((changes) => changes.reduce((sum, { content }) => sum + bytesOf(content), 0) <= mostOf.together, {
    message: () => `must have at most ${mostOf.together} bytes together`
  })
)

/** A change of files, proposed as a pull request. */
const NewGitHub = Schema.Struct({
  connector: Schema.Literal("github").annotations({ description: "A pull request at GitHub" }),
  repo: field(RepositoryName, "Repository, `owner/name`"),
  base: optionally(BranchName, "Branch that it is to be merged into; the repository's default branch unless set"),
  changes: field(files, `The files, 1 to ${mostOf.files}, together at most ${mostOf.together} bytes`),
  finding,
  url: optionally(
    page,
    "Page that is changed, on the project's host; that of the finding, or the site's root, unless set"
  ),
  summary: field(summary, "What it changes, 1 to 500 characters; its first line is the title of the pull request")
}).annotations({ identifier: "NewGitHubIntervention", description: "A change of files, proposed as a pull request" })

const isMetaKey = (key: string) => /^[A-Za-z0-9_:.-]{1,100}$/.test(key) && key !== "__proto__"

/** A change of a title or of meta fields, written at once. */
const NewWordPress = Schema.Struct({
  connector: Schema.Literal("wordpress").annotations({ description: "A value that is written to WordPress" }),
  post_type: field(PostType, "Kind of the post"),
  post_id: Schema.Int.pipe(
    Schema.between(1, Number.MAX_SAFE_INTEGER, { message: () => "must be the number of a post" })
  ).annotations({ description: "Number of the post" }),
  title: optionally(text(1000), "New title; either this or `meta`"),
  meta: optionally(
    Schema.Record({ key: Schema.String, value: text(5000) }).pipe(
      Schema.filter(
        (meta) => Object.keys(meta).length >= 1 && Object.keys(meta).length <= 10 && Object.keys(meta).every(isMetaKey),
        { message: () => "must be 1 to 10 values by the keys of meta fields" }
      )
    ),
    "New values of meta fields, by their keys, such as `_yoast_wpseo_metadesc`"
  ),
  finding,
  summary: optionally(summary, "What it changes, 1 to 500 characters; a sentence made of the fields unless set")
}).annotations({ identifier: "NewWordPressIntervention", description: "A change of a title or of meta fields" })

/** A change that was made elsewhere. */
const NewRecorded = Schema.Struct({
  connector: Schema.Literal("recorded").annotations({ description: "A change that was made elsewhere" }),
  url: field(page, "Page that was changed"),
  summary: field(summary, "What it changes, 1 to 500 characters"),
  system: optionally(Text(100), "What it went through, such as the name of a content management system"),
  deployed_at: optionally(Moment, "When it went live, ISO 8601; now unless set")
}).annotations({ identifier: "NewRecordedIntervention", description: "A change that was made elsewhere" })

/** The body of a new intervention. */
export const NewIntervention = Schema.Union(NewGitHub, NewWordPress, NewRecorded).annotations({
  identifier: "NewIntervention",
  description: "A change of the site, by its connector"
})
export type NewIntervention = typeof NewIntervention.Type
export type NewGitHub = typeof NewGitHub.Type
export type NewWordPress = typeof NewWordPress.Type
export type NewFinding = typeof NewFinding.Type

/** The body of a rollback. */
export const RollBack = Schema.Struct({
  reason: optionally(Text(500), "Why, 1 to 500 characters"),
  rolled_back_at: optionally(Moment, "Of a recorded one: when, ISO 8601; now unless set")
}).annotations({ identifier: "RollBackIntervention", description: "Why it is rolled back; the body may be absent" })
export type RollBack = typeof RollBack.Type
