import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"

/** The state of a pool's connections. */
interface Counts {
  readonly busy: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly wanted: number
}

const connections = Metric.gauge("findable_database_connections", {
  description: "Database connections of this process that are busy or idle, and statements that wait for one"
})
const busy = Metric.tagged(connections, "state", "busy")
const idle = Metric.tagged(connections, "state", "idle")
const wanted = Metric.tagged(connections, "state", "wanted")

/** Measures a pool every five seconds until the scope closes. */
export const watch = ({ counts }: { readonly counts: () => Counts }) =>
  Effect.suspend(() => {
    const now = counts()
    return Effect.all([Metric.set(busy, now.busy), Metric.set(idle, now.idle), Metric.set(wanted, now.wanted)], {
      discard: true
    })
  }).pipe(Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)
