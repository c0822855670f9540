import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Schedule from "effect/Schedule"
import { QueueRepo } from "./QueueRepo.ts"

const attempts = Metric.counter("findable_webhook_attempts_total", {
  description: "Attempts at webhook deliveries made by this process, by the state of the delivery afterwards",
  incremental: true
})

const counted = {
  delivered: Metric.tagged(attempts, "outcome", "delivered"),
  failed: Metric.tagged(attempts, "outcome", "failed"),
  retried: Metric.tagged(attempts, "outcome", "retried")
}

/** Counts attempts by what follows: delivered, retried, or failed. */
export const attempted = (outcome: keyof typeof counted, count = 1) => Metric.incrementBy(counted[outcome], count)

const receipt = Metric.histogram(
  "findable_webhook_receipt_seconds",
  MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
  "Seconds from the commit of an event until a receiver had accepted it, of deliveries that were accepted at the first attempt"
)

/** Records how long after its commit an event was accepted. */
export const received = (milliseconds: number) => Metric.update(receipt, milliseconds / 1000)

const deactivations = Metric.counter("findable_webhook_deactivations_total", {
  description: "Webhooks that this process deactivated, by reason",
  incremental: true
})

/** Counts a webhook that was deactivated. */
export const deactivated = (reason: "gone" | "failing") =>
  Metric.increment(Metric.tagged(deactivations, "reason", reason))

const oldestDue = Metric.gauge("findable_webhook_oldest_due_seconds", {
  description: "Seconds for which the oldest due webhook delivery of the whole installation has waited"
})

/** Measures how late deliveries are; failing receivers apart, because their deliveries wait for slots of their own. */
export const measure = Effect.gen(function* () {
  const { lateness } = yield* QueueRepo
  const { failing, healthy } = yield* lateness
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "healthy"), healthy)
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "failing"), failing)
})

/** Measures every ten seconds; while the database is away the last values stay. */
export const layer = Layer.scopedDiscard(
  measure.pipe(
    Effect.catchAllDefect(() => Effect.void),
    Effect.repeat(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )
).pipe(Layer.provide(QueueRepo.Default))
