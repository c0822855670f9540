import * as Schema from "effect/Schema"
import { ChangedField, PostType, PullRequest, Status } from "./Domain.ts"

// What is stored of a change beside its columns: what was asked for, and what the connector made of it so far.

/** A file of a change; `expected_sha` is the blob that it replaces, null for a new file. */
export const FileChange = Schema.Struct({
  path: Schema.String,
  expected_sha: Schema.NullOr(Schema.String),
  content: Schema.String
})
export type FileChange = typeof FileChange.Type

/** A pull request that takes a change back: the how-manieth of its intervention, the status to return to where it is closed, and the commit that it begins at. */
const Revert = Schema.Struct({
  number: Schema.Int,
  from: Status,
  base_sha: Schema.String,
  pull: Schema.NullOr(PullRequest)
})

/** A change through GitHub. */
export const GitHubState = Schema.Struct({
  repo: Schema.String,
  base: Schema.String,
  /** Commit of the base at which the files were as expected. */
  base_sha: Schema.String,
  changes: Schema.Array(FileChange),
  pull: Schema.NullOr(PullRequest),
  /** The blobs that were written. */
  written: Schema.Array(Schema.Struct({ path: Schema.String, sha: Schema.String })),
  revert: Schema.NullOr(Revert)
})
export type GitHubState = typeof GitHubState.Type

/** A change through WordPress. */
export const WordPressState = Schema.Struct({
  post_type: PostType,
  post_id: Schema.Int,
  /** Public address of the post. */
  link: Schema.String,
  fields: Schema.Array(ChangedField),
  /** What WordPress made of the values, by its own answer, where it stored others than were written. */
  stored: Schema.optionalWith(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })), {
    default: () => []
  })
})
export type WordPressState = typeof WordPressState.Type

/** Names of the writes of a rollback begin with this. */
export const rollback = "rollback "

/** The branch of a change. */
export const branchOf = (id: string): string => `findable/${id}`

/** The branch of a pull request that takes it back. */
export const revertBranchOf = (id: string, number: number): string =>
  `${branchOf(id)}-revert${number === 1 ? "" : `-${number}`}`
