import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import { QueueRepo } from "./QueueRepo.ts"

const attempts = Metric.counter("findable_webhook_attempts_total", {
  description: "Attempts at webhook deliveries made by this process, by what became of the delivery",
  incremental: true
})

/** Counts an attempt: its delivery is delivered, is going to be retried, or has failed. */
export const attempted = (outcome: "delivered" | "retried" | "failed") =>
  Metric.increment(Metric.tagged(attempts, "outcome", outcome))

const oldestDue = Metric.gauge("findable_webhook_oldest_due_seconds", {
  description: "How long the oldest webhook delivery that is due has waited, in the whole installation"
})

/** Measures how late deliveries are; receivers that fail are measured apart, as what waits for them waits for its turn. */
export const measure = Effect.gen(function* () {
  const { lateness } = yield* QueueRepo
  const { failing, healthy } = yield* lateness
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "healthy"), healthy)
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "failing"), failing)
})

/** Measures every ten seconds. While the database is away the last values stand. */
export const layer = Layer.scopedDiscard(
  measure.pipe(
    Effect.catchAllDefect(() => Effect.void),
    Effect.repeat(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )
).pipe(Layer.provide(QueueRepo.Default))
