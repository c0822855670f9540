import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { Conflict, Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Owned } from "../../accounts/Owned.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Credentials } from "./connectors/Credentials.ts"
import type { Intervention, InterventionId, Status } from "./Domain.ts"
import { pullOf } from "./github/Answers.ts"
import { planRevert, refusalOf } from "./github/Plan.ts"
import { Repositories } from "./github/Repositories.ts"
import { Interventions } from "./Interventions.ts"
import type { RollBack } from "./Payloads.ts"
import { InterventionsRepo } from "./Repo.ts"
import { type GitHubState, revertBranchOf, type WordPressState } from "./State.ts"
import { unlikeOf } from "./wordpress/Fields.ts"
import * as WordPressPlan from "./wordpress/Plan.ts"
import * as WordPress from "./wordpress/WordPress.ts"

/** States that a change can be taken back from. */
const open: ReadonlySet<Status> = new Set(["proposed", "merged", "deployed", "not_verified", "conflict"])

/** While a worker has the change in its hands, a rollback waits for the end of the turn, in milliseconds. */
const patience = { every: 200, times: 100 }

const nothingLeft = (status: Status) =>
  new Conflict({ message: `The intervention is ${status}: there is nothing to take back` })

/** Taking changes back: what the other side has now is read first, and where it is not what the change made of it, nothing begins. */
export class Rollbacks extends Effect.Service<Rollbacks>()("interventions/Rollbacks", {
  dependencies: [Credentials.Default, Interventions.Default, InterventionsRepo.Default, Repositories.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const interventions = yield* Interventions
    const outbound = yield* Outbound
    const repo = yield* InterventionsRepo
    const repositories = yield* Repositories

    /**
     * Of a pull request that is merged: the commit at which its files are still those of the change. Where an earlier rollback is in doubt, its pull request may be
     * there by now.
     */
    const planOf = Effect.fnUntraced(function* (
      project: ProjectId,
      id: InterventionId,
      from: Status,
      state: GitHubState
    ) {
      const doubtful = from === "conflict" ? state.revert : null
      if (from === "proposed" || (from === "conflict" && doubtful === null)) return { ...state, revert: null }
      const repository = yield* repositories.of(project, state.repo)
      const earlier = doubtful === null ? null : yield* repository.pullOf(revertBranchOf(id, doubtful.number))
      if (doubtful !== null && earlier !== null) return { ...state, revert: { ...doubtful, pull: pullOf(earlier) } }
      const base_sha = yield* planRevert(state, repository)
      const number = (state.revert?.number ?? 0) + 1
      return { ...state, revert: { base_sha, from: doubtful?.from ?? from, number, pull: null } }
    })

    const judged = Effect.fnUntraced(function* (project: ProjectId, from: Status, state: WordPressState) {
      const access = yield* credentials.wordpress(project)
      const site = yield* Effect.provideService(WordPress.make(access, state), Outbound, outbound)
      const { post } = yield* Effect.mapError(site.read, WordPressPlan.refusalOf)
      // What was not seen on the site may not have been written.
      const sides = from === "deployed" || from === "merged" ? (["after"] as const) : (["after", "before"] as const)
      const unlike = unlikeOf(state, post, sides)
      if (unlike !== undefined) return yield* new Conflict({ message: `${unlike}; nothing was written` })
    })

    const begin = Effect.fnUntraced(function* (intervention: Owned<Intervention>, reason: string | null) {
      const { id, project_id, status: from } = intervention.value
      const states = Option.getOrThrow(yield* repo.stateOf(intervention))
      if (from === "conflict" && !states.isSent) return yield* nothingLeft(from)
      const github = states.github === null ? null : yield* planOf(project_id, id, from, states.github)
      if (states.wordpress !== null) yield* judged(project_id, from, states.wordpress)
      return yield* repo.begin({ from, github, id: intervention, reason })
    })

    /** Records the rollback of a recorded change. */
    const recorded = Effect.fnUntraced(function* (
      id: InterventionId,
      { reason = null, rolled_back_at }: Pick<RollBack, "rolled_back_at"> & { readonly reason?: string | null }
    ) {
      const rolledBackAt = rolled_back_at ?? (yield* DateTime.now)
      yield* Effect.mapError(
        interventions.rollBack({ id, reason, rolledBackAt }),
        ({ message }) => new Conflict({ message })
      )
    })

    const attempt = Effect.fnUntraced(function* (
      account: AccountId,
      project: ProjectId,
      id: InterventionId,
      request: RollBack
    ) {
      const intervention = yield* interventions.own(account, project, id)
      const { connector, status } = intervention.value
      if (connector === "recorded") return Option.some(yield* recorded(id, request))
      if (request.rolled_back_at !== undefined)
        return yield* Invalid.of("rolled_back_at", "goes with recorded interventions")
      if (status === "rolling_back") return Option.some(undefined)
      if (!open.has(status))
        return yield* status === "rolled_back"
          ? new Conflict({ message: "The intervention has already been rolled back" })
          : nothingLeft(status)
      return Option.map(yield* begin(intervention, request.reason ?? null), () => undefined)
    })

    /** Begins a rollback, or records that of a recorded change; one that is under way goes on. */
    const rollBack = Traced.fn("Rollbacks.rollBack")(
      function* (account: AccountId, project: ProjectId, id: InterventionId, request: RollBack) {
        for (let tries = 0; tries < patience.times; tries++) {
          const begun = yield* attempt(account, project, id, request)
          if (Option.isSome(begun)) return
          yield* Effect.sleep(patience.every)
        }
        return yield* new Conflict({ message: "The intervention is being worked on: try again in a minute" })
      },
      Effect.catchTags({
        GitHubFailed: refusalOf,
        NotConnected: ({ message }) => new Conflict({ message })
      })
    )

    return { rollBack }
  })
}) {}
