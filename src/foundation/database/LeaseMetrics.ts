import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

const ended = Metric.counter("findable_work_total", {
  description: "Pieces of leased work that ended in this process, by kind and outcome",
  incremental: true
})

const seconds = Metric.histogram(
  "findable_work_seconds",
  MetricBoundaries.fromIterable([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800]),
  "Seconds that leased work took, by kind"
)

const queued = Metric.gauge("findable_queue_waiting", {
  description: "Pieces of leased work that are due and wait for a worker, in the whole installation, by kind"
})

const oldest = Metric.gauge("findable_queue_oldest_seconds", {
  description: "How long the oldest of them has waited, by kind"
})

/** The metrics of one kind of work; its name becomes a label. */
export const make = (name: string) => {
  const kind = name.replaceAll(" ", "_")
  const of = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) => Metric.tagged(metric, "kind", kind)
  /** Counts a piece that this process is done with. */
  const left = (outcome: string) => Metric.increment(Metric.tagged(of(ended), "outcome", outcome))
  return {
    left,
    ended: (outcome: string, duration: Duration.Duration) =>
      Effect.zipRight(left(outcome), Metric.update(of(seconds), Duration.toSeconds(duration))),
    waiting: (now: { readonly count: number; readonly seconds: number }) =>
      Effect.zipRight(Metric.set(of(queued), now.count), Metric.set(of(oldest), now.seconds))
  }
}
