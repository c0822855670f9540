import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { apiError } from "../../../../foundation/http/ApiError.ts"
import { Conflict, Invalid } from "../../../../foundation/schema/DomainError.ts"
import type { NewGitHub } from "../Payloads.ts"
import type { GitHubState } from "../State.ts"
import * as Answers from "./Answers.ts"
import type { GitHubFailed } from "./Failure.ts"
import type { Repository } from "./Repository.ts"

/** Seconds after which a request may be sent again that found GitHub without an answer. */
const soon = 30

/** Fails with what a caller is answered when GitHub does not do what a request needs of it. */
export const refusalOf = ({ isPassing, kind, message, until }: GitHubFailed) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const wait = kind === "limited" ? Math.max(1, Math.ceil((until - now) / 1000)) : soon
    const advice = kind === "unauthorised" ? ". Connect the project again, with a valid token" : ""
    return Effect.fail(
      isPassing
        ? apiError<"service_unavailable">("service_unavailable", message, { headers: { "retry-after": String(wait) } })
        : kind === "moved"
          ? Invalid.of("repo", message)
          : new Conflict({ message: `${message}${advice}` })
    )
  })

/** Reads what a change is based on, and writes nothing: the files must be as the caller expects them, or it is refused. */
export const plan = Effect.fnUntraced(function* (payload: NewGitHub, repository: Repository) {
  const missing = (path: string, message: string) => (error: GitHubFailed) =>
    error.kind === "missing" ? Effect.fail(Invalid.of(path, message)) : refusalOf(error)
  const about = yield* Effect.catchAll(
    repository.about,
    missing("repo", "GitHub has no such repository, or the token may not see it")
  )
  if (about.archived === true) return yield* new Conflict({ message: "The repository is archived" })
  const base = payload.base ?? about.default_branch
  const base_sha = yield* Effect.catchAll(repository.head(base), missing("base", "the repository has no such branch"))
  for (const [index, { content, expected_sha, path }] of payload.changes.entries()) {
    const file = yield* Effect.catchAll(repository.file(path, base_sha), refusalOf)
    if ((file?.sha ?? null) !== expected_sha) {
      const is = file === null ? "does not exist" : `is ${file.sha}`
      return yield* new Conflict({ message: `${path} ${is} on ${base}, not as expected; nothing was written` })
    }
    if (file === null) continue
    if (Answers.isTooLarge(file))
      return yield* Invalid.of(`changes.${index}.path`, "is a file of more than 1 MB, which could not be put back")
    if (Answers.textOf(file) === content)
      return yield* Invalid.of(`changes.${index}.content`, "is what the file has already")
  }
  return {
    base,
    base_sha,
    changes: payload.changes,
    pull: null,
    repo: payload.repo,
    revert: null,
    written: []
  } satisfies GitHubState
})

/** The commit of the base at which every file is as the change made it; refused where one is not. */
export const planRevert = ({ base, written }: GitHubState, repository: Repository) =>
  Effect.gen(function* () {
    const head = yield* repository.head(base)
    for (const { path, sha } of written) {
      const file = yield* repository.file(path, head)
      if (file?.sha !== sha) return yield* new Conflict({ message: `${path} was changed since; nothing was written` })
    }
    return head
  }).pipe(Effect.catchTag("GitHubFailed", refusalOf))
