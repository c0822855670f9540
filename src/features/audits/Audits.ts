import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { NotFound } from "../../foundation/schema/DomainError.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { AuditEvents } from "./AuditEvents.ts"
import { AuditsRepo } from "./AuditsRepo.ts"
import type { AuditId, Device, Source } from "./Domain.ts"
import type { AuditStatus } from "./ListedAudit.ts"
import type { Outcome } from "./Outcome.ts"
import type { ScheduleId } from "./schedule/AuditSchedule.ts"

/** Filters of a list of audits; all of them must match. */
interface AuditFilters {
  readonly device: Device | undefined
  readonly status: AuditStatus | undefined
  /** A normalised address. */
  readonly url: string | undefined
}

/** Who requested an audit, and what produced it. */
interface Origin {
  readonly account: AccountId
  readonly source: Source
  readonly schedule: ScheduleId | null
}

const missing = NotFound.of("audit")
const noAccount = NotFound.of("account")

const row = ({ device, spread, url, verdict, version }: Outcome) => ({
  device,
  spread,
  url,
  version,
  ...Either.match(verdict, {
    onLeft: (failure) => ({ failure, fixes: null, report: null, sources: null }),
    onRight: ({ fixes, report, sources }) => ({ failure: null, fixes, report, sources })
  })
})

/** The audits of an account. */
export class Audits extends Effect.Service<Audits>()("audits/Audits", {
  dependencies: [AuditEvents.Default, AuditsRepo.Default],
  effect: Effect.gen(function* () {
    const events = yield* AuditEvents
    const repo = yield* AuditsRepo

    /** The account's completed audit; the same error when it is missing, failed, or another account's. */
    const get = Traced.fn("Audits.get")(function* (account: AccountId, id: AuditId) {
      return yield* Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)
    })

    /** The fix directives of a completed audit, the most urgent first. */
    const fixes = Traced.fn("Audits.fixes")(function* (account: AccountId, id: AuditId) {
      const found = yield* Effect.mapError(Effect.flatten(repo.fixes({ account, id })), () => missing)
      return found.fixes
    })

    /** The account's audits that pass all filters, the newest first, failed ones too. */
    const page = (account: AccountId, filters: AuditFilters, batch: Batch) =>
      repo.page({ account, ...filters, ...batch })

    /** The pages that the account has audits of, each once for a device. */
    const pages = (account: AccountId, batch: Batch) => repo.pages({ account, ...batch })

    /** The account's newest audits, failed ones too: for the operator. */
    const list = Traced.fn("Audits.list")(function* (account: AccountId, count: number) {
      return yield* repo.list({ account, count })
    })

    /** Fails for an account that does not exist, so that no browser is started for it. */
    const requireAccount = Traced.fn("Audits.requireAccount")(function* (account: AccountId) {
      if (Option.isNone(yield* repo.account(account))) return yield* noAccount
    })

    /** Records how an audit ended and publishes its event, in one transaction. */
    const record = Traced.fn("Audits.record")(function* ({ account, schedule, source }: Origin, outcome: Outcome) {
      const inserted = yield* repo.insert({ account, schedule, source, ...row(outcome) })
      const audit = yield* Effect.mapError(inserted, () => noAccount)
      yield* events.ended(account, audit.id, outcome)
      return audit
    }, repo.transaction)

    /** Records a report that the account sent, and answers the audit. */
    const imported = Traced.fn("Audits.imported")(function* (account: AccountId, outcome: Outcome) {
      const { id } = yield* record({ account, schedule: null, source: "import" }, outcome)
      return yield* get(account, id)
    })

    return { fixes, get, imported, list, page, pages, record, requireAccount }
  })
}) {}
