import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Retry from "effect/Schedule"
import { wakeups } from "../database/Wakeups.ts"
import { Attempts } from "./Attempts.ts"
import { channel } from "./Channel.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import { DeliveriesAtOnce } from "./Settings.ts"

/** How long a stop waits for attempts under way: the 15 s of an attempt, and time to record it. */
const patience = "18 seconds"

/** Takes deliveries back from workers that are gone: 30 s of lease and at most 2 s until somebody looks. */
const sweeper = Effect.gen(function* () {
  const repo = yield* QueueRepo
  yield* Effect.zipRight(repo.expire, repo.abandonInactive).pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("Looking for lost deliveries failed", cause)),
    Effect.repeat(Retry.spaced("2 seconds")),
    Effect.forkScoped
  )
})

/** The fibers of attempts under way. A stop waits for them. */
const attempts = Effect.gen(function* () {
  const running = yield* FiberSet.make()
  yield* Effect.addFinalizer(() =>
    // Finalizers are uninterruptible, and a time-out cannot end what is.
    Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(running)), patience)
  )
  return running
})

/**
 * Attempts deliveries in slots of its own. Receivers that are known to fail have a pool apart from the others: however many of them swallow their 15 s,
 * the others find a free slot. It claims when it starts, when a slot has become free, and when it is rung for.
 */
const pool = Effect.fnUntraced(function* (
  kind: "healthy" | "failing",
  slots: number,
  running: FiberSet.FiberSet<unknown>
) {
  const repo = yield* QueueRepo
  const { attempt } = yield* Attempts
  const free = yield* Ref.make(slots)
  const bell = yield* Queue.sliding<void>(1)
  const ring = Queue.offer(bell, undefined)

  const start = (claim: Claim) =>
    attempt(claim).pipe(
      Effect.catchAllDefect((defect) => Effect.logWarning("An attempt could not be recorded", defect)),
      Effect.ensuring(
        Effect.zipRight(
          Ref.update(free, (count) => count + 1),
          ring
        )
      ),
      Effect.interruptible,
      FiberSet.run(running)
    )
  const claim = Effect.uninterruptible(
    Effect.gen(function* () {
      const wanted = yield* Ref.get(free)
      if (wanted === 0) return
      const claims = yield* repo.claim({ kind, slots: wanted })
      yield* Ref.update(free, (count) => count - claims.length)
      yield* Effect.forEach(claims, start, { discard: true })
    })
  )
  yield* claim.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(Effect.logWarning("Deliveries could not be claimed", defect), Effect.sleep("1 second"))
    ),
    Effect.zipRight(Queue.take(bell)),
    Effect.forever,
    Effect.forkScoped
  )
  return { ring }
})

/** The workers over a given queue and given attempts. */
export const layerNoDeps = Layer.scopedDiscard(
  Effect.gen(function* () {
    const slots = yield* DeliveriesAtOnce
    const running = yield* attempts
    yield* sweeper
    const healthy = yield* pool("healthy", slots, running)
    const failing = yield* pool("failing", slots, running)
    const { next } = yield* wakeups(channel, "250 millis")
    yield* next.pipe(Effect.zipRight(healthy.ring), Effect.zipRight(failing.ring), Effect.forever, Effect.forkScoped)
  })
)

/** Delivers events to their receivers for as long as it lives; a graceful stop lets the attempts under way end and claims no more. */
export const layer = layerNoDeps.pipe(Layer.provide([Attempts.Default, QueueRepo.Default]))
