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

/** The lease on a piece of work is lost: the row was ended or removed, or this worker was declared dead. Nothing may be written any more. */
export class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Fails with `LeaseLost` when a statement that names its lease finds no row. */
export const held = <A, E, R>(rows: Effect.Effect<Option.Option<A>, E, R>) =>
  Effect.flatMap(rows, Option.match({ onNone: () => new LeaseLost(), onSome: (row) => Effect.succeed(row) }))

/** A kind of work done under a lease by one worker at a time: `C` is the claim of a piece, `A` its outcome. */
interface Kind<C extends Held, A, R, R2> {
  /** Its name in traces and metrics: "audit". */
  readonly name: string
  /** Its noun in the log, where that is another one. */
  readonly called?: string
  readonly queue: LeaseQueue<C>
  /** Pieces that this process works on at once; 1 by default. */
  readonly atOnce?: number
  /** The channel on which PostgreSQL notifies of new work; without one, new work is found within a second. */
  readonly channel?: string
  /** Does the work. Expected failures are an `A`; it may also find the lease lost. */
  readonly work: (claim: C) => Effect.Effect<A, LeaseLost, R>
  /** The label of an outcome in the metrics: "completed", or the code of a failure. */
  readonly outcome: (end: A) => string
  /** The outcome when the work dies of a defect, which is in the log. */
  readonly broken: (claim: C) => A
  /** The outcome when as many workers died on it as its queue allows. */
  readonly lost: (claim: C) => A
  /** Writes the outcome under the lease, inside a transaction: its consequences commit with it. */
  readonly store: (claim: C, end: A) => Effect.Effect<void, LeaseLost, R2>
}

/** The noun for a piece of work in the log. */
const nounOf = ({ called, name }: { readonly called?: string; readonly name: string }) => called ?? name

/** Storing an outcome waits for as long as the database takes nothing, and a minute through other failures; the lease decides whether it still counts. */
const patiently = Schedule.spaced("1 second").pipe(Schedule.intersect(Schedule.recurs(60)))

/** A stop does not wait long: a piece that cannot be handed back is released when its lease expires. */
const briefly = Schedule.spaced("500 millis").pipe(Schedule.intersect(Schedule.recurs(4)))

/** Waits before other work after a piece that could not be worked on: the disk may be full by its own doing. */
const aWhile = `${leaseSeconds} seconds` as const

/** The piece is back in the queue: it failed without a fault of its own. */
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

/** Renews a lease until it is lost. While the database is away nothing can be renewed; when it is back, the lease decides whether the work is still ours. */
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

/**
 * Writes an outcome. Its lease is renewed meanwhile, for a full disk may refuse the outcome and take renewals; whether it is lost, the write itself finds
 * out.
 */
const storing = <C extends Held, A, R, R2>(working: Working<C, A, R, R2>, claim: C, end: A, seconds: number) => {
  const { kind, transaction } = working
  const write = transaction(Effect.zipRight(kind.store(claim, end), kind.queue.charge(claim, seconds)))
  const held = Effect.zipRight(Effect.ignore(renewing(working, claim)), Effect.never)
  return Effect.raceFirst(again(patiently)(Query.persisted(write)), held)
}

/** The end of a piece whose work died: it is back in the queue where only the database was at fault, else a bug ended it. */
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
  // Work that another worker may repeat after a death may be repeated here after a statement that was ended from outside.
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

/** Gives a piece back to the queue, for a stop. */
const handBack = <C extends Held, A, R, R2>({ kind, metrics, outages }: Working<C, A, R, R2>, claim: C) =>
  again(briefly)(kind.queue.handBack(claim)).pipe(
    Effect.andThen(
      Effect.zipRight(metrics.left("handed_back"), Effect.logInfo(`The ${nounOf(kind)} is returned to the queue`))
    ),
    Effect.catchAllDefect((defect) => outages.report(`The ${nounOf(kind)} could not be returned to the queue`, defect))
  )

/** Claims a piece and works on it, over and over; where there is none, one worker of the process at a time waits for `wakeUp`, the others for it. */
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

/** Takes the pieces of dead workers over: releases those that another may try, and ends the others. */
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

/** Works on due pieces, one after the other, until the scope closes; a graceful stop hands back the pieces in progress. */
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
