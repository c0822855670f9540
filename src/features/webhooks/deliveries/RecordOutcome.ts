import * as SqlClient from "@effect/sql/SqlClient"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Retry from "effect/Schedule"
import * as Schema from "effect/Schema"
import { Outages } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { Events } from "../../events/Events.ts"
import { DeliveryId, leaseSeconds, overlookedHours, patienceDays, WebhookId, writtenAtOnce } from "../Domain.ts"
import { deliveryExhausted, webhookDeactivated } from "../Events.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import { KeptAttempt } from "./Delivery.ts"
import { type Claim, Held, type HeldClaims, QueueRepo } from "./Queue.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import { attemptOf, type Outcome } from "./Sender.ts"

const attempts = Metric.counter("findable_webhook_attempts_total", {
  description: "Webhook delivery attempts of this process, by the resulting state of the delivery",
  incremental: true
})

const counted = {
  delivered: Metric.tagged(attempts, "outcome", "delivered"),
  failed: Metric.tagged(attempts, "outcome", "failed"),
  retried: Metric.tagged(attempts, "outcome", "retried")
}

/** Counts attempts by outcome: delivered, retried, or failed. */
export const attempted = (outcome: keyof typeof counted, count = 1) => Metric.incrementBy(counted[outcome], count)

const receipt = Metric.histogram(
  "findable_webhook_receipt_seconds",
  MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]),
  "Seconds from an event until an endpoint accepted its delivery, for deliveries accepted at the first attempt"
)

/** Records the time from an event's commit to its acceptance. */
export const received = (milliseconds: number) => Metric.update(receipt, milliseconds / 1000)

const deactivations = Metric.counter("findable_webhook_deactivations_total", {
  description: "Endpoints that this process disabled, by reason",
  incremental: true
})

/** Counts a deactivated webhook. */
export const deactivated = (reason: "gone" | "failing") =>
  Metric.increment(Metric.tagged(deactivations, "reason", reason))

const oldestDue = Metric.gauge("findable_webhook_oldest_due_seconds", {
  description: "Seconds that the oldest due webhook delivery has waited, over all servers"
})

/** Measures the lateness of deliveries; failing endpoints separately, because they have their own slots. */
export const measure = Effect.gen(function* () {
  const { lateness } = yield* QueueRepo
  const { failing, healthy } = yield* lateness
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "healthy"), healthy)
  yield* Metric.set(Metric.tagged(oldestDue, "receiver", "failing"), failing)
})

