import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type { ProjectId } from "../projects/Domain.ts"
import { Credentials } from "./Connectors.ts"
import * as Answers from "./GitHub.ts"
import { failed, GitHub, type GitHubFailed, type Request } from "./GitHub.ts"
import type { FileChange } from "./Interventions.ts"
import type { Write } from "./Once.ts"

/** A character without width and meaning: the text looks unchanged, and GitHub does not recognize its syntax. */
const mute = "\u200b"

/**
 * Syntax in titles, texts and commit messages that GitHub or a connected service acts on, up to the interrupting character: mentions, issues and pull
 * requests (which `Fixes` and the like close) by number and by URL, commands to skip checks, and characters that write any of these in Markdown differently,
 * or hide text from reviewers. https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
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

/** A text without syntax that GitHub acts on; its words do not change. */
export const inert = (text: string): string =>
  acts.reduce((so, act) => so.replace(act, (found) => `${found}${mute}`), text)

const noMissing = <A, R>(asked: Effect.Effect<A, GitHubFailed, R>) =>
  Effect.catchIf(
    asked,
    ({ kind }) => kind === "missing",
    () => Effect.succeed(null)
  )

/** Whether the result is a file, or null: not a folder, a link or another repository. */
const isFile = (found: typeof Answers.FileOrFolder.Type | null): found is Answers.File | null =>
  found === null || ("sha" in found && (found.type ?? "file") === "file")

/** Git's own name of a branch. */
const heads = (branch: string) => ["heads", ...branch.split("/")]

/** GitHub's longest title, in characters. */
const longestTitle = 256

/** Sends a request with the token of a site. */
type Ask = <A, I>(request: Request<A, I>) => Effect.Effect<A, GitHubFailed>

/** The requests of one repository. Writes are descriptions for `Once`. */
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

  /** A file at a commit or branch; null when it does not exist. */
  const file = (path: string, ref: string) =>
    Effect.filterOrFail(
      noMissing(ask({ method: "GET", of: Answers.FileOrFolder, path: contents(path), query: { ref } })),
      isFile,
      () => failed("invalid", `${path} is not a file`)
    )

  /** Creates a branch at a commit; an existing branch stays. */
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

  /** Removes a branch; a missing branch counts as removed. */
  const removeBranch = (name: string): Write<true> => ({
    find: Effect.map(noMissing(head(name)), (sha) => (sha === null ? true : null)),
    name: `no branch ${name}`,
    send: Effect.as(ask({ method: "DELETE", of: Schema.Null, path: [...root, "git", "refs", ...heads(name)] }), true)
  })

  /** Writes a file on a branch in place of the expected blob; returns the new blob. */
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

  /** Removes a file from a branch; a missing file counts as removed. */
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

  /** The pull request of a branch, open or not; null when there is none. */
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

/** Repositories by the tokens of sites. */
export class Repositories extends Effect.Service<Repositories>()("interventions/Repositories", {
  dependencies: [Credentials.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const github = yield* GitHub

    /** A repository, with the site's token. At GitHub's rate limit all changes of the site wait. */
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
