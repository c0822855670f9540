import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../foundation/http/Contract.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { answer } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { RankingSourceApi } from "./Api.ts"
import { SourcesRepo } from "./SourcesRepo.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(RankingSourceApi), "ranking-source", (handlers) =>
  Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* SourcesRepo

    /** The source of an account's project, as the account sees it. */
    const source = Traced.fn("Sources.get")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.mapError(Effect.flatten(repo.connection(project)), () => NotFound.of("ranking source"))
    })

    return handlers.handle("get", ({ path }) => answer((account) => source(account, path.project_id)))
  })
).pipe(Layer.provide([Projects.Default, SourcesRepo.Default]))
