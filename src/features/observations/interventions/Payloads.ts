import * as Schema from "effect/Schema"
import { portProblem } from "../../../foundation/schema/BadPorts.ts"
import { field } from "../../../foundation/schema/Field.ts"
import { Text } from "../../../foundation/schema/Scalars.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { isWebAddress } from "../../../foundation/schema/WebAddress.ts"
import { RunId } from "../../sitehealth/Domain.ts"
import { PostType } from "./Domain.ts"
import { BranchName, FilePath, RepositoryName } from "./github/Names.ts"

/** Bounds of a change through GitHub: files, and bytes of one and of all. */
export const mostOf = { files: 20, ofFile: 262_144, together: 524_288 } as const

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
