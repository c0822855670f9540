import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { diffOf } from "../../crawl/diff/Diff.ts"
import { type CrawlResult, outcomeOf } from "../../crawl/report/CrawlResult.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import { AccountId } from "../accounts/Domain.ts"
import { auditCompleted, auditFailed } from "../audits/Events.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { type RunError, RunId } from "./Domain.ts"
import { siteHealthCompleted, siteHealthFailed, siteHealthScoreDropped } from "./Events.ts"
import { ResultsRepo } from "./results/Results.ts"

/** The fields of a finished run that its events need. */
export const Ended = Schema.Struct({
  id: RunId,
  account: AccountId,
  project: ProjectId,
  url: Schema.String,
  verify: Schema.NullOr(RunId)
})
export type Ended = typeof Ended.Type

interface Earlier {
  readonly id: RunId
  readonly result: CrawlResult
}

const comparison = (before: Earlier, result: CrawlResult) => {
  const { findings, score } = diffOf(before.result, result)
  return {
    against: before.id,
    new: findings.new.length,
    new_critical: findings.new.filter(({ severity }) => severity === "critical").length,
    fixed: findings.fixed.length,
    score
  }
}

/** Changes since an earlier run. */
type Comparison = ReturnType<typeof comparison>

/** Points that a score must fall for an event without a new critical issue. */
const noticeable = 5

/** Whether the score certainly fell: its new range is below the earlier one. */
const isBelow = ({ score: { range: before } }: CrawlResult, { score: { range: after } }: CrawlResult): boolean =>
  before.low !== null && after.high !== null && after.high < before.low

const fallSince = (before: Earlier, compared: Comparison, result: CrawlResult) => {
  const { score } = compared
  if (score === null || !isBelow(before.result, result)) return null
  return score.delta <= -noticeable || compared.new_critical > 0 ? { ...compared, score } : null
}

/** Changes by a run: since the previous run, and, after a fall of the score, since the last comparable run. */
export interface Changed {
  readonly changes: Comparison | null
  readonly fall: ReturnType<typeof fallSince>
}

/** The changes of a run without an earlier one. */
export const unchanged: Changed = { changes: null, fall: null }

/** Compares a run with earlier ones, and publishes its end: a crawl of a site is also an audit, so it has an audit event too. */
export class RunEvents extends Effect.Service<RunEvents>()("sitehealth/RunEvents", {
  dependencies: [Events.Default, ResultsRepo.Default],
  effect: Effect.gen(function* () {
    const { publish } = yield* Events
    const { comparable, earlier } = yield* ResultsRepo
    const outages = yield* Outages

    const since = Effect.fnUntraced(function* (id: RunId, result: CrawlResult) {
      const before = Option.getOrNull(yield* earlier(id))
      if (before === null) return unchanged
      const changes = comparison(before, result)
      if (result.summary.termination !== "complete") return { changes, fall: null }
      if (before.comparable) return { changes, fall: fallSince(before, changes, result) }
      const other = Option.getOrNull(yield* comparable(id))
      return { changes, fall: other === null ? null : fallSince(other, comparison(other, result), result) }
    })

    /** Changes since earlier runs; an unreadable old result must not cost the new one. */
    const changed = (id: RunId, result: CrawlResult): Effect.Effect<Changed> =>
      Effect.catchAllDefect(since(id, result), (defect) =>
        Effect.as(outages.report("The previous crawl could not be read", defect), unchanged)
      )

    const told = ({ id, project, url }: Ended) => {
      const subject = { id, project_id: project, subject: "site_health_run" as const, url }
      return {
        occurrence: { occurrence: `site_health_run/${id}` },
        run: { run_id: id, project_id: project, url },
        subject
      }
    }

    const finished = Effect.fnUntraced(function* (ended: Ended, result: CrawlResult, { changes, fall }: Changed) {
      const { occurrence, run, subject } = told(ended)
      const { aggregate_score: after, ...outcome } = outcomeOf(result)
      const score = { before: null, after: result.score.aggregate_score, delta: null }
      yield* publish(
        ended.account,
        auditCompleted,
        {
          ...subject,
          outcome: {
            ...outcome,
            aggregate_score: after,
            changes: changes && {
              against: changes.against,
              new: changes.new,
              fixed: changes.fixed,
              score_delta: changes.score?.delta ?? null
            }
          }
        },
        occurrence
      )
      yield* publish(
        ended.account,
        siteHealthCompleted,
        {
          ...run,
          ...outcome,
          verify: ended.verify,
          against: changes?.against ?? null,
          score: changes?.score ?? score,
          new: changes?.new ?? null,
          fixed: changes?.fixed ?? null
        },
        occurrence
      )
      if (fall !== null) yield* publish(ended.account, siteHealthScoreDropped, { ...run, ...fall }, occurrence)
    })

    const failed = Effect.fnUntraced(function* (ended: Ended, error: RunError) {
      const { occurrence, run, subject } = told(ended)
      yield* publish(ended.account, auditFailed, { ...subject, outcome: { status: "failed", error } }, occurrence)
      yield* publish(ended.account, siteHealthFailed, { ...run, error }, occurrence)
    })

    return { changed, failed, finished }
  })
}) {}
