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

/** The route of a change to a site. */
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
    "`proposed`: the pull request is open, or the value is not written yet; `merged`: merged or written, but not yet visible on the site; `deployed`: visible on the site; `not_verified`: not visible within 24 hours; `closed`: the pull request was closed without a merge; `rolling_back`: rollback in progress; `rolled_back`: the previous state is restored; `conflict`: somebody else changed the same, or the result of a write is unknown; `error` says which. After a write, a conflict can be rolled back, and `next_look_at` is set while the write may still take effect"
})
export type Status = typeof Status.Type

/** The issue that a change fixes. */
export const Finding = Schema.Struct({
  run: RunId.annotations({ description: "Id of the crawl with this issue" }),
  rule: Schema.String.annotations({ description: "Id of the failing check" }),
  url: Schema.String.annotations({ description: "URL with the issue, as in the crawl" })
}).annotations({ identifier: "InterventionFinding", description: "The issue that the change fixes" })
export type Finding = typeof Finding.Type

/** A pull request at GitHub. */
export const PullRequest = Schema.Struct({
  number: Schema.Int.annotations({ description: "Number of the pull request" }),
  url: Schema.NullOr(Schema.String).annotations({
    description: "URL of the pull request; null when GitHub returns none"
  })
}).annotations({ identifier: "PullRequest", description: "A pull request on GitHub" })
export type PullRequest = typeof PullRequest.Type

/** A value at WordPress before and after the change. */
export const ChangedField = Schema.Struct({
  name: Schema.String.annotations({ description: "`title`, or the key of a meta field" }),
  before: Schema.String.annotations({ description: "Value before the change" }),
  after: Schema.String.annotations({ description: "Value after the change" })
}).annotations({ identifier: "ChangedField", description: "A WordPress value before and after the change" })
export type ChangedField = typeof ChangedField.Type

export const PostType = Schema.Literal("posts", "pages")

const moment = (description: string) => Schema.NullOr(Timestamp).annotations({ description })
const ofGitHub = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

