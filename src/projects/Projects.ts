import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Batch } from "../accounts/Answers.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { Owned } from "../accounts/Owned.ts"
import { NotFound } from "../schema/DomainError.ts"
import type { NewProject, ProjectId } from "./Domain.ts"
import { ProjectsRepo } from "./Repo.ts"
import { siteOf } from "./Site.ts"

/** The sites of an account. */
export class Projects extends Effect.Service<Projects>()("projects/Projects", {
  dependencies: [ProjectsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ProjectsRepo

    /** The account's project with the proof that it is the account's. */
    const own = Owned.by(repo.find, "project")

    /** The account's project; fails alike when it is missing and when it is another account's. */
    const get = (account: AccountId, id: ProjectId) => Effect.map(own(account, id), ({ value }) => value)

    const list = (account: AccountId, batch: Batch) => repo.list({ account, ...batch })

    /** Creates the project of an address; without a name it is called by its host. */
    const create = Effect.fn("Projects.create")(function* (account: AccountId, { name, url }: NewProject) {
      const site = Option.getOrThrow(siteOf(url))
      return yield* Effect.mapError(
        Effect.flatten(repo.insert({ account, host: site.host, name: name ?? site.host, url: site.url })),
        () => NotFound.of("account")
      )
    })

    return { create, get, list, own }
  })
}) {}
