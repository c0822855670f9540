import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LeaseLost } from "../../foundation/database/Lease.ts"
import { base64Of, failed, type GitHubFailed, isMerged, type Pull, pullOf, unread } from "./GitHub.ts"
import { branchOf, type GitHubState, revertBranchOf, rollback } from "./Interventions.ts"
import { type Once, onlyOnce } from "./Once.ts"
import { again, type Claim, doubtful, isTakenBack, made, merged, QueueRepo, type Turn } from "./Queue.ts"
import { Repositories, type Repository } from "./Repository.ts"
import { GitHubPoll } from "./Settings.ts"

/** Maximum characters of a title. */
const longestTitle = 200

const titleOf = (summary: string): string =>
  (summary.split(/[\r\n\u2028\u2029]/, 1)[0] ?? "").slice(0, longestTitle).toWellFormed()

const footer = (id: string) => `\n\n---\nProposed by Findable, intervention ${id}.`

const bodyOf = ({ finding, id, summary, url }: Claim): string => {
  const repairs = finding === null ? `Page: ${url}` : `Fixes \`${finding.rule}\` on ${finding.url}`
  return `${summary}\n\n${repairs}${footer(id)}`
}

/** The blobs of a change on a branch or at a commit. */
const blobsAt = ({ changes }: GitHubState, ref: string, repository: Repository) =>
  Effect.forEach(changes, ({ path }) =>
    Effect.flatMap(repository.file(path, ref), (file) =>
      file === null ? failed("missing", `${path} is not on the branch`) : Effect.succeed({ path, sha: file.sha })
    )
  )

/** Opens the pull request of a change: a branch at the commit with the expected files, then the files, then the request. */
const open = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository, once: Once) {
  const branch = branchOf(claim.id)
  const title = titleOf(claim.summary)
  const request = repository.open(branch, state.base, title, bodyOf(claim))
  // A worker may have died after the request, and somebody may have merged it and removed the branch.
  const earlier = claim.turns > 1 ? yield* Effect.mapError(request.find, unread) : null
  if (earlier !== null) {
    const written = yield* blobsAt(state, earlier.head?.sha ?? branch, repository)
    return { pull: pullOf(earlier), written }
  }
  yield* once(repository.branch(branch, state.base_sha))
  const written = yield* Effect.forEach(state.changes, (change) =>
    Effect.map(once(repository.write(branch, change, title)), (sha) => ({ path: change.path, sha }))
  )
  return { pull: pullOf(yield* once(request)), written }
})

/** Opens the pull request that restores the files from before a change, on a branch at a commit that has the change's files. */
const openRevert = Effect.fnUntraced(function* (
  claim: Claim,
  state: GitHubState,
  { base_sha, number }: NonNullable<GitHubState["revert"]>,
  repository: Repository,
  once: Once
) {
  const branch = revertBranchOf(claim.id, number)
  const title = `Revert "${titleOf(claim.summary)}"`
  const why = claim.reason === null ? "" : `\n\n${claim.reason}`
  const body = `Reverts: ${claim.summary}${why}${footer(claim.id)}`
  const request = repository.open(branch, state.base, title, body)
  const earlier = claim.turns > 1 ? yield* Effect.mapError(request.find, unread) : null
  if (earlier !== null) return pullOf(earlier)
  const ours = new Map(state.written.map(({ path, sha }) => [path, sha]))
  yield* once(repository.branch(branch, base_sha))
  yield* Effect.forEach(
    state.changes,
    Effect.fnUntraced(function* ({ expected_sha, path }) {
      const sha = ours.get(path) ?? ""
      if (expected_sha === null) return yield* once(repository.remove(branch, path, sha, title))
      const before = yield* repository.file(path, state.base_sha)
      const content = before === null ? undefined : base64Of(before)
      if (content === undefined) return yield* failed("missing", `The previous version of ${path} is no longer stored`)
      return yield* once(repository.write(branch, { content, expected_sha: sha, path }, title, true))
    }),
    { discard: true }
  )
  return pullOf(yield* once(request))
})

/** Longest wait before a retry after a temporary failure. */
const soon = "1 minute"

/** Whether GitHub refused a write permanently. */
const isFinal = (error: GitHubFailed | LeaseLost): error is GitHubFailed =>
  error._tag === "GitHubFailed" && !error.isPassing && error.kind !== "unauthorised" && error.kind !== "doubtful"

/** The time of the merge, by GitHub's clock if it is plausible. */
const mergedAtOf = ({ merged_at }: Pull, { createdAt }: Claim) =>
  Effect.map(DateTime.now, (now) =>
    Option.getOrElse(
      Option.flatMap(Option.fromNullable(merged_at), DateTime.make).pipe(
        Option.map(DateTime.toUtc),
        Option.filter(DateTime.between({ maximum: now, minimum: createdAt }))
      ),
      () => now
    )
  )

