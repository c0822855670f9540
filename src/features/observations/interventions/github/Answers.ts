import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import { isWebAddress } from "../../../../foundation/schema/WebAddress.ts"
import type { PullRequest } from "../Domain.ts"

// What is read of GitHub's answers; other fields, and new ones, are ignored. https://docs.github.com/en/rest

export const Repository = Schema.Struct({
  default_branch: Schema.String,
  archived: Schema.optional(Schema.Boolean)
})

export const Ref = Schema.Struct({ object: Schema.Struct({ sha: Schema.NonEmptyString }) })

/** A file; of one above 1 MB GitHub leaves the content out. */
export const File = Schema.Struct({
  sha: Schema.NonEmptyString,
  type: Schema.optional(Schema.String),
  encoding: Schema.optional(Schema.String),
  size: Schema.optional(Schema.Number),
  content: Schema.optional(Schema.String)
})
export type File = typeof File.Type

/** What is at a path: a file, or the entries of a folder. */
export const FileOrFolder = Schema.Union(File, Schema.Array(Schema.Unknown))

export const WrittenFile = Schema.Struct({ content: Schema.Struct({ sha: Schema.NonEmptyString }) })

/** Of a file that was removed. */
export const RemovedFile = Schema.Struct({ commit: Schema.Unknown })

export const Pull = Schema.Struct({
  number: Schema.Int,
  html_url: Schema.optional(Schema.String),
  state: Schema.String,
  merged_at: Schema.optional(Schema.NullOr(Schema.String)),
  merged: Schema.optional(Schema.NullOr(Schema.Boolean)),
  head: Schema.optional(Schema.Struct({ ref: Schema.optional(Schema.String), sha: Schema.optional(Schema.String) }))
})
export type Pull = typeof Pull.Type

/** A pull request as it is stored. */
export const pullOf = ({ html_url: url, number }: Pull): PullRequest => ({
  number,
  url: url !== undefined && url.length <= 2048 && isWebAddress(url) ? url : null
})

/** Lists of pull requests lack `merged`. */
export const isMerged = ({ merged, merged_at }: Pull): boolean => merged ?? typeof merged_at === "string"

/** Bytes of a file above which GitHub leaves its content out. */
const contentAtMost = 1_048_576

/** Whether a file is too large for its content to be read. */
export const isTooLarge = ({ encoding, size = 0 }: File): boolean => encoding === "none" || size > contentAtMost

const compact = /\s/g

/** The bytes of a file in base64 without line breaks; undefined where the answer lacks them. */
export const base64Of = ({ content, encoding }: File): string | undefined =>
  encoding === "base64" && content !== undefined ? content.replace(compact, "") : undefined

/** The text of a file; undefined where the answer lacks its bytes. */
export const textOf = (file: File): string | undefined => {
  const bytes = Either.getOrUndefined(Encoding.decodeBase64(base64Of(file) ?? "?"))
  return bytes === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}
