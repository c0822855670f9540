import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { apiError, waitHeaders } from "../../../foundation/http/ApiError.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import type { BacklinkId, Kind } from "./Domain.ts"
import { AllowanceRepo } from "./liveness/AllowanceRepo.ts"
import { BacklinksRepo, type Filters } from "./Repo.ts"

const missing = NotFound.of("backlink")

interface ChangeFilters {
  readonly kind: typeof Kind.Type | undefined
  readonly since: DateTime.Utc | undefined
}

/** The pages and domains that link to the sites of an account. */
export class Backlinks extends Effect.Service<Backlinks>()("backlinks/Backlinks", {
  dependencies: [BacklinksRepo.Default, AllowanceRepo.Default, Projects.Default],
  effect: Effect.gen(function* () {
    const { allowance } = yield* AllowanceRepo
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

    /** Refuses what would wait for the next day. */
    const withinAllowance = Effect.fnUntraced(function* (account: AccountId) {
      const { left, limit, untilTomorrow } = yield* allowance(account)
      if (left > 0) return
      const message = `The plan allows looks at ${limit} pages a day, by UTC, and all are used; due pages are looked at the next day`
      return yield* apiError<"quota_exceeded">("quota_exceeded", message, {
        headers: waitHeaders(limit, untilTomorrow)
      })
    })

    const check = Traced.fn("Backlinks.check")(function* (account: AccountId, id: ProjectId, backlink: BacklinkId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.gen(function* () {
        const checks = yield* repo.checkOne({ id: backlink, project })
        if (checks.due === 0) return yield* missing
        yield* withinAllowance(account)
        return checks
      }).pipe(repo.transaction)
    })

    const checkDue = Traced.fn("Backlinks.checkDue")(function* (account: AccountId, id: ProjectId) {
      const project = yield* projects.own(account, id)
      return yield* Effect.gen(function* () {
        const checks = yield* repo.checkDue({ project })
        if (checks.due > 0) yield* withinAllowance(account)
        return checks
      }).pipe(repo.transaction)
    })

    return { changes, check, checkDue, domains, list }
  })
}) {}
