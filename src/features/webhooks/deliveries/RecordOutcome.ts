import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Retry from "effect/Schedule"
import { Outages } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Events } from "../../events/Events.ts"
import { deliveryExhausted, webhookDeactivated } from "../Events.ts"
import { leaseSeconds } from "../Limits.ts"
import { attemptOf } from "./Attempts.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import type { HeldClaims } from "./HeldClaims.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo, type Standing } from "./RecordRepo.ts"
import * as Schedule from "./RetrySchedule.ts"
import type { Outcome } from "./Sender.ts"

type Failed = Extract<Outcome, { readonly _tag: "Failed" }>

/** An attempt that was not accepted. */
export interface Failure {
  readonly claim: Claim
  readonly outcome: Failed
}

/** Through failures an outcome is kept for about as long as the lease may hold; after that another worker may have the delivery. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** Events about webhooks never raise further events: two webhooks that fail would otherwise keep each other busy. */
const raisesEvents = ({ eventType }: Claim) =>
  eventType !== webhookDeactivated.type && eventType !== deliveryExhausted.type

/** Records attempts that were not accepted, with the consequences for the delivery, its subscription and the account. */
export class RecordOutcome extends Effect.Service<RecordOutcome>()("webhooks/deliveries/RecordOutcome", {
  dependencies: [DeliveriesRepo.Default, Events.Default, RecordRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const events = yield* Events
    const repo = yield* RecordRepo
    const schedule = yield* Schedule.RetryDelays

    const deactivate = Effect.fnUntraced(function* (
      claim: Claim,
      reason: Schedule.DeactivationReason,
      account: AccountId,
      since: typeof webhookDeactivated.payload.Type.data.since
    ) {
      const { url, webhook } = claim
      yield* repo.deactivate({ reason, webhook })
      yield* deliveries.abandon(webhook)
      if (!raisesEvents(claim)) return
      yield* events.publish(
        account,
        webhookDeactivated,
        { webhook_id: webhook, url, reason, since },
        { except: webhook }
      )
    })

    const exhausted = (claim: Claim, outcome: Failed, account: AccountId, attempts: number) =>
      events.publish(
        account,
        deliveryExhausted,
        {
          webhook_id: claim.webhook,
          delivery_id: claim.id,
          event_id: claim.eventId,
          event_type: claim.eventType,
          attempts,
          last_status_code: outcome.statusCode
        },
        { except: claim.webhook }
      )

    /** What follows a failure, by the schedule; the same decision whether failures are recorded together or one by one. */
    const next = Effect.fnUntraced(function* ({ retryAfter, statusCode }: Failed, standing: Standing) {
      const { failures, isActive, outOfPatience } = standing
      const endedAt = yield* Clock.currentTimeMillis
      const jitter = yield* Random.next
      const attempt = failures + 1
      return Schedule.afterFailure(
        { attempt, endedAt, isActive, jitter, outOfPatience, retryAfter, statusCode },
        schedule
      )
    })

    /** Puts failed deliveries back into the queue, each with the milliseconds to wait. */
    const retry = (worker: string, again: ReadonlyArray<Failure & { readonly waitMs: number }>) =>
      repo.retried({
        attempts: again.map(({ claim, outcome }) => attemptOf(claim, outcome)),
        ids: again.map(({ claim }) => claim.id),
        numbers: again.map(({ claim }) => claim.number),
        waits: again.map(({ waitMs }) => waitMs),
        worker
      })

    /** Records one failure under the lock of its subscription; answers what to count and log once it is committed. */
    const recordOne = Effect.fnUntraced(function* ({ claim, outcome }: Failure) {
      const standing = yield* repo.standing(claim)
      if (Option.isNone(standing)) return []
      const step = yield* next(outcome, standing.value)
      if (step._tag === "Retry") {
        yield* retry(claim.worker, [{ claim, outcome, waitMs: step.waitMs }])
        return [Metrics.attempted("retried")]
      }
      const failed = yield* repo.failed({ ...claim, attempt: attemptOf(claim, outcome), reason: step.reason })
      if (Option.isNone(failed)) return []
      const { account, attempts, isTest, since } = failed.value
      if (step.reason === "attempts_exhausted" && !isTest && raisesEvents(claim))
        yield* exhausted(claim, outcome, account, attempts)
      if (Option.isNone(step.deactivate)) return [Metrics.attempted("failed")]
      const reason = step.deactivate.value
      yield* deactivate(claim, reason, account, since)
      return [
        Metrics.attempted("failed"),
        Metrics.deactivated(reason),
        Effect.logWarning(`The webhook ${claim.webhook} of account ${account} was deactivated (${reason})`)
      ]
    }, repo.transaction)

    /** Records a failure; one that comes after the claim was lost changes nothing. */
    const record = (one: Failure) =>
      Query.persisted(recordOne(one)).pipe(
        Effect.sandbox,
        Effect.retry(patiently),
        Effect.orDie,
        Effect.flatMap(Effect.all)
      )

    /** Records in one transaction the failures that are tried again; answers how many they were, and the others. */
    const retryAll = Effect.fnUntraced(function* (worker: string, batch: ReadonlyArray<Failure>) {
      const retryable = yield* repo.retryable({
        ids: batch.map(({ claim }) => claim.id),
        numbers: batch.map(({ claim }) => claim.number),
        worker
      })
      const failures = new Map(retryable.map((row) => [row.id, row.failures]))
      const [others, again] = yield* Effect.partition(batch, (one) => {
        const known = failures.get(one.claim.id)
        if (known === undefined) return Effect.fail(one)
        return Effect.flatMap(next(one.outcome, { failures: known, isActive: true, outOfPatience: false }), (step) =>
          step._tag === "Retry" ? Effect.succeed({ ...one, waitMs: step.waitMs }) : Effect.fail(one)
        )
      })
      if (again.length > 0) yield* retry(worker, again)
      return { again: again.length, others }
    }, repo.transaction)

    /** Records failures: those that are tried again together; the end of a delivery, and what cannot be recorded with the others, in a transaction of its own. */
    const recordAll = (worker: string, held: HeldClaims, batch: ReadonlyArray<Failure>) =>
      retryAll(worker, batch).pipe(
        Effect.tap(({ again }) => Metrics.attempted("retried", again)),
        Effect.catchAllCause(() => Effect.succeed({ others: batch })),
        Effect.flatMap(({ others }) =>
          Effect.forEach(
            others,
            (one) =>
              record(one).pipe(
                Effect.catchAllDefect((defect) =>
                  Effect.zipRight(held.doubt, Outages.report("An attempt could not be recorded", defect))
                ),
                Effect.annotateLogs({ delivery: one.claim.id, webhook: one.claim.webhook })
              ),
            { concurrency: 10, discard: true }
          )
        ),
        Effect.ensuring(held.release(batch.map(({ claim }) => claim)))
      )

    return { record, recordAll }
  })
}) {}
