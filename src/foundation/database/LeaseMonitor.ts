import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Schema from "effect/Schema"
import * as Time from "../schema/Time.ts"
import { goingOnFrom, momentOf } from "../schema/unsafe.ts"
import * as LeaseQueue from "./LeaseQueue.ts"
import { Outages } from "./Outages.ts"
import * as Query from "./Query.ts"

/** The drift that a slow response or a gradually adjusted clock may cause, in milliseconds: less than the remaining lease of a live worker. */
const tolerance = 5000

/**
 * Detects that the database's clock was set, or that the machine slept: between two looks, this clock and the process's monotonic clock advanced by different
 * times. Returns the difference in milliseconds, 0 within the tolerance.
 */
export const make = () => {
  let last: { readonly at: number; readonly ticks: number } | undefined
  return (at: number): Effect.Effect<number> =>
    Effect.map(Time.now, (now) => {
      const moved = last === undefined ? 0 : at - last.at - (now - last.ticks)
      last = { at, ticks: now }
      return Math.abs(moved) < tolerance ? 0 : Math.round(moved)
    })
}

const ended = Metric.counter("findable_work_total", {
  description: "Work that ended in this process, by kind and outcome",
  incremental: true
})

const seconds = Metric.histogram(
  "findable_work_seconds",
  MetricBoundaries.fromIterable([0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800]),
  "Duration of work in seconds, by kind"
)

const queued = Metric.gauge("findable_queue_waiting", {
  description: "Queued work that is due, over all servers, by kind"
})

const oldest = Metric.gauge("findable_queue_oldest_seconds", {
  description: "Seconds that the oldest queued work has waited, by kind"
})

/** The metrics of one kind of work, with its name as a label. */
export const makeMetrics = (name: string) => {
  const kind = name.replaceAll(" ", "_")
  const of = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) => Metric.tagged(metric, "kind", kind)
  /** Counts a piece that this process has finished. */
  const left = (outcome: string) => Metric.increment(Metric.tagged(of(ended), "outcome", outcome))
  return {
    left,
    ended: (outcome: string, duration: Duration.Duration) =>
      Effect.zipRight(left(outcome), Metric.update(of(seconds), Duration.toSeconds(duration))),
    waiting: (now: { readonly count: number; readonly seconds: number }) =>
      Effect.zipRight(Metric.set(of(queued), now.count), Metric.set(of(oldest), now.seconds))
  }
}

/** A queue that this process works on, with its reactions to a look. */
interface Watched {
  /** The name of the kind of work. */
  readonly name: string
  readonly rows: LeaseQueue.LeaseQueue<never>["rows"]
  /** Leases ran out. */
  readonly dead: Effect.Effect<void>
  /** A row waits for a worker. */
  readonly due: Effect.Effect<void>
}

/** After an outage or clock change, wait this long (ms) before declaring workers dead: live ones could not renew their leases. */
const settling = LeaseQueue.leaseSeconds * 1000

/**
 * After its start a process waits this long (ms), because it cannot know of an earlier outage or clock change. Meanwhile every live worker renews its lease.
 */
const acquainted = (LeaseQueue.renewalSeconds + 1) * 1000

/** The pause between looks at the queues, and the time (ms) after which a new process may declare workers dead; both shorter in tests. */
export class LookTimes extends Context.Reference<LookTimes>()("database/LookTimes", {
  defaultValue: (): { readonly acquainted: number; readonly every: Duration.DurationInput } => ({
    acquainted,
    every: "1 second"
  })
}) {}

/** Looks between two counts of the waiting rows. */
const measuredEach = 15

/** Statements over all queues together; each returned row has the position of its queue. */
export const overall = (sql: SqlClient.SqlClient, queues: ReadonlyArray<LeaseQueue.LeaseQueue<never>["rows"]>) => {
  type Rows = (typeof queues)[number]
  const each = (part: (rows: Rows, place: number) => Fragment) => sql.join(" UNION ALL ", false)(queues.map(part))

  /**
   * Whether a lease has expired, whether a row waits, and the database's time in milliseconds. The statement only reads, because an idle process runs it every
   * second.
   */
  const look = Query.all({
    Request: Schema.Void,
    Result: Schema.Struct({ at: Schema.Number, dead: Schema.Boolean, due: Schema.Boolean, place: Schema.Int }),
    execute: () =>
      sql`${each(
        ({ expired, waiting }, place) => sql`
          SELECT ${place}::integer AS place, EXISTS (SELECT ${expired}) AS dead, EXISTS (SELECT ${waiting}) AS due,
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`
      )}`
  })

  /** The number of waiting rows of each queue, and how many seconds the oldest has waited. */
  const waiting = Query.all({
    Request: Schema.Void,
    Result: Schema.Struct({ count: Schema.Number, place: Schema.Int, seconds: Schema.Number }),
    execute: () =>
      sql`${each(
        ({ oldest, waiting }, place) => sql`
          SELECT ${place}::integer AS place, count(*)::integer AS count,
            coalesce(extract(epoch FROM clock_timestamp() - min(${oldest})), 0)::float8 AS seconds ${waiting}`
      )}`
  })

  return { look: look(undefined), waiting: waiting(undefined) }
}

