import * as SqlClient from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Traced from "../schema/Traced.ts"
import { LeaseMonitor, makeMetrics } from "./LeaseMonitor.ts"
import { type Held, type LeaseQueue, leaseSeconds, renewalSeconds } from "./LeaseQueue.ts"
import { Outages } from "./Outages.ts"
import * as Query from "./Query.ts"
import { isPassing, isSqlError } from "./SqlState.ts"
import { notifications } from "./Wakeups.ts"

/** The lease on a piece of work is lost: the row was ended or removed, or this worker was declared dead. The worker may write nothing any more. */
export class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Fails with `LeaseLost` when a statement that names its lease finds no row. */
export const held = <A, E, R>(rows: Effect.Effect<Option.Option<A>, E, R>) =>
  Effect.flatMap(rows, Option.match({ onNone: () => new LeaseLost(), onSome: (row) => Effect.succeed(row) }))

/** A kind of work that one worker at a time does under a lease: `C` is the claim of a piece, `A` its outcome. */
interface Kind<C extends Held, A, R, R2> {
  /** The name in traces and metrics: "audit". */
  readonly name: string
  /** The noun in the log, when it differs from the name. */
  readonly called?: string
  readonly queue: LeaseQueue<C>
  /** Concurrent pieces in this process; 1 by default. */
  readonly atOnce?: number
  /** The channel of PostgreSQL's notifications of new work. Without a channel, new work is found within a second. */
  readonly channel?: string
  /** Does the work. An expected failure is an `A`; the work may also fail with a lost lease. */
  readonly work: (claim: C) => Effect.Effect<A, LeaseLost, R>
  /** The label of an outcome in the metrics: "completed", or the code of a failure. */
  readonly outcome: (end: A) => string
  /** The outcome after a defect, which is logged. */
  readonly broken: (claim: C) => A
  /** The outcome after the last worker that the queue allows has died. */
  readonly lost: (claim: C) => A
  /** Writes the outcome under the lease, in a transaction that also commits the consequences. */
  readonly store: (claim: C, end: A) => Effect.Effect<void, LeaseLost, R2>
}

/** The noun for a piece of work in the log. */
const nounOf = ({ called, name }: { readonly called?: string; readonly name: string }) => called ?? name

/**
 * Storing an outcome waits as long as the database takes nothing, and retries other failures for a minute. The lease decides whether the outcome still counts.
 */
const patiently = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(60)))

/** A stop waits briefly. A piece that cannot be returned to the queue is released when its lease expires. */
const briefly = Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(4)))

/** The pause after a piece that failed by the database's state: the piece itself may have filled the disk. */
const aWhile = `${leaseSeconds} seconds` as const

/** The piece failed by the database's state and is back in the queue. */
class Postponed extends Data.TaggedError("Postponed") {}

class NotWritten extends Data.TaggedError("NotWritten")<{ readonly defect: unknown }> {}

/** Retries statements while the database is away. */
const again =
  (schedule: Schedule.Schedule<unknown>) =>
  <E, R>(write: Effect.Effect<void, E, R>) =>
    Effect.uninterruptible(write).pipe(
      Effect.catchAllDefect((defect) => new NotWritten({ defect })),
      Effect.retry({ schedule, while: (error) => error instanceof NotWritten }),
      Effect.catchIf(
        (error) => error instanceof NotWritten,
        ({ defect }) => Effect.die(defect)
      )
    )

/** A kind of work, and the services of its workers. */
interface Working<C extends Held, A, R, R2> {
  readonly kind: Kind<C, A, R, R2>
  readonly metrics: ReturnType<typeof makeMetrics>
  readonly monitor: LeaseMonitor
  readonly outages: Outages
  readonly transaction: ReturnType<typeof Query.transaction>
}

/**
 * Renews a lease until the lease is lost. During an outage of the database no renewal is possible; afterwards the lease decides whether the work is still ours.
 */
