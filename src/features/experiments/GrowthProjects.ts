import * as Effect from "effect/Effect"
import { Conflict, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import type { DomainName, GrowthProjectId, GrowthProjectPatch } from "./GrowthProject.ts"
import { GrowthProjectsRepo } from "./GrowthProjectsRepo.ts"

/** The error for a growth project that is missing or another account's. */
export const noSuchGrowthProject = NotFound.of("growth project")

/** The domains that accounts run experiments on. */
export class GrowthProjects extends Effect.Service<GrowthProjects>()("experiments/GrowthProjects", {
  dependencies: [GrowthProjectsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* GrowthProjectsRepo

    /** Creates a growth project; a domain may have several. */
    const create = Traced.fn("GrowthProjects.create")(function* (account: AccountId, domain: DomainName) {
      return yield* Effect.mapError(Effect.flatten(repo.insert({ account, domain })), () => NotFound.of("account"))
    })

    /** The account's growth project; the same error when it is missing or another account's. */
    const get = Traced.fn("GrowthProjects.get")(function* (account: AccountId, id: GrowthProjectId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => noSuchGrowthProject)
    })

    /** The account of a growth project, for the operator, who may act for every account. */
    const ownerOf = Traced.fn("GrowthProjects.ownerOf")(function* (id: GrowthProjectId) {
      const { account } = yield* Effect.mapError(Effect.flatten(repo.owner(id)), () => noSuchGrowthProject)
      return account
    })

    /** Fails when experiments rest on the growth project; none begins until the transaction ends. */
    const unused = Effect.fnUntraced(function* (account: AccountId, id: GrowthProjectId) {
      yield* Effect.mapError(Effect.flatten(repo.lock({ account, id })), () => noSuchGrowthProject)
      const { used } = yield* repo.isUsed(id)
      if (used) return yield* new Conflict({ message: "The growth project has experiments: delete them first" })
    })

    /** Gives a growth project without experiments another domain; an absent one stays. */
    const patch = Traced.fn("GrowthProjects.patch")(function* (
      account: AccountId,
      id: GrowthProjectId,
      { domain }: GrowthProjectPatch
    ) {
      if (domain === undefined) return yield* get(account, id)
      yield* unused(account, id)
      return yield* repo.change({ domain, id })
    }, repo.transaction)

    /** Deletes a growth project without experiments. */
    const remove = Traced.fn("GrowthProjects.remove")(function* (account: AccountId, id: GrowthProjectId) {
      yield* unused(account, id)
      yield* repo.remove(id)
    }, repo.transaction)

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    return { create, get, list: repo.all, ownerOf, page, patch, remove }
  })
}) {}