/** The turns of changes through GitHub. */
export class GitHubTurn extends Effect.Service<GitHubTurn>()("interventions/GitHubTurn", {
  dependencies: [QueueRepo.Default, Repositories.Default],
  effect: Effect.gen(function* () {
    const repositories = yield* Repositories
    const poll = yield* GitHubPoll
    const queue = yield* QueueRepo

    const onceOf = (claim: Claim) => onlyOnce(claim, queue, isTakenBack(claim) ? rollback : "")

    /** Removes an unneeded branch; returns why it failed, null when the branch is gone. */
    const cleared = (branch: string, repository: Repository, once: Once) =>
      once(repository.removeBranch(branch)).pipe(
        Effect.as(null),
        Effect.catchTag("GitHubFailed", ({ message }) =>
          Effect.succeed(`The branch ${branch} could not be deleted. Delete it on GitHub: ${message}`)
        )
      )

    /** Opens the pull request. A permanent refusal leaves no branch behind. */
    const opening = (claim: Claim, state: GitHubState, repository: Repository) => {
      const once = onceOf(claim)
      const refused = Effect.fnUntraced(function* ({ message }: GitHubFailed) {
        const left = yield* cleared(branchOf(claim.id), repository, once)
        if (left === null) yield* queue.forgetAll(claim)
        return made(claim, { error: left === null ? message : `${message}. ${left}`, status: "conflict" })
      })
      return open(claim, state, repository, once).pipe(
        Effect.flatMap((opened) => again(claim, poll, { github: { ...state, ...opened }, status: "proposed" })),
        Effect.catchIf(isFinal, refused)
      )
    }

    const looking = Effect.fnUntraced(function* (claim: Claim, number: number, repository: Repository) {
      const pull = yield* repository.pull(number)
      if (isMerged(pull)) return merged(claim, yield* mergedAtOf(pull, claim))
      return pull.state === "closed" ? made(claim, { status: "closed" }) : yield* again(claim, poll)
    })

    /** Closes the open pull request, and deletes its branch. */
    const closing = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository) {
      const once = onceOf(claim)
      const pull =
        state.pull === null ? yield* repository.pullOf(branchOf(claim.id)) : yield* repository.pull(state.pull.number)
      if (pull !== null && isMerged(pull))
        return merged(claim, yield* mergedAtOf(pull, claim), {
          error: "The pull request was merged before it could be closed"
        })
      const github = { ...state, pull: pull === null ? null : pullOf(pull) }
      if (pull?.state === "open") {
        const closed = yield* once(repository.close(pull.number)).pipe(
          Effect.as(null),
          Effect.catchIf(isFinal, Effect.succeed)
        )
        if (closed !== null) return yield* again(claim, poll, { error: closed.message, github, status: "proposed" })
      }
      const error = yield* cleared(branchOf(claim.id), repository, once)
      return made(claim, { error, github, status: "rolled_back" })
    })

    /** Returns to the status before the rollback. */
    const restored = (claim: Claim, state: GitHubState, from: Turn["status"], error: string) =>
      Effect.map(DateTime.now, (now) =>
        made(claim, {
          due: from === "merged" || from === "proposed" ? now : null,
          error,
          github: state,
          status: from
        })
      )

    /** Opens the pull request that reverts a merged change, and waits for its merge. */
    const reverting = Effect.fnUntraced(function* (
      claim: Claim,
      state: GitHubState,
      revert: NonNullable<GitHubState["revert"]>,
      repository: Repository
    ) {
      if (revert.pull === null) {
        const once = onceOf(claim)
        const refused = ({ message }: GitHubFailed) =>
          Effect.flatMap(cleared(revertBranchOf(claim.id, revert.number), repository, once), (left) =>
            restored(claim, state, revert.from, left === null ? message : `${message}. ${left}`)
          )
        return yield* openRevert(claim, state, revert, repository, once).pipe(
          Effect.flatMap((pull) =>
            again(claim, poll, { github: { ...state, revert: { ...revert, pull } }, status: "rolling_back" })
          ),
          Effect.catchIf(isFinal, refused)
        )
      }
      const pull = yield* repository.pull(revert.pull.number)
      if (isMerged(pull)) return made(claim, { status: "rolled_back" })
      return pull.state === "closed"
        ? yield* restored(claim, state, revert.from, "The pull request of the rollback was closed")
        : yield* again(claim, poll)
    })

    const asked = Effect.fnUntraced(function* (claim: Claim, state: GitHubState) {
      const repository = yield* repositories.of(claim.project, state.repo)
      const { pull, revert } = state
      if (isTakenBack(claim))
        return yield* revert === null ? closing(claim, state, repository) : reverting(claim, state, revert, repository)
      return yield* pull === null ? opening(claim, state, repository) : looking(claim, pull.number, repository)
    })

    const later = ({ kind, message, until }: GitHubFailed, claim: Claim) => {
      switch (kind) {
        case "limited":
          return Effect.flatMap(Clock.currentTimeMillis, (now) =>
            again(claim, Math.max(0, until - now), { error: message })
          )
        case "doubtful":
          return doubtful(claim, message)
        case "unavailable":
          return again(claim, Duration.min(poll, soon), { error: message })
        default:
          return again(claim, poll, { error: message })
      }
    }

    /** One turn; temporary failures and a missing token lead to a retry. */
    const turn = (claim: Claim, state: GitHubState): Effect.Effect<Turn, LeaseLost> =>
      asked(claim, state).pipe(
        Effect.catchTags({
          GitHubFailed: (error) => later(error, claim),
          NotConnected: ({ message }) => again(claim, poll, { error: message })
        })
      )

    return { turn }
  })
}) {}
