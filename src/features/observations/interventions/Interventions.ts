import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Events } from "../../events/Events.ts"
import { OwnersRepo } from "../../projects/OwnersRepo.ts"
import type { Intervention, NewIntervention, Rollback } from "./Domain.ts"
import { interventionDeployed, interventionRolledBack } from "./Events.ts"
import { InterventionsRepo } from "./Repo.ts"

const subject = ({ connector, deployedAt, id, project, summary, url }: Intervention) => ({
  id,
  project_id: project,
  url,
  connector,
  summary,
  deployed_at: deployedAt
})

/** Automated fixes: a deployment and a rollback are each recorded and published in one transaction. */
export class Interventions extends Effect.Service<Interventions>()("interventions/Interventions", {
  dependencies: [Events.Default, InterventionsRepo.Default, OwnersRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const repo = yield* InterventionsRepo

    /** Records that a fix was deployed: `intervention.deployed`. */
    const deploy = Traced.fn("Interventions.deploy")(function* (made: NewIntervention) {
      const account = yield* owners.hold(made.project)
      const intervention = yield* repo.insert(made)
      yield* events.publish(account, interventionDeployed, subject(intervention), { occurrence: intervention.id })
      return intervention
    }, owners.transaction)

    /** Records that a fix was rolled back, once and not before its deployment: `intervention.rolled_back`. */
    const rollBack = Traced.fn("Interventions.rollBack")(function* (rollback: Rollback) {
      const current = yield* Effect.mapError(
        Effect.flatten(repo.hold(rollback.id)),
        () => new Refused({ message: `There is no intervention with the id ${rollback.id}` })
      )
      if (current.rolledBackAt !== null)
        return yield* new Refused({ message: "The intervention has already been rolled back" })
      if (DateTime.lessThan(rollback.rolledBackAt, current.deployedAt)) {
        return yield* new Refused({ message: "An intervention cannot be rolled back before it was deployed" })
      }
      const account = yield* owners.hold(current.project)
      const intervention = yield* repo.rollBack(rollback)
      const { reason, rolledBackAt } = rollback
      yield* events.publish(
        account,
        interventionRolledBack,
        { ...subject(intervention), reason, rolled_back_at: rolledBackAt },
        { occurrence: intervention.id }
      )
      return intervention
    }, owners.transaction)

    return { deploy, rollBack }
  })
}) {}
