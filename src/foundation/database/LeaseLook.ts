import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ClockWatch from "./ClockWatch.ts"
import * as LeaseMetrics from "./LeaseMetrics.ts"
import * as LeaseQueue from "./LeaseQueue.ts"
import { Outages } from "./Outages.ts"

/** A queue that this process works on, and what it does when a look finds something there. */
export interface Watched {
  /** The name of its kind of work. */
  readonly name: string
  readonly rows: LeaseQueue.LeaseQueue<never>["rows"]
  /** Leases ran out. */
  readonly dead: Effect.Effect<void>
  /** Something waits for a worker. */
  readonly due: Effect.Effect<void>
}

/** In milliseconds, for which nobody is taken for dead after leases may have run out of workers that live. */
const settling = LeaseQueue.leaseSeconds * 1000

/** In milliseconds, after which whoever lives has renewed its lease since this process began: it saw neither an outage nor a clock that was set before. */
const acquainted = (LeaseQueue.renewalSeconds + 1) * 1000

/** Between two counts of what waits, so many looks. */
const measuredEach = 15

const monotonic = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Looks at all queues of this process with one statement a second, and tells those where something was found: that costs an idle process
 * little, and work that no notification told of waits no longer than that.
 */
export class LeaseLook extends Effect.Service<LeaseLook>()("database/LeaseLook", {
  scoped: Effect.gen(function* () {
    const outages = yield* Outages
    const sql = yield* SqlClient.SqlClient
    const anyWatched = yield* Effect.makeLatch()
    const moved = ClockWatch.make()
    let queues: ReadonlyArray<Watched> = []
    let overall = LeaseQueue.overall(sql, [])
    let looks = 0
    let missed = false
    let settled: number | undefined

    const set = (watched: ReadonlyArray<Watched>) =>
      Effect.suspend(() => {
        queues = watched
        overall = LeaseQueue.overall(
          sql,
          queues.map(({ rows }) => rows)
        )
        return queues.length === 0 ? anyWatched.close : anyWatched.open
      })

    /** Watches a queue for as long as the scope lives. */
    const watch = (queue: Watched) =>
      Effect.acquireRelease(
        Effect.suspend(() => set([...queues, queue])),
        () => Effect.suspend(() => set(queues.filter((other) => other !== queue)))
      )

    /**
     * Whether leases that ran out tell of dead workers. An outage lets leases run out that nobody could renew; a clock that was set makes those run out
     * of workers that live, or never run out of dead ones. The time of one lease settles both.
     * A process that has just begun cannot know whether there was one of them, and waits for the next renewal.
     */
    const isSettled = Effect.fnUntraced(function* (at: number) {
      const now = yield* monotonic
      const milliseconds = yield* moved(at)
      if (milliseconds !== 0) {
        const seconds = Math.round(milliseconds / 1000)
        yield* Effect.logInfo(`The database's clock moved by ${seconds} s; no lease is ended meanwhile`)
      }
      settled = missed || milliseconds !== 0 ? now + settling : (settled ?? now + acquainted)
      missed = false
      return now >= settled
    })

    const look = Effect.gen(function* () {
      const watched = queues
      const found = yield* overall.look
      const [first] = found
      if (first === undefined) return
      const mayEnd = yield* isSettled(first.at)
      for (const { dead, due, place } of found) {
        if (due) yield* watched[place]?.due ?? Effect.void
        if (dead && mayEnd) yield* watched[place]?.dead ?? Effect.void
      }
    }).pipe(
      Effect.catchAllCause((cause) => {
        missed = true
        return outages.report("The queues could not be looked at", cause)
      })
    )

    // While the database is away the last values stand.
    const measure = Effect.gen(function* () {
      const watched = queues
      const found = yield* overall.waiting
      const kinds = Map.groupBy(found, ({ place }) => watched[place]?.name ?? "")
      for (const [name, rows] of kinds) {
        const count = rows.reduce((sum, row) => sum + row.count, 0)
        yield* LeaseMetrics.make(name).waiting({ count, seconds: Math.max(...rows.map(({ seconds }) => seconds)) })
      }
    }).pipe(Effect.catchAllDefect(() => Effect.void))

    yield* Effect.sleep("1 second").pipe(
      Effect.zipRight(look),
      Effect.zipRight(Effect.suspend(() => Effect.when(measure, () => looks++ % measuredEach === 0))),
      anyWatched.whenOpen,
      Effect.forever,
      Effect.forkScoped
    )

    return { watch }
  })
}) {}
