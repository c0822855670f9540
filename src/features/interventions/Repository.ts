import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type { ProjectId } from "../projects/Domain.ts"
import { Credentials } from "./Connectors.ts"
import * as Answers from "./GitHub.ts"
import { failed, GitHub, type GitHubFailed, type Request } from "./GitHub.ts"
import type { FileChange } from "./Interventions.ts"
import type { Write } from "./Once.ts"

/** A character without a width and without a meaning: the words look as they did, and what they stood for is not recognised. */
const mute = "\u200b"

/**
 * What GitHub, or a service that listens there, acts on in a title, a text or the message of a commit, up to the place at which it is interrupted:
 * mentions, issues and pull requests (which `Fixes` and its like close) by number and by address, commands to skip checks, and the characters by which Markdown
 * spells any of these otherwise, or hides text from those who review it.
 * https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
 * https://docs.github.com/en/actions/managing-workflow-runs/skipping-workflow-runs
 */
const acts = [
  /@(?=[\w\\-])/g,
  /#(?=\w)/g,
  /\bGH\\?-(?=\d)/gi,
  /\/(?:issues|pull|pulls|discussions|commit|commits)\/(?=\w)/gi,
  /\[(?=\s*(?:skip|no|ci|actions)\b)/gi,
  /\*{3}(?=NO_CI)/g,
  /&(?=#?\w+;)/g,
  /<(?=[a-z!/?])/gi
] as const

/** A text in which GitHub finds nothing to act on; its words stay as they are. */
export const inert = (text: string): string =>
  acts.reduce((so, act) => so.replace(act, (found) => `${found}${mute}`), text)

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
      () => failed("invalid", `${path} is not a file`)
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

/** Repositories by the tokens of projects. */
export class Repositories extends Effect.Service<Repositories>()("interventions/Repositories", {
  dependencies: [Credentials.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const github = yield* GitHub

    /** A repository, with the project's token. When its requests are spent, all changes of the project wait. */
    const of = Effect.fnUntraced(function* (project: ProjectId, repo: string) {
      const token = yield* credentials.github(project)
      const ask = <A, I>(request: Request<A, I>) =>
        Effect.tapError(github.ask(token, request), ({ kind, until }) =>
          kind === "limited" ? credentials.pause({ project, until }) : Effect.void
        )
      return make(repo, ask)
    })

    return { of }
  })
}) {}