const renewing = <C extends Held, A, R, R2>(
  { kind: { queue, ...kind }, monitor, outages }: Working<C, A, R, R2>,
  claim: C
) =>
  Effect.sleep(`${renewalSeconds} seconds`).pipe(
    Effect.zipRight(Effect.uninterruptible(queue.renew(claim))),
    Effect.catchAllDefect((defect) =>
      Effect.as(
        Effect.zipRight(monitor.doubt, outages.report(`The lock on the ${nounOf(kind)} could not be renewed`, defect)),
        Option.some(claim)
      )
    ),
    Effect.repeat({ while: Option.isSome }),
    Effect.zipRight(new LeaseLost())
  )

/** Writes an outcome and renews its lease meanwhile: a full disk may refuse the outcome but take renewals. The write itself detects a lost lease. */
const storing = <C extends Held, A, R, R2>(working: Working<C, A, R, R2>, claim: C, end: A, seconds: number) => {
  const { kind, transaction } = working
  const write = transaction(Effect.zipRight(kind.store(claim, end), kind.queue.charge(claim, seconds)))
  const held = Effect.zipRight(Effect.ignore(renewing(working, claim)), Effect.never)
  return Effect.raceFirst(again(patiently)(Query.persisted(write)), held)
}

/** Ends a piece after its work died: returns the piece to the queue after a failure of the database, and stores the outcome of a bug otherwise. */
const died = <C extends Held, A, R, R2>(
  { kind: { broken, queue, ...kind }, outages }: Working<C, A, R, R2>,
  claim: C,
  defect: unknown
) => {
  const bug = Effect.as(Effect.logError(`An internal error ended the ${nounOf(kind)}`, defect), broken(claim))
  if (!isSqlError(defect) || !isPassing(defect)) return bug
  return Effect.zipRight(
    outages.report(`The ${nounOf(kind)} is returned to the queue: a statement failed`, defect),
    Effect.flatMap(
      Query.persisted(queue.postpone(claim)),
      Option.match({ onNone: () => bug, onSome: () => new Postponed() })
    )
  )
}

/** Works on a piece while its lease holds, and stores the outcome. */
const execute = <C extends Held, A, R, R2>(working: Working<C, A, R, R2>, claim: C) => {
  const { kind, metrics, outages } = working
  const { queue } = kind
  const noun = nounOf(kind)
  // When another worker may repeat the work after a death, this worker may repeat it after a statement that was ended from outside.
  const repeated = queue.isRepeatable
    ? Query.repeated((error) =>
        outages.report(`A statement of the ${noun} was interrupted. Findable tries it again`, error)
      )
    : identity
  return repeated(Effect.provideService(kind.work(claim), Query.Patience, true)).pipe(
    Effect.catchAllDefect((defect) => died(working, claim, defect)),
    Effect.raceFirst(renewing(working, claim)),
    Effect.timed,
    Effect.tap(([duration, end]) => storing(working, claim, end, Duration.toSeconds(duration))),
    Effect.flatMap(([duration, end]) => metrics.ended(kind.outcome(end), duration)),
    Effect.catchTag("LeaseLost", () =>
      Effect.zipRight(
        Effect.logInfo(`The lock on the ${noun} expired. Another worker may take over`),
        metrics.left("taken_away")
      )
    )
  )
}

/** Returns a piece to the queue before a stop. */
const handBack = <C extends Held, A, R, R2>({ kind, metrics, outages }: Working<C, A, R, R2>, claim: C) =>
  again(briefly)(kind.queue.handBack(claim)).pipe(
    Effect.andThen(
      Effect.zipRight(metrics.left("handed_back"), Effect.logInfo(`The ${nounOf(kind)} is returned to the queue`))
    ),
    Effect.catchAllDefect((defect) => outages.report(`The ${nounOf(kind)} could not be returned to the queue`, defect))
  )