/** Measures every ten seconds; during an outage of the database the last values stay. */
export const layer = Layer.scopedDiscard(
  measure.pipe(
    Effect.catchAllDefect(() => Effect.void),
    Effect.repeat(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )
).pipe(Layer.provide(QueueRepo.Default))

/** Claims of one worker. */
const Several = Schema.Struct({
  ids: Schema.Array(Schema.String),
  numbers: Schema.Array(Schema.Int),
  worker: Schema.UUID
})

const Ended = Schema.Struct({ ...Held.fields, attempt: Schema.parseJson(KeptAttempt) })

/** The state of a delivery and its subscription after a failed attempt. */
const Standing = Schema.Struct({
  failures: Schema.Int,
  isActive: Schema.Boolean,
  /** Whether the subscription has only failed for `patienceDays`, with a failed delivery at least `overlookedHours` ago. */
  outOfPatience: Schema.Boolean
})
type Standing = typeof Standing.Type

/** Records the ends of attempts; a lost claim changes nothing and gives no row. */
export class RecordRepo extends Effect.Service<RecordRepo>()("webhooks/deliveries/RecordRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Records accepted deliveries, with the last attempt of each as JSON, without waiting for the disk. */
    const accepted = Query.none({
      Request: Schema.Struct({
        ...Several.fields,
        attempts: Schema.Array(Schema.String),
        webhooks: Schema.Array(Schema.String)
      }),
      execute: ({ attempts, ids, numbers, webhooks, worker }) => sql`
        SELECT accept_webhook_deliveries(${worker}, ${webhooks}::text[], ${ids}::text[], ${numbers}::integer[], ${attempts}::text[])`
    })

    /** Locks the subscription, always before other rows that a failure may change. */
    const standing = Query.first({
      Request: Held,
      Result: Standing,
      execute: ({ id, number, worker }) => sql`
        SELECT q.failures, w.is_active AS "isActive", NOT e.is_test AND
          coalesce(w.failing_since <= clock_timestamp() - ${patienceDays} * interval '1 day', false) AND EXISTS (
            SELECT FROM unnest(w.events) AS type JOIN webhook_log l ON l.webhook_id = w.id AND l.event_type = type
              JOIN events tried ON tried.id = l.event_id AND NOT tried.is_test
            WHERE l.status = 'failed' AND l.failure_reason = 'attempts_exhausted'
              AND l.finished_at BETWEEN clock_timestamp() - ${patienceDays} * interval '1 day'
                AND clock_timestamp() - ${overlookedHours} * interval '1 hour'
          ) AS "outOfPatience"
        FROM webhook_queue q JOIN webhooks w ON w.id = q.webhook_id JOIN events e ON e.id = q.event_id
        WHERE q.id = ${id} AND q.worker = ${worker} AND q.number = ${number} FOR NO KEY UPDATE OF w`
    })

    /** Locks the subscriptions of these deliveries, and returns the previous failures of each delivery to an active one. */
    const retryable = Query.all({
      Request: Several,
      Result: Schema.Struct({ id: DeliveryId, failures: Schema.Int }),
      execute: ({ ids, numbers, worker }) => sql`
        SELECT q.id, q.failures FROM unnest(${ids}::text[], ${numbers}::integer[]) AS ended (id, number)
        JOIN webhook_queue q ON q.id = ended.id AND q.worker = ${worker} AND q.number = ended.number
        JOIN webhooks w ON w.id = q.webhook_id AND w.is_active
        ORDER BY w.id, q.id FOR NO KEY UPDATE OF w`
    })

    /** Puts deliveries back into the queue, each with its wait in milliseconds. A failed test does not mark its subscription as failing. */
    const retried = Query.none({
      Request: Schema.Struct({
        ...Several.fields,
        attempts: Schema.Array(Schema.parseJson(KeptAttempt)),
        waits: Schema.Array(Schema.Number)
      }),
      execute: ({ attempts, ids, numbers, waits, worker }) => sql`
        WITH batch AS (
          SELECT * FROM unnest(${ids}::text[], ${numbers}::integer[], ${waits}::float8[], ${attempts}::text[])
            AS one (id, number, wait, attempt)
        ), before AS (
          SELECT q.id, q.webhook_id, q.started_at, batch.wait, batch.attempt FROM batch JOIN webhook_queue q ON q.id = batch.id
          WHERE q.worker = ${worker} AND q.number = batch.number FOR UPDATE OF q
        ), ended AS (
          UPDATE webhook_queue q SET worker = NULL, started_at = NULL, waiting = true, failures = failures + 1,
            trigger = 'automatic', next_attempt_at = clock_timestamp() + before.wait * interval '1 millisecond',
            waits_since = clock_timestamp(), attempts = attempts || before.attempt::jsonb
          FROM before WHERE q.id = before.id RETURNING q.event_id, before.webhook_id, before.started_at
        ), first AS (
          SELECT webhook_id, min(started_at) AS started_at FROM ended
          WHERE NOT (SELECT is_test FROM events WHERE id = ended.event_id) GROUP BY webhook_id
        )
        UPDATE webhooks SET failing_since = first.started_at FROM first
        WHERE webhooks.id = first.webhook_id AND failing_since IS NULL`
    })

    /** Fails the delivery; returns since when its subscription has been failing, which a test does not change. */
    const failed = Query.first({
      Request: Schema.Struct({ ...Ended.fields, reason: Schema.Literal("attempts_exhausted", "webhook_deactivated") }),
      Result: Schema.Struct({ account: AccountId, attempts: Schema.Int, isTest: Schema.Boolean, since: Timestamp }),
      execute: ({ attempt, id, number, reason, worker }) => sql`
        WITH ended AS (
          DELETE FROM webhook_queue WHERE id = ${id} AND worker = ${worker} AND number = ${number} RETURNING *
        ), logged AS (
          INSERT INTO webhook_log (id, webhook_id, event_id, event_type, format, status, failure_reason, attempts, created_at)
          SELECT id, webhook_id, event_id, event_type, format, 'failed', ${reason}, attempts || ${attempt}::jsonb, created_at FROM ended
        )
        UPDATE webhooks SET failing_since = CASE WHEN is_test THEN failing_since ELSE coalesce(failing_since, started_at) END
        FROM ended JOIN events e ON e.id = ended.event_id WHERE webhooks.id = ended.webhook_id
        RETURNING webhooks.account_id AS account, number AS attempts, is_test AS "isTest", iso(coalesce(failing_since, started_at)) AS since`
    })

    const deactivate = Query.none({
      Request: Schema.Struct({ reason: Schema.Literal("gone", "failing"), webhook: WebhookId }),
      execute: ({ reason, webhook }) => sql`
        UPDATE webhooks SET is_active = false, deactivation = ${reason}, deactivated_at = clock_timestamp()
        WHERE id = ${webhook} AND is_active`
    })

    return { accepted, deactivate, failed, retried, retryable, standing, transaction: Query.transaction(sql) }
  })
}) {}

