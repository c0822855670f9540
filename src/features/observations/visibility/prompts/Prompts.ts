import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Invalid, NotFound } from "../../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { Batch } from "../../../accounts/Handlers.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import type { PromptId } from "../Domain.ts"
import { type NewPrompt, promptsAtMost } from "./Prompt.ts"
import { PromptsRepo } from "./PromptsRepo.ts"

/** The prompts of an account's projects. */
export class Prompts extends Effect.Service<Prompts>()("visibility/prompts/Prompts", {
  dependencies: [Projects.Default, PromptsRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* PromptsRepo

    /** A new prompt, or the one with the same text and locale. */
    const create = Traced.fn("GeoPrompts.create")(function* (account: AccountId, id: ProjectId, prompt: NewPrompt) {
      const project = yield* projects.own(account, id)
      yield* repo.lock(project)
      const known = yield* repo.same({ project, ...prompt })
      if (Option.isSome(known)) return { existing: true, prompt: known.value }
      const { prompts } = yield* repo.count(project)
      if (prompts >= promptsAtMost)
        return yield* Invalid.of("body", `the project is at its limit of ${promptsAtMost} prompts: delete one first`)
      return { existing: false, prompt: yield* repo.insert({ project, ...prompt }) }
    }, repo.transaction)

    const list = Traced.fn("GeoPrompts.list")(function* (account: AccountId, id: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, id) })
    })

    const remove = Traced.fn("GeoPrompts.remove")(function* (account: AccountId, id: ProjectId, prompt: PromptId) {
      const project = yield* projects.own(account, id)
      yield* Effect.mapError(Effect.flatten(repo.remove({ id: prompt, project })), () => NotFound.of("prompt"))
    })

    const clear = Traced.fn("GeoPrompts.clear")(function* (account: AccountId, id: ProjectId) {
      yield* repo.clear(yield* projects.own(account, id))
    })

    return { clear, create, list, remove }
  })
}) {}
