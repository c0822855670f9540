import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Retry from "effect/Schedule"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import * as Metrics from "./Metrics.ts"
import type { Claim } from "./QueueRepo.ts"
import { RecordRepo } from "./RecordRepo.ts"
import * as Schedule from "./RetrySchedule.ts"
import type { Outcome } from "./Sender.ts"

/** While the database is away an outcome is kept for about as long as the lease may hold; after that the delivery is somebody else's. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(15)))

/** Records how attempts ended, and what follows from it for the delivery and its subscription. */
export class RecordOutcome extends Effect.Service<RecordOutcome>()("webhooks/deliveries/RecordOutcome", {
  dependencies: [DeliveriesRepo.Default, RecordRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const repo = yield* RecordRepo

    const accepted = Effect.fnUntraced(function* (claim: Claim, outcome: Outcome) {
      if (claim.failing) yield* repo.recovered(claim.webhook)
      yield* repo.accepted({ ...outcome, id: claim.id, lease: claim.lease })
      yield* Metrics.attempted("delivered")
    })

    const refused = Effect.fnUntraced(function* (claim: Claim, outcome: Extract<Outcome, { readonly _tag: "Failed" }>) {
      const standing = yield* repo.standing(claim)
      if (Option.isNone(standing)) return
      const { failingForMs, failures, isActive } = standing.value
      const endedAt = yield* Clock.currentTimeMillis
      const next = Schedule.afterFailure({
        attempt: failures + 1,
        endedAt,
        failingSince: failingForMs === null ? null : endedAt - failingForMs,
        jitter: yield* Random.next,
        retryAfter: outcome.retryAfter,
        statusCode: outcome.statusCode
      })
      const deactivate = next._tag === "Fail" ? next.deactivate : Option.none()
      const retry = next._tag === "Retry" && isActive
      const ended = yield* repo.refused({
        ...outcome,
        id: claim.id,
        lease: claim.lease,
        // The schedule speaks this process's time, the queue the database's: only the difference is told.
        waitMs: retry ? next.at - endedAt : null,
        reason: retry ? null : isActive && Option.isNone(deactivate) ? "attempts_exhausted" : "webhook_deactivated"
      })
      if (Option.isNone(ended)) return
      yield* Metrics.attempted(retry ? "retried" : "failed")
      if (Option.isNone(deactivate)) return
      yield* repo.deactivate({ reason: deactivate.value, webhook: claim.webhook })
      yield* deliveries.abandon(claim.webhook)
    }, repo.transaction)

    /** Records an outcome; one that comes after the lease was lost changes nothing. */
    const record = Effect.fn("RecordOutcome.record")(function* (claim: Claim, outcome: Outcome) {
      const write = outcome._tag === "Delivered" ? accepted(claim, outcome) : refused(claim, outcome)
      yield* write.pipe(
        Effect.catchAllDefect((defect) => Effect.fail(defect)),
        Effect.retry(patiently),
        Effect.orDie
      )
    })

    return { record }
  })
}) {}
