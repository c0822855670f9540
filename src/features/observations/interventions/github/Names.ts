import * as Schema from "effect/Schema"
import { whyCode } from "./CodePaths.ts"

const control = /\p{Cc}/u

/** A repository as GitHub names it. */
export const RepositoryName = Schema.String.pipe(
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
export const BranchName = Schema.String.pipe(
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
