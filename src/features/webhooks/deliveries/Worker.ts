import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Retry from "effect/Schedule"
import * as LeaseMonitor from "../../../foundation/database/LeaseMonitor.ts"
import { Outages } from "../../../foundation/database/Outages.ts"
import { notifications } from "../../../foundation/database/Wakeups.ts"
import * as Time from "../../../foundation/schema/Time.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import * as Events from "../../events/Events.ts"
import { leaseSeconds, polledAtOnce, writtenAtOnce } from "../Domain.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import type { FairScheduler, Grant } from "./FairScheduler.ts"
import * as ConcurrencyWindow from "./FairScheduler.ts"
import * as Claims from "./Queue.ts"
import { type Claim, type HeldClaims, QueueRepo } from "./Queue.ts"
import * as Batches from "./RecordOutcome.ts"
import { type Failure, RecordOutcome, RecordRepo, received } from "./RecordOutcome.ts"
import * as Retention from "./Retention.ts"
import { Attempts, attemptOf, type Outcome } from "./Sender.ts"
import { DeliveriesAtOnce } from "./Settings.ts"

/** How long a stop waits for running attempts: 15 s for an attempt, and time to record it. */
const patience = "18 seconds"

/** Maximum unwritten outcomes before claiming stops. */
const mostUnwritten = 1000

/** When the last of some claims became due. */
const lastDue = (claims: ReadonlyArray<Claim>): string | undefined =>
  claims
    .map(({ dueAt }) => dueAt)
    .sort()
    .at(-1)

/** Tracks running attempts, and reports long ones to the scheduler. */
const slowWatch = (scheduler: FairScheduler, wake: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const underWay = new Map<Claim, number>()
    const anyUnderWay = yield* Effect.makeLatch()
    // An idle worker is not woken.
    const look = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // An attempt may begin between the check and the close.
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

/** Attempts claims and records the outcomes; a stop lets running attempts end. */
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
      // Finalizers are uninterruptible, and a time-out cannot end uninterruptible work.
      Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(running)), patience)
    )

    const record = (claim: Claim, outcome: Outcome) => {
      if (outcome._tag === "Failed") return failures.add({ claim, outcome })
      const added = delivered.add({ claim, attempt: JSON.stringify(attemptOf(claim, outcome)) })
      return claim.number > 1 ? added : Effect.zipRight(added, received(claim.waitedMs + (outcome.latencyMs ?? 0)))
    }

    const ended = (claim: Claim, began: number, outcome: Outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        underWay.ended(claim)
        scheduler.ended(claim.webhook, { accepted: outcome._tag === "Delivered", milliseconds: now - began }, now)
        return Effect.zipRight(wake, record(claim, outcome))
      })

    /** Sends once and records the outcome; an interruption while sending returns the delivery to the queue. */
    const deliver = (claim: Claim) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (began) => {
          return Effect.zipRight(
            underWay.began(claim, began),
            Effect.matchCauseEffect(restore(Traced.spanned("delivery")(attempt(claim))), {
              // Only for an interruption: every other event is an outcome.
              onFailure: () => Effect.ensuring(queue.handBack(claim), held.release([claim])),
              onSuccess: (outcome) => ended(claim, began, outcome)
            })
          )
        })
      )

    return {
      start: (claim: Claim) => FiberSet.run(running, Effect.interruptible(deliver(claim))),
      /** Number of unwritten outcomes. */
      unwritten: Effect.zipWith(delivered.unwritten, failures.unwritten, (one, other) => one + other)
    }
  })

/** Claims and attempts granted deliveries until its scope ends. */
export const make = (worker: string, held: HeldClaims, scheduler: FairScheduler) =>
  Effect.gen(function* () {
    const queue = yield* QueueRepo
    const wakeUp = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakeUp, undefined))
    const { start, unwritten } = yield* sender(worker, held, scheduler, wake)

    /** Claims granted deliveries; a claim with a lost response may have succeeded. */
    const claimAll = (granted: ReadonlyArray<Grant>) =>
      Effect.tapErrorCause(queue.claim({ turns: granted, worker }), () =>
        Effect.zipRight(
          held.doubt,
          Effect.sync(() => scheduler.refused(granted))
        )
      )

    /** Begins attempts at granted deliveries; returns whether there were any. */
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
          Outages.report("Webhook deliveries could not be read from the queue", cause),
          Effect.delay(Effect.succeed(false), "1 second")
        )
      ),
      Effect.flatMap((more) => (more ? Effect.void : Queue.take(wakeUp))),
      Effect.forever,
      Effect.forkScoped
    )

    return { wake }
  })

