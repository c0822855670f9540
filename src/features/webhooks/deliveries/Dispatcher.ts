import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import { Outages } from "../../../foundation/database/Outages.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { writtenAtOnce } from "../Limits.ts"
import { Attempts, attemptOf } from "./Attempts.ts"
import * as Batches from "./Batches.ts"
import * as ConcurrencyWindow from "./ConcurrencyWindow.ts"
import type { FairScheduler, Grant } from "./FairScheduler.ts"
import type { HeldClaims } from "./HeldClaims.ts"
import * as Metrics from "./Metrics.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { type Failure, RecordOutcome } from "./RecordOutcome.ts"
import type { Outcome } from "./Sender.ts"

/** How long a stop waits for attempts under way: the 15 s of an attempt, and time to record it. */
const patience = "18 seconds"

/** Outcomes that may wait to be written before no more is claimed. */
const mostUnwritten = 1000

/** When the last of some claims became due. */
const lastDue = (claims: ReadonlyArray<Claim>): string | undefined =>
  claims
    .map(({ dueAt }) => dueAt)
    .sort()
    .at(-1)

/** Keeps the attempts under way, and reports to the scheduler those that take long. */
const slowWatch = (scheduler: FairScheduler, wake: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const underWay = new Map<Claim, number>()
    const anyUnderWay = yield* Effect.makeLatch()
    // A worker with nothing to do is not woken.
    const look = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // An attempt may begin between the look and the close.
      if (underWay.size === 0)
        return Effect.zipRight(
          anyUnderWay.close,
          Effect.when(anyUnderWay.open, () => underWay.size > 0)
        )
      for (const [{ webhook }, began] of underWay) {
        if (now - began < ConcurrencyWindow.slowAfter) break
        scheduler.slowed(webhook)
      }
      return wake
    })
    yield* Effect.forkScoped(Effect.forever(anyUnderWay.whenOpen(Effect.delay(look, "250 millis"))))
    return {
      began: (claim: Claim, now: number) =>
        Effect.suspend(() => {
          underWay.set(claim, now)
          return anyUnderWay.open
        }),
      ended: (claim: Claim) => underWay.delete(claim)
    }
  })

/** Attempts claims and records the outcomes; a stop lets the attempts under way end. */
const sender = (worker: string, held: HeldClaims, scheduler: FairScheduler, wake: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const queue = yield* QueueRepo
    const { attempt } = yield* Attempts
    const { recordAll } = yield* RecordOutcome
    const delivered = yield* Batches.delivered(worker, held)
    const failures = yield* Batches.make(writtenAtOnce, (batch: ReadonlyArray<Failure>) =>
      recordAll(worker, held, batch)
    )
    const underWay = yield* slowWatch(scheduler, wake)
    const running = yield* FiberSet.make()
    yield* Effect.addFinalizer(() =>
      // Finalizers are uninterruptible, and a time-out cannot end what is uninterruptible.
      Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(running)), patience)
    )

    const record = (claim: Claim, outcome: Outcome) => {
      if (outcome._tag === "Failed") return failures.add({ claim, outcome })
      const added = delivered.add({ claim, attempt: JSON.stringify(attemptOf(claim, outcome)) })
      return claim.number > 1
        ? added
        : Effect.zipRight(added, Metrics.received(claim.waitedMs + (outcome.latencyMs ?? 0)))
    }

    const ended = (claim: Claim, began: number, outcome: Outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        underWay.ended(claim)
        scheduler.ended(claim.webhook, { accepted: outcome._tag === "Delivered", milliseconds: now - began }, now)
        return Effect.zipRight(wake, record(claim, outcome))
      })

    /** Sends once and records the outcome; interrupted while it sends, it hands the delivery back. */
    const deliver = (claim: Claim) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (began) => {
          return Effect.zipRight(
            underWay.began(claim, began),
            Effect.matchCauseEffect(restore(Traced.spanned("delivery")(attempt(claim))), {
              // Only an interruption: everything else that happens is an outcome.
              onFailure: () => Effect.ensuring(queue.handBack(claim), held.release([claim])),
              onSuccess: (outcome) => ended(claim, began, outcome)
            })
          )
        })
      )

    return {
      start: (claim: Claim) => FiberSet.run(running, Effect.interruptible(deliver(claim))),
      /** Outcomes that wait to be written. */
      unwritten: Effect.zipWith(delivered.unwritten, failures.unwritten, (one, other) => one + other)
    }
  })

/** Claims what the scheduler grants and attempts it, for as long as it lives. */
export const make = (worker: string, held: HeldClaims, scheduler: FairScheduler) =>
  Effect.gen(function* () {
    const queue = yield* QueueRepo
    const wakeUp = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakeUp, undefined))
    const { start, unwritten } = yield* sender(worker, held, scheduler, wake)

    /** Claims what was granted; a claim whose answer is lost may have been made. */
    const claimAll = (granted: ReadonlyArray<Grant>) =>
      Effect.tapErrorCause(queue.claim({ turns: granted, worker }), () =>
        Effect.zipRight(
          held.doubt,
          Effect.sync(() => scheduler.refused(granted))
        )
      )

    /** Begins attempts at what the scheduler grants; answers whether it granted anything. */
    const dispatch = Effect.gen(function* () {
      const granted = (yield* unwritten) > mostUnwritten ? [] : scheduler.plan()
      if (granted.length === 0) return false
      const claims = yield* claimAll(granted)
      held.hold(claims)
      const byWebhook = Map.groupBy(claims, ({ webhook }): string => webhook)
      for (const one of granted) {
        const own = byWebhook.get(one.webhook) ?? []
        const failing = own.some(({ failing }) => failing)
        scheduler.claimed(one, own.length, failing, lastDue(own))
      }
      yield* Effect.forEach(claims, start, { discard: true })
      return true
    }).pipe(Effect.uninterruptible)

    yield* Effect.zipRight(held.reconcile, dispatch).pipe(
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Outages.report("Deliveries could not be claimed", cause),
          Effect.delay(Effect.succeed(false), "1 second")
        )
      ),
      Effect.flatMap((more) => (more ? Effect.void : Queue.take(wakeUp))),
      Effect.forever,
      Effect.forkScoped
    )

    return { wake }
  })
