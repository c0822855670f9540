import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Retry from "effect/Schedule"
import * as ClockWatch from "../../../foundation/database/ClockWatch.ts"
import { Outages } from "../../../foundation/database/Outages.ts"
import { notifications } from "../../../foundation/database/Wakeups.ts"
import * as Monotonic from "../../../foundation/schema/Monotonic.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import * as Channel from "../../events/Channel.ts"
import { leaseSeconds, polledAtOnce } from "../Limits.ts"
import { Attempts } from "./Attempts.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as FairScheduler from "./FairScheduler.ts"
import * as HeldClaims from "./HeldClaims.ts"
import { QueueRepo } from "./QueueRepo.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import { RecordRepo } from "./RecordRepo.ts"
import * as Retention from "./Retention.ts"
import { DeliveriesAtOnce } from "./Settings.ts"

/** Seconds between two renewals of a lease. */
const renewalSeconds = leaseSeconds / 3

/** Milliseconds in which every worker that lives renews its lease once the database takes statements again. */
const settling = (renewalSeconds + 1) * 1000

/** The queue is read this often in any case, in milliseconds: a notification can be lost with its connection. */
const pollEvery = 1000

/** The id of this process among the workers. */
const newWorker = Effect.map(
  Effect.flatMap(Entropy.Entropy, ({ bytes }) => bytes(16)),
  (bytes) => Encoding.encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
).pipe(Effect.provide(Entropy.layer))

/**
 * Renews this process's lease for as long as it lives. What it still holds when it ends, another worker takes over the next time it reads the queue.
 * After an outage nobody reads the queue before all have renewed: what a reader takes from a worker that lives is sent twice.
 */
const lease = Effect.gen(function* () {
  const queue = yield* QueueRepo
  const worker = yield* newWorker
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.sandbox(queue.leave(worker))))
  const held = yield* HeldClaims.make(worker)
  let settled = 0
  const renew = Effect.gen(function* () {
    const { unmarked } = yield* queue.renew(worker)
    if (settled === Number.POSITIVE_INFINITY) settled = (yield* Monotonic.now) + settling
    if (unmarked) yield* held.doubt
  }).pipe(
    Effect.catchAllCause((cause) => {
      settled = Number.POSITIVE_INFINITY
      return Outages.report("The lease of this worker could not be renewed", cause)
    })
  )
  yield* renew
  yield* Effect.forkScoped(Effect.repeat(renew, Retry.spaced(`${renewalSeconds} seconds`)))
  return { held, isSettled: Effect.map(Monotonic.now, (now) => now >= settled), worker }
})

/** Ends what waits for a subscription that was deactivated while an event for it was being committed. */
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
    const scheduler = FairScheduler.make({ quick: slots, slow: 4 * slots })
    const { held, isSettled, worker } = yield* lease
    const { wake } = yield* Dispatcher.make(worker, held, scheduler)
    const after = yield* Ref.make("")
    const moved = ClockWatch.make()

    yield* notifications(Channel.channel, (payload) =>
      Effect.suspend(() => {
        const { account, webhooks } = Channel.read(payload)
        for (const webhook of webhooks) scheduler.add(webhook, account, 0, false)
        return wake
      })
    )

    /** Reads which webhooks have something due, some at a time; answers in how many milliseconds to read on. */
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
      Effect.catchAllCause((cause) => Effect.as(Outages.report("The queue could not be read", cause), pollEvery)),
      Effect.flatMap(Effect.sleep),
      Effect.forever,
      Effect.forkScoped
    )
  })
)

/** Delivers events to their receivers for as long as it lives; a graceful stop claims no more and lets the attempts under way end. */
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