/**
 * Writes in batches: outcomes that arrive during a write form the next batch. The end of its scope writes the rest. If a worker dies, its unwritten outcomes
 * are lost, and their deliveries are resent.
 */
export const make = <A, R>(most: number, write: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>) =>
  Effect.gen(function* () {
    const ended = yield* Queue.unbounded<A>()
    const writeSome = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(ended, 1, most)), (batch) => write(Chunk.toReadonlyArray(batch)))
    )
    const writeRest = Effect.flatMap(Queue.takeAll(ended), (rest) =>
      Chunk.isEmpty(rest) ? Effect.void : write(Chunk.toReadonlyArray(rest))
    )
    // A finalizer is uninterruptible, and a stop must not wait long for an unavailable database.
    yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(writeRest), `${leaseSeconds} seconds`))
    yield* Effect.forkScoped(Effect.forever(writeSome))
    return { add: (one: A) => Effect.asVoid(Queue.offer(ended, one)), unwritten: Queue.size(ended) }
  })

/** An accepted delivery, with its last attempt as JSON. */
interface Delivered {
  readonly claim: Claim
  readonly attempt: string
}

/**
 * Retries acceptances for about as long as the lock may hold; after that another worker may have the deliveries. While the database is unavailable, no worker
 * can take them.
 */
const retryDuringOutage = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** Records accepted deliveries in batches. */
export const delivered = (worker: string, held: HeldClaims) =>
  Effect.flatMap(RecordRepo, (repo) =>
    make(writtenAtOnce, (batch: ReadonlyArray<Delivered>) =>
      repo
        .accepted({
          attempts: batch.map(({ attempt }) => attempt),
          ids: batch.map(({ claim }) => claim.id),
          numbers: batch.map(({ claim }) => claim.number),
          webhooks: [...new Set(batch.map(({ claim }) => claim.webhook))],
          worker
        })
        .pipe(
          Query.persisted,
          Effect.sandbox,
          Effect.retry(retryDuringOutage),
          Effect.zipRight(attempted("delivered", batch.length)),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(held.doubt, Outages.report("Accepted deliveries could not be recorded", cause))
          ),
          Effect.ensuring(held.release(batch.map(({ claim }) => claim)))
        )
    )
  )

type Failed = Extract<Outcome, { readonly _tag: "Failed" }>

/** A failed attempt. */
export interface Failure {
  readonly claim: Claim
  readonly outcome: Failed
}

/** Retries an outcome for about as long as the lock may hold; after that another worker may have the delivery. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(leaseSeconds)))

/** Events about webhooks never raise further events: otherwise two failing webhooks would keep each other busy. */
const raisesEvents = ({ eventType }: Claim) =>
  eventType !== webhookDeactivated.type && eventType !== deliveryExhausted.type

