import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Retry from "effect/Schedule"
import type { AccountId } from "../../accounts/Domain.ts"
import { Events } from "../../events/Events.ts"
import { deliveryExhausted, webhookDeactivated } from "../Events.ts"
import { leaseSeconds } from "../Limits.ts"
import { attemptOf } from "./Attempts.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"
import * as Schedule from "./RetrySchedule.ts"
import type { Outcome } from "./Sender.ts"

type Failed = Extract<Outcome, { readonly _tag: "Failed" }>

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

    const refused = Effect.fnUntraced(function* (claim: Claim, outcome: Failed) {
      const standing = yield* repo.standing(claim)
      if (Option.isNone(standing)) return []
      const { failures, isActive, outOfPatience } = standing.value
      const endedAt = yield* Clock.currentTimeMillis
      const next = Schedule.afterFailure({
        attempt: failures + 1,
        endedAt,
        jitter: yield* Random.next,
        outOfPatience,
        retryAfter: outcome.retryAfter,
        statusCode: outcome.statusCode
      })
      const ended = { ...claim, attempt: attemptOf(claim, outcome) }
      if (next._tag === "Retry" && isActive) {
        // The schedule speaks this process's time, the queue the database's: only the difference is told.
        yield* repo.retried({ ...ended, waitMs: next.at - endedAt })
        return [Metrics.attempted("retried")]
      }
      const gone = next._tag === "Fail" && Option.contains(next.deactivate, "gone")
      const reason = isActive && !gone ? "attempts_exhausted" : "webhook_deactivated"
      const failed = yield* repo.failed({ ...ended, reason })
      if (Option.isNone(failed)) return []
      const { account, attempts, since } = failed.value
      if (reason === "attempts_exhausted" && tells(claim)) yield* exhausted(claim, outcome, account, attempts)
      const deactivation = isActive && next._tag === "Fail" ? next.deactivate : Option.none()
      if (Option.isNone(deactivation)) return [Metrics.attempted("failed")]
      yield* deactivate(claim, deactivation.value, account, since)
      return [
        Metrics.attempted("failed"),
        Metrics.deactivated(deactivation.value),
        Effect.logWarning(`The webhook ${claim.webhook} of account ${account} was deactivated (${deactivation.value})`)
      ]
    }, repo.transaction)

    /** Records a failure; one that comes after the claim was lost changes nothing. What it answers is counted and logged when it is committed. */
    const record = (claim: Claim, outcome: Failed) =>
      refused(claim, outcome).pipe(Effect.sandbox, Effect.retry(patiently), Effect.orDie, Effect.flatMap(Effect.all))

    return { record }
  })
}) {}