/** Seconds between two renewals of a lock. */
const renewalSeconds = leaseSeconds / 3

/** Milliseconds until every living worker renews its lock after the database recovers. */
const settling = (renewalSeconds + 1) * 1000

/** Milliseconds between polls of the queue, because a notification can be lost with its connection. */
const pollEvery = 1000

/** The id of this process among the workers. */
const newWorker = Effect.map(
  Effect.flatMap(Entropy.Entropy, ({ bytes }) => bytes(16)),
  (bytes) => Encoding.encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
).pipe(Effect.provide(Entropy.layer))

/**
 * Renews this process's lock until its scope ends. Another worker takes over the remaining deliveries at its next poll. After an outage no worker polls
 * before all have renewed, because deliveries taken from a living worker are sent twice.
 */
const lease = Effect.gen(function* () {
  const queue = yield* QueueRepo
  const worker = yield* newWorker
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.sandbox(queue.leave(worker))))
  const held = yield* Claims.make(worker)
  let settled = 0
  const renew = Effect.gen(function* () {
    const { unmarked } = yield* queue.renew(worker)
    if (settled === Number.POSITIVE_INFINITY) settled = (yield* Time.now) + settling
    if (unmarked) yield* held.doubt
  }).pipe(
    Effect.catchAllCause((cause) => {
      settled = Number.POSITIVE_INFINITY
      return Outages.report("The lock of this worker could not be renewed", cause)
    })
  )
  yield* renew
  yield* Effect.forkScoped(Effect.repeat(renew, Retry.spaced(`${renewalSeconds} seconds`)))
  return { held, isSettled: Effect.map(Time.now, (now) => now >= settled), worker }
})

/** Fails the waiting deliveries of a subscription that was deactivated during the commit of an event for it. */
const abandon = Effect.fnUntraced(function* (webhook: Parameters<DeliveriesRepo["abandon"]>[0]) {
  const repo = yield* DeliveriesRepo
  const inactive = repo.holdInactive(webhook)
  yield* repo.transaction(
    Effect.flatMap(inactive, (row) => (row._tag === "None" ? Effect.void : repo.abandon(webhook)))
  )
})

/** The workers over a given queue and given attempts. */
export const layerNoDeps = Layer.scopedDiscard(
  Effect.gen(function* () {
    const queue = yield* QueueRepo
    const slots = yield* DeliveriesAtOnce
    const scheduler = ConcurrencyWindow.make({ quick: slots, slow: 4 * slots })
    const { held, isSettled, worker } = yield* lease
    const { wake } = yield* make(worker, held, scheduler)
    const after = yield* Ref.make("")
    const moved = LeaseMonitor.make()

    yield* notifications(Events.channel, (payload) =>
      Effect.suspend(() => {
        const { account, webhooks } = Events.read(payload)
        for (const webhook of webhooks) scheduler.add(webhook, account, 0, false)
        return wake
      })
    )

    /** Reads webhooks with due deliveries, in batches; returns the milliseconds until the next read. */
    const read = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      scheduler.forget(now)
      if (scheduler.wanting() > polledAtOnce || !(yield* isSettled)) return pollEvery
      const found = yield* queue.poll(yield* Ref.get(after))
      const next = Array.head(found)
      if (next._tag === "Some" && (yield* moved(next.value.at)) < 0) yield* queue.setBack
      const due = found.flatMap(({ account, active, webhook }) =>
        webhook === null || account === null ? [] : [{ account, active, webhook }]
      )
      for (const { account, active, webhook } of due) if (active) scheduler.add(webhook, account, now, true)
      yield* wake
      yield* Effect.forEach(due, ({ active, webhook }) => (active ? Effect.void : abandon(webhook)))
      const more = due.length === polledAtOnce
      yield* Ref.set(after, more ? (due.at(-1)?.webhook ?? "") : "")
      return more
        ? 50
        : Math.min(pollEvery, Math.max(5, (next._tag === "Some" ? next.value.nextMs : null) ?? pollEvery))
    })
    yield* read.pipe(
      Effect.catchAllCause((cause) =>
        Effect.as(Outages.report("The webhook delivery queue could not be read", cause), pollEvery)
      ),
      Effect.flatMap(Effect.sleep),
      Effect.forever,
      Effect.forkScoped
    )
  })
)

/** Delivers events to their endpoints until its scope ends; a graceful stop claims no more and lets running attempts end. */
export const layer = layerNoDeps.pipe(
  Layer.provide([
    Attempts.Default,
    DeliveriesRepo.Default,
    QueueRepo.Default,
    RecordOutcome.Default,
    RecordRepo.Default
  ]),
  Layer.merge(Retention.layer)
)
