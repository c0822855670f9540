import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountId } from "../accounts/Domain.ts"
import { apiError } from "../http/Failure.ts"
import type { NewProject, ProjectId } from "./Domain.ts"
import { ProjectsRepo } from "./Repo.ts"
import { siteOf } from "./Site.ts"

const missing = apiError("not_found", "There is no such project")

/** The sites of an account. */
export class Projects extends Effect.Service<Projects>()("projects/Projects", {
  dependencies: [ProjectsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* ProjectsRepo

    const list = repo.list

    /** The account's project; fails alike when it is missing and when it is another account's. */
    const get = Effect.fn("Projects.get")(function* (account: AccountId, id: ProjectId) {
      return yield* Effect.flatten(repo.find({ account, id })).pipe(Effect.mapError(() => missing))
    })

    /** Creates the project of an address; without a name it is called by its host. */
    const create = Effect.fn("Projects.create")(function* (account: AccountId, { name, url }: NewProject) {
      const site = Option.getOrThrow(siteOf(url))
      return yield* Effect.mapError(
        Effect.flatten(repo.insert({ account, host: site.host, name: name ?? site.host, url: site.url })),
        () => apiError("not_found", "There is no such account")
      )
    })

    return { create, get, list }
  })
}) {}