/** Records failed attempts, with the consequences for the delivery, its subscription and the account. */
export class RecordOutcome extends Effect.Service<RecordOutcome>()("webhooks/deliveries/RecordOutcome", {
  dependencies: [DeliveriesRepo.Default, Events.Default, RecordRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const events = yield* Events
    const repo = yield* RecordRepo
    const schedule = yield* RetrySchedule.RetryDelays

    const deactivate = Effect.fnUntraced(function* (
      claim: Claim,
      reason: RetrySchedule.DeactivationReason,
      account: AccountId,
      since: typeof webhookDeactivated.payload.Type.data.since
    ) {
      const { url, webhook } = claim
      yield* repo.deactivate({ reason, webhook })
      yield* deliveries.abandon(webhook)
      if (!raisesEvents(claim)) return
      yield* events.publish(
        account,
        webhookDeactivated,
        { webhook_id: webhook, url, reason, since },
        { except: webhook }
      )
    })

    const exhausted = (claim: Claim, outcome: Failed, account: AccountId, attempts: number) =>
      events.publish(
        account,
        deliveryExhausted,
        {
          webhook_id: claim.webhook,
          delivery_id: claim.id,
          event_id: claim.eventId,
          event_type: claim.eventType,
          attempts,
          last_status_code: outcome.statusCode
        },
        { except: claim.webhook }
      )

    /** The next step after a failure, by the schedule; the decision is equal for single and batched failures. */
    const next = Effect.fnUntraced(function* ({ retryAfter, statusCode }: Failed, standing: Standing) {
      const { failures, isActive, outOfPatience } = standing
      const endedAt = yield* Clock.currentTimeMillis
      const jitter = yield* Random.next
      const attempt = failures + 1
      return RetrySchedule.afterFailure(
        { attempt, endedAt, isActive, jitter, outOfPatience, retryAfter, statusCode },
        schedule
      )
    })

    /** Puts failed deliveries back into the queue, each with the milliseconds to wait. */
    const retry = (worker: string, again: ReadonlyArray<Failure & { readonly waitMs: number }>) =>
      repo.retried({
        attempts: again.map(({ claim, outcome }) => attemptOf(claim, outcome)),
        ids: again.map(({ claim }) => claim.id),
        numbers: again.map(({ claim }) => claim.number),
        waits: again.map(({ waitMs }) => waitMs),
        worker
      })

    /** Records one failure under the lock of its subscription; returns what to count and log after the commit. */
    const recordOne = Effect.fnUntraced(function* ({ claim, outcome }: Failure) {
      const standing = yield* repo.standing(claim)
      if (Option.isNone(standing)) return []
      const step = yield* next(outcome, standing.value)
      if (step._tag === "Retry") {
        yield* retry(claim.worker, [{ claim, outcome, waitMs: step.waitMs }])
        return [attempted("retried")]
      }
      const failed = yield* repo.failed({ ...claim, attempt: attemptOf(claim, outcome), reason: step.reason })
      if (Option.isNone(failed)) return []
      const { account, attempts, isTest, since } = failed.value
      if (step.reason === "attempts_exhausted" && !isTest && raisesEvents(claim))
        yield* exhausted(claim, outcome, account, attempts)
      if (Option.isNone(step.deactivate)) return [attempted("failed")]
      const reason = step.deactivate.value
      yield* deactivate(claim, reason, account, since)
      return [
        attempted("failed"),
        deactivated(reason),
        Effect.logWarning(`The endpoint of webhook ${claim.webhook} (account ${account}) was disabled: ${reason}`)
      ]
    }, repo.transaction)

    /** Records a failure; changes nothing after the claim was lost. */
    const record = (one: Failure) =>
      Query.persisted(recordOne(one)).pipe(
        Effect.sandbox,
        Effect.retry(patiently),
        Effect.orDie,
        Effect.flatMap(Effect.all)
      )

    /** Records failures with a retry in one transaction; returns their number, and the other failures. */
    const retryAll = Effect.fnUntraced(function* (worker: string, batch: ReadonlyArray<Failure>) {
      const retryable = yield* repo.retryable({
        ids: batch.map(({ claim }) => claim.id),
        numbers: batch.map(({ claim }) => claim.number),
        worker
      })
      const failures = new Map(retryable.map((row) => [row.id, row.failures]))
      const [others, again] = yield* Effect.partition(batch, (one) => {
        const known = failures.get(one.claim.id)
        if (known === undefined) return Effect.fail(one)
        return Effect.flatMap(next(one.outcome, { failures: known, isActive: true, outOfPatience: false }), (step) =>
          step._tag === "Retry" ? Effect.succeed({ ...one, waitMs: step.waitMs }) : Effect.fail(one)
        )
      })
      if (again.length > 0) yield* retry(worker, again)
      return { again: again.length, others }
    }, repo.transaction)

    /** Records failures: retries together; ends of deliveries, and failures that the batch could not record, in separate transactions. */
    const recordAll = (worker: string, held: HeldClaims, batch: ReadonlyArray<Failure>) =>
      retryAll(worker, batch).pipe(
        Effect.tap(({ again }) => attempted("retried", again)),
        Effect.catchAllCause(() => Effect.succeed({ others: batch })),
        Effect.flatMap(({ others }) =>
          Effect.forEach(
            others,
            (one) =>
              record(one).pipe(
                Effect.catchAllDefect((defect) =>
                  Effect.zipRight(
                    held.doubt,
                    Outages.report("A webhook delivery attempt could not be recorded", defect)
                  )
                ),
                Effect.annotateLogs({ delivery: one.claim.id, webhook: one.claim.webhook })
              ),
            { concurrency: 10, discard: true }
          )
        ),
        Effect.ensuring(held.release(batch.map(({ claim }) => claim)))
      )

    return { record, recordAll }
  })
}) {}
