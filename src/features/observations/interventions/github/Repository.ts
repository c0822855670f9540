import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type { FileChange } from "../State.ts"
import * as Answers from "./Answers.ts"
import { failed, type GitHubFailed } from "./Failure.ts"
import type { Request } from "./GitHub.ts"
import { inert } from "./Inert.ts"
import type { Write } from "./Once.ts"

const noMissing = <A, R>(asked: Effect.Effect<A, GitHubFailed, R>) =>
  Effect.catchIf(
    asked,
    ({ kind }) => kind === "missing",
    () => Effect.succeed(null)
  )

/** Whether a file is at a path, or nothing: not a folder, a link or another repository. */
const isFile = (found: typeof Answers.FileOrFolder.Type | null): found is Answers.File | null =>
  found === null || ("sha" in found && (found.type ?? "file") === "file")

/** Git's own name of a branch. */
const heads = (branch: string) => ["heads", ...branch.split("/")]

/** Characters of a title that GitHub takes. */
const longestTitle = 256

/** Sends a request with the token of a project. */
type Ask = <A, I>(request: Request<A, I>) => Effect.Effect<A, GitHubFailed>

/** The requests of one repository. Writes are descriptions, which `Once` sends. */
export const make = (repo: string, ask: Ask) => {
  const [owner = ""] = repo.split("/")
  const root = ["repos", ...repo.split("/")]
  const contents = (path: string) => [...root, "contents", ...path.split("/")]

  /** Commit of a branch. */
  const head = (branch: string) =>
    Effect.map(
      ask({ method: "GET", of: Answers.Ref, path: [...root, "git", "ref", ...heads(branch)] }),
      (ref) => ref.object.sha
    )

  /** A file as a commit or branch has it; null where there is none. */
  const file = (path: string, ref: string) =>
    Effect.filterOrFail(
      noMissing(ask({ method: "GET", of: Answers.FileOrFolder, path: contents(path), query: { ref } })),
      isFile,
      () => failed("invalid", `${path} is no file`)
    )

  /** Makes a branch at a commit; one that is there already is left as it is. */
  const branch = (name: string, sha: string): Write<string> => ({
    find: noMissing(head(name)),
    name: `branch ${name}`,
    send: Effect.map(
      ask({
        body: { ref: `refs/heads/${name}`, sha },
        method: "POST",
        of: Answers.Ref,
        path: [...root, "git", "refs"]
      }),
      (ref) => ref.object.sha
    )
  })

  /** Removes a branch; one that is gone is removed. */
  const removeBranch = (name: string): Write<true> => ({
    find: Effect.map(noMissing(head(name)), (sha) => (sha === null ? true : null)),
    name: `no branch ${name}`,
    send: Effect.as(ask({ method: "DELETE", of: Schema.Null, path: [...root, "git", "refs", ...heads(name)] }), true)
  })

  /** Writes a file on a branch in place of the blob that is expected there; it is the new blob. */
  const write = (
    name: string,
    { content, expected_sha: sha, path }: FileChange,
    message: string,
    isEncoded = false
  ): Write<string> => {
    const base64 = isEncoded ? content : Encoding.encodeBase64(content)
    return {
      find: Effect.map(file(path, name), (there) =>
        there !== null && Answers.base64Of(there) === base64 ? there.sha : null
      ),
      name: `file ${name} ${path}`,
      send: Effect.map(
        ask({
          body: { branch: name, content: base64, message: inert(message), ...(sha === null ? {} : { sha }) },
          method: "PUT",
          of: Answers.WrittenFile,
          path: contents(path)
        }),
        (written) => written.content.sha
      )
    }
  }

  /** Removes a file from a branch; one that is gone is removed. */
  const remove = (name: string, path: string, sha: string, message: string): Write<true> => ({
    find: Effect.map(file(path, name), (there) => (there === null ? true : null)),
    name: `no file ${name} ${path}`,
    send: Effect.as(
      ask({
        body: { branch: name, message: inert(message), sha },
        method: "DELETE",
        of: Answers.RemovedFile,
        path: contents(path)
      }),
      true
    )
  })

  /** The pull request of a branch, open or not; null where there is none. */
  const pullOf = (name: string) =>
    Effect.map(
      ask({
        method: "GET",
        of: Schema.Array(Answers.Pull),
        path: [...root, "pulls"],
        query: { head: `${owner}:${name}`, state: "all" }
      }),
      (found) => found.find(({ head }) => head?.ref === undefined || head.ref === name) ?? null
    )

  /** Opens a pull request of a branch. */
  const open = (name: string, base: string, title: string, body: string): Write<Answers.Pull> => ({
    find: pullOf(name),
    name: `pull request ${name}`,
    send: ask({
      body: { base, body: inert(body), head: name, title: inert(title).slice(0, longestTitle).toWellFormed() },
      method: "POST",
      of: Answers.Pull,
      path: [...root, "pulls"]
    })
  })

  const pull = (number: number) => ask({ method: "GET", of: Answers.Pull, path: [...root, "pulls", String(number)] })

  const close = (number: number): Write<Answers.Pull> => ({
    find: Effect.map(pull(number), (found) => (found.state === "open" ? null : found)),
    name: `no pull request ${number}`,
    send: ask({
      body: { state: "closed" },
      method: "PATCH",
      of: Answers.Pull,
      path: [...root, "pulls", String(number)]
    })
  })

  const about = ask({ method: "GET", of: Answers.Repository, path: root })

  return { about, branch, close, file, head, open, pull, pullOf, remove, removeBranch, write }
}
export type Repository = ReturnType<typeof make>
