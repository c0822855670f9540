import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import { Outages } from "../../../foundation/database/Outages.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { writtenAtOnce } from "../Limits.ts"
import * as Acceptances from "./Acceptances.ts"
import { Attempts, attemptOf } from "./Attempts.ts"
import * as Batches from "./Batches.ts"
import type { Hand } from "./Hand.ts"
import * as Metrics from "./Metrics.ts"
import * as Pace from "./Pace.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { type Failure, RecordOutcome } from "./RecordOutcome.ts"
import type { Outcome } from "./Sender.ts"
import type { Turns } from "./Turns.ts"

/** How long a stop waits for attempts under way: the 15 s of an attempt, and time to record it. */
const patience = "18 seconds"

/** Outcomes that may wait to be written before no more is claimed. */
const unwritten = 1000

/** Claims for whose turn it is and attempts what it got, for as long as it lives; a stop lets the attempts under way end. */
export const make = (worker: string, hand: Hand, turns: Turns) =>
  Effect.gen(function* () {
    const queue = yield* QueueRepo
    const { attempt } = yield* Attempts
    const { recordAll } = yield* RecordOutcome
    const acceptances = yield* Acceptances.make(worker, hand)
    const failures = yield* Batches.make(writtenAtOnce, (batch: ReadonlyArray<Failure>) =>
      recordAll(worker, hand, batch)
    )
    const wakeUp = yield* Queue.sliding<void>(1)
    const wake = () => wakeUp.unsafeOffer(undefined)

    const underWay = new Map<Claim, number>()
    const anyUnderWay = yield* Effect.makeLatch()
    const running = yield* FiberSet.make()
    yield* Effect.addFinalizer(() =>
      // Finalizers are uninterruptible, and a time-out cannot end what is.
      Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(running)), patience)
    )

    const keep = (claim: Claim, outcome: Outcome) => {
      if (outcome._tag === "Failed") return Effect.sync(() => failures.add({ claim, outcome }))
      acceptances.add({ claim, attempt: JSON.stringify(attemptOf(claim, outcome)) })
      return claim.number > 1 ? Effect.void : Metrics.received(claim.waitedMs + (outcome.latencyMs ?? 0))
    }

    const ended = (claim: Claim, began: number, outcome: Outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        underWay.delete(claim)
        turns.ended(claim.webhook, { accepted: outcome._tag === "Delivered", milliseconds: now - began }, now)
        wake()
        return keep(claim, outcome)
      })

    /** Sends once and has recorded what came of it; interrupted while it sends, it hands the delivery back. */
    const deliver = (claim: Claim) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (began) => {
          underWay.set(claim, began)
          anyUnderWay.unsafeOpen()
          return Effect.matchCauseEffect(restore(Traced.spanned("delivery")(attempt(claim))), {
            // Only an interruption: whatever else happens is an outcome.
            onFailure: () => Effect.ensuring(queue.handBack(claim), hand.leave([claim])),
            onSuccess: (outcome) => ended(claim, began, outcome)
          })
        })
      )

    const claim = Effect.gen(function* () {
      const waiting = (yield* acceptances.unwritten) + (yield* failures.unwritten)
      const granted = waiting > unwritten ? [] : turns.plan()
      if (granted.length === 0) return false
      const claims = yield* queue.claim({ turns: granted, worker }).pipe(
        Effect.tapErrorCause(() =>
          Effect.zipRight(
            hand.doubt,
            Effect.sync(() => turns.refused(granted))
          )
        )
      )
      hand.take(claims)
      const got = Map.groupBy(claims, ({ webhook }): string => webhook)
      for (const turn of granted) {
        const own = got.get(turn.webhook) ?? []
        turns.claimed(
          turn,
          own.length,
          own.some(({ failing }) => failing),
          own
            .map(({ dueAt }) => dueAt)
            .sort()
            .at(-1)
        )
      }
      yield* Effect.forEach(claims, (claim) => FiberSet.run(running, Effect.interruptible(deliver(claim))), {
        discard: true
      })
      return true
    }).pipe(Effect.uninterruptible)

    yield* Effect.zipRight(hand.settle, claim).pipe(
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

    /** Tells of attempts that have been under way for long; a worker with nothing to do is not woken for that. */
    const noticeSlow = Effect.map(Clock.currentTimeMillis, (now) => {
      if (underWay.size === 0) return anyUnderWay.unsafeClose()
      for (const [{ webhook }, began] of underWay) {
        if (now - began < Pace.slowAfter) break
        turns.slowed(webhook)
      }
      wake()
    })
    yield* Effect.forkScoped(Effect.forever(anyUnderWay.whenOpen(Effect.delay(noticeSlow, "250 millis"))))

    return { wake }
  })