/** Claims pieces and works on them in a loop. Without a piece, one worker of the process waits for `wakeUp`, and the other workers wait for that worker. */
const claiming = <C extends Held, A, R, R2>(
  working: Working<C, A, R, R2>,
  wakeUp: Queue.Dequeue<void>,
  looking: Effect.Semaphore
) => {
  const { name, queue } = working.kind
  const claimOrWait = (restore: <T>(wait: Effect.Effect<T>) => Effect.Effect<T>) =>
    Effect.zipRight(
      Effect.interruptible(looking.take(1)),
      Effect.tap(queue.claim, (claim) => Effect.when(restore(Queue.take(wakeUp)), () => Option.isNone(claim))).pipe(
        Effect.ensuring(looking.release(1))
      )
    )
  const turn = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      claimOrWait(restore),
      Option.match({
        onNone: () => Effect.void,
        onSome: (claim) =>
          restore(Traced.spanned(name)(execute(working, claim))).pipe(
            Effect.onInterrupt(() => handBack(working, claim)),
            Effect.catchTag("Postponed", () =>
              Effect.zipRight(working.metrics.left("handed_back"), restore(Effect.sleep(aWhile)))
            ),
            Effect.annotateLogs({ [name]: claim.id })
          )
      })
    )
  )
  return turn.pipe(
    Effect.catchAllCause((cause) =>
      Effect.zipRight(
        working.outages.report(`No ${nounOf(working.kind)} could be claimed or finished`, cause),
        Effect.sleep("1 second")
      )
    ),
    Effect.forever
  )
}

/** Takes over the pieces of dead workers: releases the pieces that another worker may try, and ends the others. */
const takingOver = <C extends Held, A, R, R2>({
  kind,
  metrics,
  monitor,
  outages,
  transaction
}: Working<C, A, R, R2>) => {
  const { lost, name, queue } = kind
  const noun = nounOf(kind)
  const released = (id: string) =>
    Effect.annotateLogs(Effect.logWarning(`The worker of the ${noun} died. Another worker tries again`), { [name]: id })
  const end = (claim: C) =>
    kind.store(claim, lost(claim)).pipe(
      Effect.zipRight(Effect.logWarning(`The worker of the ${noun} died. No attempts are left`)),
      Effect.zipRight(metrics.left(kind.outcome(lost(claim)))),
      Effect.catchTag("LeaseLost", () => Effect.void),
      Effect.annotateLogs({ [name]: claim.id })
    )
  const release = Effect.flatMap(queue.release, (ids) => Effect.forEach(ids, released, { discard: true }))
  const bury = Effect.repeat(
    transaction(Effect.tap(queue.bury, Option.match({ onNone: () => Effect.void, onSome: end }))),
    { while: Option.isSome }
  )
  return Effect.zipRight(release, bury).pipe(
    Effect.catchAllCause((cause) =>
      Effect.all([
        monitor.doubt,
        outages.report(`Work of dead workers (${noun}) could not be taken over`, cause),
        Effect.sleep(`${leaseSeconds} seconds`)
      ])
    )
  )
}

/** Works on due pieces, one after the other, until the scope closes. A graceful stop returns the pieces in progress to the queue. */
export const worker = <C extends Held, A, R, R2>(kind: Kind<C, A, R, R2>) =>
  Effect.gen(function* () {
    const transaction = Query.transaction(yield* SqlClient.SqlClient)
    const monitor = yield* LeaseMonitor
    const working = {
      kind,
      metrics: makeMetrics(kind.name),
      monitor,
      outages: yield* Outages,
      transaction
    }
    const wakeUp = yield* Queue.sliding<void>(1)
    const wake = Effect.asVoid(Queue.offer(wakeUp, undefined))
    if (kind.channel !== undefined) yield* notifications(kind.channel, () => wake)
    const runTakeOver = yield* FiberHandle.makeRuntime<R2>()
    yield* monitor.watch({
      dead: Effect.sync(() =>
        runTakeOver(Effect.withClock(takingOver(working), monitor.clock), { onlyIfMissing: true })
      ),
      due: wake,
      name: kind.name,
      rows: kind.queue.rows
    })

    yield* claiming(working, wakeUp, yield* Effect.makeSemaphore(1)).pipe(
      Effect.withClock(monitor.clock),
      Effect.forkScoped,
      Effect.replicateEffect(kind.atOnce ?? 1, { discard: true })
    )
  })
