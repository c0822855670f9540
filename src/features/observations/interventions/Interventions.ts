import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { NotFound, Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import { Events } from "../../events/Events.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { OwnersRepo } from "../../projects/OwnersRepo.ts"
import { Projects } from "../../projects/Projects.ts"
import type { InterventionId, NewRecord, Recorded, Rollback } from "./Domain.ts"
import { interventionDeployed, interventionRolledBack } from "./Events.ts"
import { InterventionsRepo } from "./Repo.ts"

const subject = ({ connector, deployedAt, id, project, summary, url }: Recorded) => ({
  id,
  project_id: project,
  url,
  connector,
  summary,
  deployed_at: deployedAt
})

const missing = NotFound.of("intervention")

/** Changes of sites: those recorded by hand, each with its event in one transaction, and reading all of them. */
export class Interventions extends Effect.Service<Interventions>()("interventions/Interventions", {
  dependencies: [Events.Default, InterventionsRepo.Default, OwnersRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const events = yield* Events
    const owners = yield* OwnersRepo
    const projects = yield* Projects
    const repo = yield* InterventionsRepo
    const mine = Owned.by(repo.find, "intervention")

    /** Records that a change was deployed: `intervention.deployed`. */
    const deploy = Traced.fn("Interventions.deploy")(function* (made: NewRecord) {
      const account = yield* owners.hold(made.project)
      const intervention = yield* repo.insert(made)
      yield* events.publish(account, interventionDeployed, subject(intervention), { occurrence: intervention.id })
      return intervention
    }, owners.transaction)

    /** Records that a recorded change was rolled back, once and not before its deployment: `intervention.rolled_back`. */
    const rollBack = Traced.fn("Interventions.rollBack")(function* (rollback: Rollback) {
      const current = yield* Effect.mapError(
        Effect.flatten(repo.hold(rollback.id)),
        () => new Refused({ message: `There is no intervention with the id ${rollback.id} that was recorded by hand` })
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

    /** The intervention of the project that the path names. */
    const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: InterventionId) {
      const intervention = yield* mine(account, id)
      return intervention.value.project_id === project ? intervention : yield* missing
    })

    const get = (account: AccountId, project: ProjectId, id: InterventionId) =>
      Effect.map(own(account, project, id), ({ value }) => value)

    const list = Traced.fn("Interventions.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    return { deploy, get, list, own, rollBack }
  })
}) {}
