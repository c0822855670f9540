import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Invalid, NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { bareHost } from "../../foundation/schema/WebAddress.ts"
import { fold } from "../../foundation/text/Words.ts"
import { type AccountId, projectsAtMost } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { Owned } from "../accounts/Owned.ts"
import type { NewProject, ProjectId, ProjectPatch } from "./Domain.ts"
import { siteOf } from "./Domain.ts"
import { ProjectsRepo } from "./Repo.ts"

const noAccount = NotFound.of("account")

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

    /** Fails when the account has as many projects as its plan allows. Runs under the account's lock, so that concurrent requests cannot pass the limit together. */
    const withinPlan = Effect.fnUntraced(function* (account: AccountId) {
      const { plan, projects } = yield* Effect.mapError(Effect.flatten(repo.usage(account)), () => noAccount)
      const most = projectsAtMost[plan]
      if (projects < most) return
      return yield* Invalid.of(
        "body",
        `the account has ${projects} projects, and its plan (${plan}) allows ${most}: delete one, or have the operator create it`
      )
    })

    const findOrMake = Effect.fnUntraced(function* <E>(
      account: AccountId,
      { name, url }: NewProject,
      mayMake: Effect.Effect<void, E>
    ) {
      const site = Option.getOrThrow(siteOf(url))
      const bare = bareHost(site.host)
      yield* repo.lockAccount(account)
      const known = yield* repo.ofHosts({ account, hosts: [bare, `www.${bare}`] })
      if (Option.isSome(known)) return { existing: true, project: known.value }
      yield* mayMake
      const project = yield* Effect.mapError(
        Effect.flatten(repo.insert({ account, host: site.host, name: name ?? site.host, url: site.url })),
        () => noAccount
      )
      return { existing: false, project }
    }, repo.transaction)

    /** The project of an address, created where the account has none of its host and its plan allows one more; the default name is the host. */
    const ensure = Traced.fn("Projects.ensure")(function* (account: AccountId, site: NewProject) {
      return yield* findOrMake(account, site, withinPlan(account))
    })

    /** The same for an operator, without the limit of the plan. */
    const create = Traced.fn("Projects.create")(function* (account: AccountId, site: NewProject) {
      return (yield* findOrMake(account, site, Effect.void)).project
    })

    /** Changes what is given. A term given twice counts once. */
    const patch = Traced.fn("Projects.patch")(function* (
      account: AccountId,
      id: ProjectId,
      { brand_terms, name }: ProjectPatch
    ) {
      const project = yield* own(account, id)
      const brand = brand_terms === undefined ? null : [...new Set(brand_terms)]
      const changed = repo.change({ brand, folded: brand?.map(fold) ?? null, name: name ?? null, project })
      return yield* Effect.mapError(Effect.flatten(changed), () => NotFound.of("project"))
    })

    /**
     * Deletes a project with all that it owns. Idempotency keys and the hourly quota stay, so that deleting resets no limit; so do events, audits,
     * experiments and webhooks, which are the account's. Every start of work for a project takes the account's lock as well.
     */
    const remove = Traced.fn("Projects.remove")(function* (account: AccountId, id: ProjectId) {
      yield* repo.lockAccount(account)
      yield* Effect.mapError(Effect.flatten(repo.abandon({ account, id })), () => NotFound.of("project"))
    }, repo.transaction)

    return { create, ensure, get, list, own, patch, remove }
  })
}) {}