/**
 * Looks at all queues of this process with one statement a second, and runs the reactions of queues with due rows or expired leases. The look costs an idle
 * process little, and work without a notification waits a second at most.
 */
export class LeaseMonitor extends Effect.Service<LeaseMonitor>()("database/LeaseMonitor", {
  scoped: Effect.gen(function* () {
    const outages = yield* Outages
    const times = yield* LookTimes
    const sql = yield* SqlClient.SqlClient
    const anyWatched = yield* Effect.makeLatch()
    const moved = make()
    const own = yield* Effect.clock
    // The process's time, until the first look returns the database's.
    let moment = momentOf(own)
    let queues: ReadonlyArray<Watched> = []
    let statements = overall(sql, [])
    let looks = 0
    let missed = false
    let settled: number | undefined

    const set = (watched: ReadonlyArray<Watched>) =>
      Effect.suspend(() => {
        queues = watched
        statements = overall(
          sql,
          queues.map(({ rows }) => rows)
        )
        return queues.length === 0 ? anyWatched.close : anyWatched.open
      })

    /** Watches a queue until the scope closes. */
    const watch = (queue: Watched) =>
      Effect.acquireRelease(
        Effect.suspend(() => set([...queues, queue])),
        () => Effect.suspend(() => set(queues.filter((other) => other !== queue)))
      )

    /**
     * Whether an expired lease means a dead worker. During an outage no worker can renew its lease. After a clock change the leases of live workers expire, or
     * the leases of dead ones never do. A wait of one lease settles both. A new process knows of neither, and waits for the next renewal.
     */
    const isSettled = Effect.fnUntraced(function* (at: number) {
      const now = yield* Time.now
      const milliseconds = yield* moved(at)
      if (milliseconds !== 0) {
        const seconds = Math.round(milliseconds / 1000)
        yield* Effect.logInfo(
          `The database's clock moved by ${seconds} s. Findable ends no lock until the clock is steady`
        )
      }
      settled = missed || milliseconds !== 0 ? now + settling : (settled ?? now + times.acquainted)
      missed = false
      return now >= settled
    })

    const look = Effect.gen(function* () {
      const watched = queues
      const found = yield* statements.look
      const [first] = found
      if (first === undefined) return
      moment = { at: first.at, ticks: yield* Time.now }
      const mayEnd = yield* isSettled(first.at)
      for (const { dead, due, place } of found) {
        if (due) yield* watched[place]?.due ?? Effect.void
        if (dead && mayEnd) yield* watched[place]?.dead ?? Effect.void
      }
    }).pipe(
      Effect.catchAllCause((cause) => {
        missed = true
        return outages.report("The queues could not be read", cause)
      })
    )

    // While the database is away, the gauges keep their last values.
    const measure = Effect.gen(function* () {
      const watched = queues
      const found = yield* statements.waiting
      const kinds = Map.groupBy(found, ({ place }) => watched[place]?.name ?? "")
      for (const [name, rows] of kinds) {
        const count = rows.reduce((sum, row) => sum + row.count, 0)
        yield* makeMetrics(name).waiting({ count, seconds: Math.max(...rows.map(({ seconds }) => seconds)) })
      }
    }).pipe(Effect.catchAllDefect(() => Effect.void))

    yield* Effect.sleep(times.every).pipe(
      Effect.zipRight(look),
      Effect.zipRight(Effect.suspend(() => Effect.when(measure, () => looks++ % measuredEach === 0))),
      anyWatched.whenOpen,
      Effect.forever,
      Effect.forkScoped
    )

    return {
      /** The database's time of the last look plus the ticks since. The database decides by its own clock when a row is due. */
      clock: goingOnFrom(() => moment, own),
      /** Reports a failed renewal or takeover: for the length of one lease, an expired lease proves no death. */
      doubt: Effect.sync(() => {
        missed = true
      }),
      watch
    }
  })
}) {}