/** A change of a site. */
export const Intervention = Schema.Struct({
  id: InterventionId.annotations({ description: "UUID of the change" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  connector: Connector.annotations({
    description:
      "`github`: a pull request; `wordpress`: values written to WordPress; `recorded`: a change made elsewhere"
  }),
  system: ofGitHub("Recorded changes: the system used, if given; otherwise null"),
  status: field(Status, "Status"),
  url: Schema.String.annotations({ description: "Changed page" }),
  summary: Schema.String.annotations({ description: "What the change does" }),
  finding: Schema.NullOr(Finding).annotations({ description: "Issue that the change fixes; null without one" }),
  repo: ofGitHub("Repository, `owner/name`; null without GitHub, like the next five fields"),
  base: ofGitHub("Target branch"),
  branch: ofGitHub("Branch of the pull request"),
  paths: Schema.NullOr(Schema.Array(Schema.String)).annotations({ description: "Changed files" }),
  pull_request: Schema.NullOr(PullRequest).annotations({ description: "Pull request; null until it is open" }),
  revert_pull_request: Schema.NullOr(PullRequest).annotations({
    description: "Pull request of the rollback; null until it is open"
  }),
  post_type: Schema.NullOr(PostType).annotations({
    description: "Post type; null without WordPress, like the next two fields"
  }),
  post_id: Schema.NullOr(Schema.Int).annotations({ description: "Post id" }),
  fields: Schema.NullOr(Schema.Array(ChangedField)).annotations({ description: "Changed values" }),
  error: Schema.NullOr(Schema.String).annotations({
    description: "Last error, or what the change waits for; otherwise null"
  }),
  reason: Schema.NullOr(Schema.String).annotations({ description: "Reason of the rollback, if given" }),
  verifying_run_id: Schema.NullOr(RunId).annotations({
    description: "Id of the recheck in progress; null without one"
  }),
  verified_by_run_id: Schema.NullOr(RunId).annotations({
    description:
      "Id of the crawl that confirmed the change on the site; null before that, and when only the page was fetched"
  }),
  next_look_at: moment("Time of the next check; null when no more checks are needed"),
  created_at: field(Timestamp, "When the change was proposed or recorded"),
  merged_at: moment("When it was merged or written; null before that, and for recorded changes"),
  deployed_at: moment("When it was confirmed on the site, or went live as recorded; null before that"),
  rolled_back_at: moment("When the previous state was restored; null before that")
}).annotations({ identifier: "Intervention", description: "A change to a site, from the proposal to the rollback" })
export type Intervention = typeof Intervention.Type

const control = /\p{Cc}/u

/** A repository name of GitHub. */
const RepositoryName = Schema.String.pipe(
  Schema.filter((text) => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/.test(text), {
    message: () => "must be owner/name, as on GitHub"
  })
)

/** Whether the name is a valid git branch (git-check-ref-format). */
const isBranch = (name: string): boolean =>
  name.length >= 1 &&
  name.length <= 200 &&
  !control.test(name) &&
  !/[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|^@$/.test(name) &&
  name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock")) &&
  name.isWellFormed()

/** The name of a branch. */
const BranchName = Schema.String.pipe(
  Schema.filter(isBranch, { message: () => "must be a branch name without refs/heads/" })
)

/** Why a path may not be changed; undefined when it may. */
const problemOf = (path: string): string | undefined => {
  if (path.length < 1 || path.length > 500 || control.test(path) || path.includes("\\") || !path.isWellFormed())
    return "must be 1 to 500 characters of a path, with / between its parts"
  if (path.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "must be a path in the repository, without / at its ends and without . or .."
  const why = whyCode(path)
  return why === undefined ? undefined : `must not be a file with executable code: ${why}. Make this change yourself`
}

/** The path of a file in a repository. */
export const FilePath = Schema.String.pipe(
  Schema.filter((path) => problemOf(path) === undefined, { message: ({ actual }) => problemOf(String(actual)) ?? "" })
)

/** Limits of a change through GitHub: files, and bytes of one and of all. */
const mostOf = { files: 20, ofFile: 262_144, together: 524_288 } as const

/** Maximum bytes of a body with this much content, and of its longest text, which may have escapes. */
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
    message: () => "must be an http or https URL of at most 2048 characters"
  }),
  Schema.filter(portProblem)
)

const optionally = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const summary = Text(500).annotations({ description: "What the change does, 1 to 500 characters" })

const NewFinding = Schema.Struct({
  run: RunId.annotations({
    description: "Id of a crawl of the site with this issue, not of a recheck",
    message: () => "must be the id (UUID) of a crawl"
  }),
  rule: field(text(100), "Id of the failing check in that crawl"),
  url: field(page, "URL with the issue in that crawl")
}).annotations({ identifier: "NewInterventionFinding", description: "The issue that the change fixes" })

const finding = Schema.optionalWith(NewFinding, { exact: true }).annotations({
  description: "Issue that the change fixes; Findable rechecks it after the deployment"
})

const bytesOf = (content: string) => new TextEncoder().encode(content).length

const NewFile = Schema.Struct({
  path: field(
    FilePath,
    "Path of the file in the repository; files with executable code, such as workflows, hooks or package.json, are rejected"
  ),
  expected_sha: Schema.NullOr(
    Schema.String.pipe(
      Schema.filter((sha) => /^[\x21-\x7e]{1,100}$/.test(sha), { message: () => "must be a blob SHA, or null" })
    )
  ).annotations({ description: "Current blob SHA of the file, GitHub's `sha`; null for a new file" }),
  content: field(
    Schema.String.pipe(
      Schema.filter(
        (content) => !content.includes("\0") && content.isWellFormed() && bytesOf(content) <= mostOf.ofFile,
        { message: () => `must be valid text of at most ${mostOf.ofFile} bytes` }
      )
    ),
    `New content of the whole file, UTF-8, at most ${mostOf.ofFile} bytes`
  )
}).annotations({ identifier: "NewInterventionFile", description: "A file with its new content" })

const files = Schema.Array(NewFile).pipe(
  Schema.filter((changes) => changes.length >= 1 && changes.length <= mostOf.files, {
    message: () => `must be 1 to ${mostOf.files} files`
  }),
  Schema.filter((changes) => new Set(changes.map(({ path }) => path)).size === changes.length, {
    message: () => "must list each file once"
  }),
  Schema.filter((changes) => changes.reduce((sum, { content }) => sum + bytesOf(content), 0) <= mostOf.together, {
    message: () => `must have at most ${mostOf.together} bytes together`
  })
)

/** A change of files, proposed as a pull request. */
const NewGitHub = Schema.Struct({
  connector: Schema.Literal("github").annotations({ description: "A pull request on GitHub" }),
  repo: field(RepositoryName, "Repository, `owner/name`"),
  base: optionally(BranchName, "Target branch; the repository's default branch by default"),
  changes: field(files, `The files, 1 to ${mostOf.files}, at most ${mostOf.together} bytes in total`),
  finding,
  url: optionally(page, "Changed page, on the host of the site; by default the URL of the issue, or the site's root"),
  summary: field(summary, "What the change does, 1 to 500 characters; the first line is the title of the pull request")
}).annotations({ identifier: "NewGitHubIntervention", description: "A change of files, proposed as a pull request" })

const isMetaKey = (key: string) => /^[A-Za-z0-9_:.-]{1,100}$/.test(key) && key !== "__proto__"

/** A change of a title or of meta fields, written immediately. */
const NewWordPress = Schema.Struct({
  connector: Schema.Literal("wordpress").annotations({ description: "A change in WordPress" }),
  post_type: field(PostType, "Post type"),
  post_id: Schema.Int.pipe(
    Schema.between(1, Number.MAX_SAFE_INTEGER, { message: () => "must be a post id" })
  ).annotations({ description: "Post id" }),
  title: optionally(text(1000), "New title; either `title` or `meta`"),
  meta: optionally(
    Schema.Record({ key: Schema.String, value: text(5000) }).pipe(
      Schema.filter(
        (meta) => Object.keys(meta).length >= 1 && Object.keys(meta).length <= 10 && Object.keys(meta).every(isMetaKey),
        { message: () => "must be 1 to 10 meta fields with their values" }
      )
    ),
    "New values of meta fields by key, such as `_yoast_wpseo_metadesc`"
  ),
  finding,
  summary: optionally(summary, "What the change does, 1 to 500 characters; by default a sentence made of the fields")
}).annotations({ identifier: "NewWordPressIntervention", description: "A change of a title or of meta fields" })

/** A change from elsewhere. */
const NewRecorded = Schema.Struct({
  connector: Schema.Literal("recorded").annotations({ description: "A change made elsewhere" }),
  url: field(page, "Changed page"),
  summary: field(summary, "What the change does, 1 to 500 characters"),
  system: optionally(Text(100), "System used, such as the name of a CMS"),
  deployed_at: optionally(Moment, "When it went live, ISO 8601; now by default")
}).annotations({ identifier: "NewRecordedIntervention", description: "A change made elsewhere" })

/** The body of a new intervention. */
export const NewIntervention = Schema.Union(NewGitHub, NewWordPress, NewRecorded).annotations({
  identifier: "NewIntervention",
  description: "A change to a site, by connector"
})
export type NewIntervention = typeof NewIntervention.Type
export type NewGitHub = typeof NewGitHub.Type
export type NewWordPress = typeof NewWordPress.Type
export type NewFinding = typeof NewFinding.Type

/** The body of a rollback. */
export const RollBack = Schema.Struct({
  reason: optionally(Text(500), "Reason, 1 to 500 characters"),
  rolled_back_at: optionally(Moment, "Recorded changes: when it was rolled back, ISO 8601; now by default")
}).annotations({ identifier: "RollBackIntervention", description: "Reason of the rollback; the body is optional" })
export type RollBack = typeof RollBack.Type
