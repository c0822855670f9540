import * as Effect from "effect/Effect"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { SourcesRepo } from "./SourcesRepo.ts"

/** The sources of an account's projects, as the account sees them. */
export class Sources extends Effect.Service<Sources>()("rankings/sync/Sources", {
  dependencies: [Projects.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* SourcesRepo

    const get = Traced.fn("Sources.get")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.mapError(Effect.flatten(repo.connection(project)), () => NotFound.of("ranking source"))
    })

    return { get }
  })
}) {}
