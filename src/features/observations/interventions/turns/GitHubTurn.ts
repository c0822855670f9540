import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LeaseLost } from "../../../../foundation/database/Lease.ts"
import type { Pull } from "../github/Answers.ts"
import { isMerged, pullOf } from "../github/Answers.ts"
import type { GitHubFailed } from "../github/Failure.ts"
import { type Once, onlyOnce } from "../github/Once.ts"
import * as Proposal from "../github/Proposal.ts"
import { Repositories } from "../github/Repositories.ts"
import type { Repository } from "../github/Repository.ts"
import { type Claim, QueueRepo } from "../QueueRepo.ts"
import { GitHubPoll } from "../Settings.ts"
import { branchOf, type GitHubState, revertBranchOf, rollback } from "../State.ts"
import { again, doubtful, isTakenBack, made, merged, type Turn } from "./Turn.ts"

/** Until something is tried again that did not succeed for a passing reason, at most. */
const soon = "1 minute"

/** Whether GitHub refused a write for good. */
const isFinal = (error: GitHubFailed | LeaseLost): error is GitHubFailed =>
  error._tag === "GitHubFailed" && !error.isPassing && error.kind !== "unauthorised" && error.kind !== "doubtful"

/** When it was merged, by GitHub's clock where that goes with ours. */
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

/** The turns of changes that go through GitHub, while there is something to ask there. */
export class GitHubTurn extends Effect.Service<GitHubTurn>()("interventions/turns/GitHubTurn", {
  dependencies: [QueueRepo.Default, Repositories.Default],
  effect: Effect.gen(function* () {
    const repositories = yield* Repositories
    const poll = yield* GitHubPoll
    const queue = yield* QueueRepo

    const onceOf = (claim: Claim) => onlyOnce(claim, queue, isTakenBack(claim) ? rollback : "")

    /** Removes a branch that is not needed any more; answers why it could not be, null when it is gone. */
    const cleared = (branch: string, repository: Repository, once: Once) =>
      once(repository.removeBranch(branch)).pipe(
        Effect.as(null),
        Effect.catchTag("GitHubFailed", ({ message }) =>
          Effect.succeed(`The branch ${branch} could not be removed, remove it at GitHub: ${message}`)
        )
      )

    /** Opens the pull request. What GitHub refuses for good leaves no branch behind. */
    const opening = (claim: Claim, state: GitHubState, repository: Repository) => {
      const once = onceOf(claim)
      const refused = Effect.fnUntraced(function* ({ message }: GitHubFailed) {
        const left = yield* cleared(branchOf(claim.id), repository, once)
        if (left === null) yield* queue.forgetAll(claim)
        return made(claim, { error: left === null ? message : `${message}. ${left}`, status: "conflict" })
      })
      return Proposal.open(claim, state, repository, once).pipe(
        Effect.flatMap((opened) => again(claim, poll, { github: { ...state, ...opened }, status: "proposed" })),
        Effect.catchIf(isFinal, refused)
      )
    }

    const looking = Effect.fnUntraced(function* (claim: Claim, number: number, repository: Repository) {
      const pull = yield* repository.pull(number)
      if (isMerged(pull)) return merged(claim, yield* mergedAtOf(pull, claim))
      return pull.state === "closed" ? made(claim, { status: "closed" }) : yield* again(claim, poll)
    })

    /** Closes the pull request that is still open, and deletes its branch. */
    const closing = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository) {
      const once = onceOf(claim)
      const pull =
        state.pull === null ? yield* repository.pullOf(branchOf(claim.id)) : yield* repository.pull(state.pull.number)
      if (pull !== null && isMerged(pull))
        return merged(claim, yield* mergedAtOf(pull, claim), { error: "It was merged before it could be closed" })
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

    /** Back to where the rollback began. */
    const restored = (claim: Claim, state: GitHubState, from: Turn["status"], error: string) =>
      Effect.map(DateTime.now, (now) =>
        made(claim, {
          due: from === "merged" || from === "proposed" ? now : null,
          error,
          github: state,
          status: from
        })
      )

    /** Opens the pull request that takes a merged change back, and waits until it is merged. */
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
        return yield* Proposal.revert(claim, state, revert, repository, once).pipe(
          Effect.flatMap((pull) =>
            again(claim, poll, { github: { ...state, revert: { ...revert, pull } }, status: "rolling_back" })
          ),
          Effect.catchIf(isFinal, refused)
        )
      }
      const pull = yield* repository.pull(revert.pull.number)
      if (isMerged(pull)) return made(claim, { status: "rolled_back" })
      return pull.state === "closed"
        ? yield* restored(claim, state, revert.from, "The pull request that takes it back was closed")
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

    /** One turn; what fails for a passing reason, or for want of a token, is tried again. */
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
