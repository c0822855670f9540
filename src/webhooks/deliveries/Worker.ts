import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Retry from "effect/Schedule"
import { Outages } from "../../database/Outages.ts"
import { wakeups } from "../../database/Wakeups.ts"
import { channel } from "../../events/Channel.ts"
import { Attempts } from "./Attempts.ts"
import { type Claim, QueueRepo } from "./QueueRepo.ts"
import * as Retention from "./Retention.ts"
import { DeliveriesAtOnce } from "./Settings.ts"

/** How long a stop waits for attempts under way: the 15 s of an attempt, and time to record it. */
const patience = "18 seconds"

/** Takes deliveries back from workers that are gone: 30 s of lease and at most 2 s until somebody looks. */
const sweeper = Effect.gen(function* () {
  const repo = yield* QueueRepo
  yield* Effect.zipRight(repo.expire, repo.abandonInactive).pipe(
    Effect.catchAllCause((cause) => Outages.report("Looking for lost deliveries failed", cause)),
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

/** Tells the two pools apart by what is known of a receiver. */
const kinds = ["healthy", "failing"] as const

/** One bell a pool. All of them ring together: what one pool has attempted may have become the other's to go on with. */
const makeBells = Effect.gen(function* () {
  const healthy = yield* Queue.sliding<void>(1)
  const failing = yield* Queue.sliding<void>(1)
  const ring = Effect.zipRight(Queue.offer(healthy, undefined), Queue.offer(failing, undefined))
  return { failing, healthy, ring }
})

/** What the pools of a process share. */
interface Shared {
  readonly bells: Effect.Effect.Success<typeof makeBells>
  readonly running: FiberSet.FiberSet<unknown>
  readonly slots: number
}

/**
 * Attempts deliveries in slots of its own. Receivers that are known to fail have a pool apart from the others: however many of them swallow their 15 s,
 * the others find a free slot. It claims when it starts, and when its bell rings.
 */
const pool = Effect.fnUntraced(function* (kind: (typeof kinds)[number], { bells, running, slots }: Shared) {
  const repo = yield* QueueRepo
  const { attempt } = yield* Attempts
  const free = yield* Ref.make(slots)

  const start = (claim: Claim) =>
    attempt(claim).pipe(
      Effect.catchAllDefect((defect) => Outages.report("An attempt could not be recorded", defect)),
      Effect.ensuring(
        Effect.zipRight(
          Ref.update(free, (count) => count + 1),
          bells.ring
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
      Effect.zipRight(Outages.report("Deliveries could not be claimed", defect), Effect.sleep("1 second"))
    ),
    Effect.zipRight(Queue.take(bells[kind])),
    Effect.forever,
    Effect.forkScoped
  )
})

/** The workers over a given queue and given attempts. The bells ring when the database calls, when an attempt has ended, and every 250 ms. */
export const layerNoDeps = Layer.scopedDiscard(
  Effect.gen(function* () {
    const shared = { bells: yield* makeBells, running: yield* attempts, slots: yield* DeliveriesAtOnce }
    yield* sweeper
    yield* Effect.forEach(kinds, (kind) => pool(kind, shared), { discard: true })
    const { next } = yield* wakeups(channel, "250 millis")
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(next, shared.bells.ring)))
  })
)

/** Delivers events to their receivers for as long as it lives; a graceful stop lets the attempts under way end and claims no more. */
export const layer = layerNoDeps.pipe(
  Layer.provide([Attempts.Default, QueueRepo.Default]),
  Layer.merge(Retention.layer)
)
