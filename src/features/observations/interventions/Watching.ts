import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Stopping } from "../../../foundation/http/ServerContext.ts"
import { Conflict } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import type { InterventionId } from "./Domain.ts"
import { Interventions } from "./Interventions.ts"
import { InterventionsRepo } from "./Repo.ts"

/** Workers make all requests that change something at the other side. A request waits this long for a turn of one, and is then answered with what is so far. */
const longest = "25 seconds"

const looks = Schedule.spaced("100 millis")

/** The turns of workers that requests wait for. */
export class Watching extends Effect.Service<Watching>()("interventions/Watching", {
  dependencies: [Interventions.Default, InterventionsRepo.Default],
  effect: Effect.gen(function* () {
    const interventions = yield* Interventions
    const repo = yield* InterventionsRepo
    const stopping = yield* Stopping

    /** The intervention after the turn that was asked for, after the longest wait, or when this node stops. */
    const settled = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      yield* Effect.repeat(repo.isAsked(id), { schedule: looks, until: Option.isNone }).pipe(
        Effect.raceFirst(stopping.begun),
        Effect.timeoutOption(longest),
        Effect.interruptible
      )
      return yield* interventions.get(account, project, id)
    })

    /** A new intervention after its first turn; refused where nothing of it was sent that may have done something. */
    const begun = Traced.fn("Watching.begun")(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      const intervention = yield* settled(account, project, id)
      if (intervention.status !== "conflict") return intervention
      const { isSent } = Option.getOrThrow(yield* repo.stateOf(yield* interventions.own(account, project, id)))
      return isSent
        ? intervention
        : yield* new Conflict({ message: intervention.error ?? "The change could not be made" })
    })

    /** Looks at a change now. */
    const refresh = Traced.fn("Watching.refresh")(function* (
      account: AccountId,
      project: ProjectId,
      id: InterventionId
    ) {
      const intervention = yield* interventions.own(account, project, id)
      return Option.isNone(yield* repo.ask(intervention)) ? intervention.value : yield* settled(account, project, id)
    })

    return { begun, refresh, settled }
  })
}) {}
