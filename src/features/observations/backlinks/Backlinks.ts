import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import type { BacklinkId, Kind } from "./Domain.ts"
import { BacklinksRepo, type Filters } from "./Repo.ts"

const missing = NotFound.of("backlink")

interface ChangeFilters {
  readonly kind: typeof Kind.Type | undefined
  readonly since: DateTime.Utc | undefined
}

/** The pages and domains that link to the sites of an account. */
export class Backlinks extends Effect.Service<Backlinks>()("backlinks/Backlinks", {
  dependencies: [BacklinksRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* BacklinksRepo

    const list = Traced.fn("Backlinks.list")(function* (
      account: AccountId,
      id: ProjectId,
      filters: Schema.Schema.Type<typeof Filters>,
      batch: Batch
    ) {
      return yield* repo.page({ ...batch, ...filters, project: yield* projects.own(account, id) })
    })

    const domains = Traced.fn("Backlinks.domains")(function* (
      account: AccountId,
      id: ProjectId,
      { after, count }: Batch
    ) {
      return yield* repo.domains({ after: after?.[0], count, project: yield* projects.own(account, id) })
    })

    const changes = Traced.fn("Backlinks.changes")(function* (
      account: AccountId,
      id: ProjectId,
      filters: ChangeFilters,
      batch: Batch
    ) {
      return yield* repo.changes({ ...batch, ...filters, project: yield* projects.own(account, id) })
    })

    const check = Traced.fn("Backlinks.check")(function* (account: AccountId, id: ProjectId, backlink: BacklinkId) {
      const checks = yield* repo.checkOne({ id: backlink, project: yield* projects.own(account, id) })
      return checks.due === 0 ? yield* missing : checks
    })

    const checkDue = Traced.fn("Backlinks.checkDue")(function* (account: AccountId, id: ProjectId) {
      return yield* repo.checkDue({ project: yield* projects.own(account, id) })
    })

    return { changes, check, checkDue, domains, list }
  })
}) {}
