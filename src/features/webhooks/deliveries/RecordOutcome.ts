import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Retry from "effect/Schedule"
import { Outages } from "../../../foundation/database/Outages.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Events } from "../../events/Events.ts"
import { deliveryExhausted, webhookDeactivated } from "../Events.ts"
import { leaseSeconds } from "../Limits.ts"
import { attemptOf } from "./Attempts.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import type { Hand } from "./Hand.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"
import * as Schedule from "./RetrySchedule.ts"
import type { Outcome } from "./Sender.ts"

type Failed = Extract<Outcome, { readonly _tag: "Failed" }>

/** An attempt that was not accepted. */
export interface Refused {
  readonly claim: Claim
  readonly outcome: Failed
}

/** While the database is away an outcome is kept for about as long as the lease may hold; after that the delivery is somebody else's. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** What tells of webhooks is not told of in its turn: two webhooks that fail would otherwise keep each other busy. */
const tells = ({ eventType }: Claim) => eventType !== webhookDeactivated.type && eventType !== deliveryExhausted.type

/** Records attempts that were not accepted, and what follows from it for the delivery, its subscription and the account. */
export class RecordOutcome extends Effect.Service<RecordOutcome>()("webhooks/deliveries/RecordOutcome", {
  dependencies: [DeliveriesRepo.Default, Events.Default, RecordRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const events = yield* Events
    const repo = yield* RecordRepo

    const deactivate = Effect.fnUntraced(function* (
      claim: Claim,
      reason: Schedule.DeactivationReason,
      account: AccountId,
      since: typeof webhookDeactivated.payload.Type.data.since
    ) {
      const { url, webhook } = claim
      yield* repo.deactivate({ reason, webhook })
      yield* deliveries.abandon(webhook)
      if (!tells(claim)) return
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

    /** What follows an attempt that was not accepted, after so many known failures before it. */
    const next = Effect.fnUntraced(function* (outcome: Failed, failures: number, outOfPatience: boolean) {
      const endedAt = yield* Clock.currentTimeMillis
      const step = Schedule.afterFailure({
        attempt: failures + 1,
        endedAt,
        jitter: yield* Random.next,
        outOfPatience,
        retryAfter: outcome.retryAfter,
        statusCode: outcome.statusCode
      })
      // The schedule speaks this process's time, the queue the database's: only the difference is told.
      return step._tag === "Retry" ? { ...step, waitMs: step.at - endedAt } : step
    })

    const refused = Effect.fnUntraced(function* ({ claim, outcome }: Refused) {
      const standing = yield* repo.standing(claim)
      if (Option.isNone(standing)) return []
      const { failures, isActive, outOfPatience } = standing.value
      const step = yield* next(outcome, failures, outOfPatience)
      const attempt = attemptOf(claim, outcome)
      if (step._tag === "Retry" && isActive) {
        const { id, number, worker } = claim
        yield* repo.retried({ attempts: [attempt], ids: [id], numbers: [number], waits: [step.waitMs], worker })
        return [Metrics.attempted("retried")]
      }
      const gone = step._tag === "Fail" && Option.contains(step.deactivate, "gone")
      const reason = isActive && !gone ? "attempts_exhausted" : "webhook_deactivated"
      const failed = yield* repo.failed({ ...claim, attempt, reason })
      if (Option.isNone(failed)) return []
      const { account, attempts, since } = failed.value
      if (reason === "attempts_exhausted" && tells(claim)) yield* exhausted(claim, outcome, account, attempts)
      const deactivation = isActive && step._tag === "Fail" ? step.deactivate : Option.none()
      if (Option.isNone(deactivation)) return [Metrics.attempted("failed")]
      yield* deactivate(claim, deactivation.value, account, since)
      return [
        Metrics.attempted("failed"),
        Metrics.deactivated(deactivation.value),
        Effect.logWarning(`The webhook ${claim.webhook} of account ${account} was deactivated (${deactivation.value})`)
      ]
    }, repo.transaction)

    /** Records a failure; one that comes after the claim was lost changes nothing. What it answers is counted and logged when it is committed. */
    const record = (one: Refused) =>
      refused(one).pipe(Effect.sandbox, Effect.retry(patiently), Effect.orDie, Effect.flatMap(Effect.all))

    /** Records in one transaction those failures that only have to be tried again; answers the others. */
    const retryAll = Effect.fnUntraced(function* (worker: string, batch: ReadonlyArray<Refused>) {
      const held = yield* repo.retryable({
        ids: batch.map(({ claim }) => claim.id),
        numbers: batch.map(({ claim }) => claim.number),
        worker
      })
      const failures = new Map(held.map((row) => [row.id, row.failures]))
      const steps = yield* Effect.forEach(batch, (one) => {
        const known = failures.get(one.claim.id)
        return known === undefined
          ? Effect.succeed({ one, waitMs: undefined })
          : Effect.map(next(one.outcome, known, false), (step) => ({
              one,
              waitMs: step._tag === "Retry" ? step.waitMs : undefined
            }))
      })
      const again = steps.flatMap(({ one, waitMs }) => (waitMs === undefined ? [] : [{ ...one, waitMs }]))
      if (again.length > 0) {
        yield* repo.retried({
          attempts: again.map(({ claim, outcome }) => attemptOf(claim, outcome)),
          ids: again.map(({ claim }) => claim.id),
          numbers: again.map(({ claim }) => claim.number),
          waits: again.map(({ waitMs }) => waitMs),
          worker
        })
      }
      return { again: again.length, others: steps.flatMap(({ one, waitMs }) => (waitMs === undefined ? [one] : [])) }
    }, repo.transaction)

    /** Records failures, the many that are tried again together; each by itself what is the end of a delivery, or what cannot be recorded with the others. */
    const recordAll = (worker: string, hand: Hand, batch: ReadonlyArray<Refused>) =>
      retryAll(worker, batch).pipe(
        Effect.tap(({ again }) => Metrics.attempted("retried", again)),
        Effect.catchAllCause(() => Effect.succeed({ others: batch })),
        Effect.flatMap(({ others }) =>
          Effect.forEach(
            others,
            (one) =>
              record(one).pipe(
                Effect.catchAllDefect((defect) =>
                  Effect.zipRight(hand.doubt, Outages.report("An attempt could not be recorded", defect))
                ),
                Effect.annotateLogs({ delivery: one.claim.id, webhook: one.claim.webhook })
              ),
            { concurrency: 10, discard: true }
          )
        ),
        Effect.ensuring(hand.leave(batch.map(({ claim }) => claim)))
      )

    return { record, recordAll }
  })
}) {}
