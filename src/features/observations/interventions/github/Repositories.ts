import * as Effect from "effect/Effect"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Credentials } from "../connectors/Credentials.ts"
import { GitHub, type Request } from "./GitHub.ts"
import * as Repository from "./Repository.ts"

/** Repositories by the tokens of projects. */
export class Repositories extends Effect.Service<Repositories>()("interventions/github/Repositories", {
  dependencies: [Credentials.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const github = yield* GitHub

    /** A repository, with the project's token. When its requests are spent, all changes of the project wait. */
    const of = Effect.fnUntraced(function* (project: ProjectId, repo: string) {
      const token = yield* credentials.github(project)
      const ask = <A, I>(request: Request<A, I>) =>
        Effect.tapError(github.ask(token, request), ({ kind, until }) =>
          kind === "limited" ? credentials.pause({ project, until }) : Effect.void
        )
      return Repository.make(repo, ask)
    })

    return { of }
  })
}) {}
