import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Pull } from "../github/Answers.ts"
import { isMerged, pullOf } from "../github/Answers.ts"
import type { GitHubFailed } from "../github/Failure.ts"
import * as Proposal from "../github/Proposal.ts"
import { Repositories } from "../github/Repositories.ts"
import type { Repository } from "../github/Repository.ts"
import type { Claim } from "../QueueRepo.ts"
import { GitHubPoll } from "../Settings.ts"
import { branchOf, type GitHubState, revertBranchOf } from "../State.ts"
import { again, made, merged, type Turn } from "./Turn.ts"

/** Until something is tried again that did not succeed for a passing reason, at most. */
const soon = "1 minute"

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
  dependencies: [Repositories.Default],
  effect: Effect.gen(function* () {
    const repositories = yield* Repositories
    const poll = yield* GitHubPoll

    /** Opens the pull request. What GitHub refuses for good leaves no branch behind. */
    const opening = (claim: Claim, state: GitHubState, repository: Repository) =>
      Proposal.open(claim, state, repository).pipe(
        Effect.flatMap((opened) => again(claim, poll, { github: { ...state, ...opened } })),
        Effect.catchIf(
          ({ isPassing, kind }) => !isPassing && kind !== "unauthorised",
          ({ message }) =>
            Effect.as(repository.removeBranch(branchOf(claim.id)), made(claim, { error: message, status: "conflict" }))
        )
      )

    const looking = Effect.fnUntraced(function* (claim: Claim, number: number, repository: Repository) {
      const pull = yield* repository.pull(number)
      if (isMerged(pull)) return merged(claim, yield* mergedAtOf(pull, claim))
      return pull.state === "closed" ? made(claim, { status: "closed" }) : yield* again(claim, poll)
    })

    /** Closes the pull request that is still open, and deletes its branch. */
    const closing = Effect.fnUntraced(function* (claim: Claim, state: GitHubState, repository: Repository) {
      const branch = branchOf(claim.id)
      const pull = state.pull === null ? yield* repository.pullOf(branch) : yield* repository.pull(state.pull.number)
      if (pull !== null && isMerged(pull))
        return merged(claim, yield* mergedAtOf(pull, claim), { error: "It was merged before it could be closed" })
      if (pull?.state === "open") yield* repository.close(pull.number)
      yield* repository.removeBranch(branch)
      return made(claim, { github: { ...state, pull: pull === null ? null : pullOf(pull) }, status: "rolled_back" })
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
        return yield* Effect.matchEffect(Proposal.revert(claim, state, revert, repository), {
          onFailure: (error) =>
            error.isPassing || error.kind === "unauthorised"
              ? Effect.fail(error)
              : Effect.zipRight(
                  Effect.ignore(repository.removeBranch(revertBranchOf(claim.id, revert.number))),
                  restored(claim, state, revert.from, error.message)
                ),
          onSuccess: (pull) => again(claim, poll, { github: { ...state, revert: { ...revert, pull } } })
        })
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
      if (claim.status === "rolling_back")
        return yield* revert === null ? closing(claim, state, repository) : reverting(claim, state, revert, repository)
      return yield* pull === null ? opening(claim, state, repository) : looking(claim, pull.number, repository)
    })

    const later = ({ kind, message, until }: GitHubFailed, claim: Claim) => {
      switch (kind) {
        case "limited":
          return Effect.flatMap(Clock.currentTimeMillis, (now) =>
            again(claim, Math.max(0, until - now), { error: message })
          )
        case "unavailable":
          return again(claim, Duration.min(poll, soon), { error: message })
        default:
          return again(claim, poll, { error: message })
      }
    }

    /** One turn; what fails for a passing reason, or for want of a token, is tried again. */
    const turn = (claim: Claim, state: GitHubState): Effect.Effect<Turn> =>
      asked(claim, state).pipe(
        Effect.catchTags({
          GitHubFailed: (error) => later(error, claim),
          NotConnected: ({ message }) => again(claim, poll, { error: message })
        })
      )

    return { turn }
  })
}) {}
