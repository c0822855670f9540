import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Time from "../../../foundation/schema/Time.ts"

import { AccountId } from "../../accounts/Domain.ts"
import { EventBody, EventId } from "../../events/EventKind.ts"
import { EventType } from "../Catalogue.ts"
import { DeliveryId, leaseSeconds, polledAtOnce, WebhookId } from "../Domain.ts"
import { Target } from "../subscriptions/Subscriptions.ts"

/** Identifies a claim. Every write names it, so a worker without the claim changes nothing. */
export const Held = Schema.Struct({ id: DeliveryId, number: Schema.Int, worker: Schema.UUID })

/** A claimed delivery, with all data of its attempt. */
export const Claim = Schema.Struct({
  ...Held.fields,
  webhook: WebhookId,
  failing: Schema.Boolean,
  ...Target.fields,
  eventId: EventId,
  eventType: EventType,
  body: EventBody,
  trigger: Schema.Literal("automatic", "manual"),
  startedAt: Time.Timestamp,
  /** Time when it became due, and the milliseconds since. */
  dueAt: Time.Timestamp,
  waitedMs: Schema.Number
})
export type Claim = typeof Claim.Type

/** Number of a webhook's deliveries to claim, and when the last one claimed before became due. */
const Turn = Schema.Struct({ count: Schema.Int, since: Schema.String, webhook: Schema.String })

const Found = Schema.Struct({
  webhook: Schema.NullOr(WebhookId),
  account: Schema.NullOr(AccountId),
  active: Schema.NullOr(Schema.Boolean),
  /** Milliseconds until the next waiting delivery is due. */
  nextMs: Schema.NullOr(Schema.Number),
  /** The database's time, in milliseconds. */
  at: Schema.Number
})

/** The queue: claims due deliveries, and takes deliveries back from dead workers. */
export class QueueRepo extends Effect.Service<QueueRepo>()("webhooks/deliveries/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Registers a worker's lock, or renews it. `unmarked` means that its mark was missing: the worker is new, or the database crashed since. */
    const renew = Query.one({
      Request: Schema.UUID,
      Result: Schema.Struct({ unmarked: Schema.Boolean }),
      execute: (worker) => sql`
        WITH leased AS (
          INSERT INTO webhook_workers VALUES (${worker}, clock_timestamp() + ${leaseSeconds} * interval '1 second')
          ON CONFLICT (id) DO UPDATE SET leased_until = EXCLUDED.leased_until
        ), marked AS (
          INSERT INTO webhook_worker_marks VALUES (${worker}) ON CONFLICT DO NOTHING RETURNING worker
        ), swept AS (
          DELETE FROM webhook_worker_marks WHERE worker <> ${worker} AND EXISTS (SELECT FROM marked)
            AND worker NOT IN (SELECT id FROM webhook_workers)
        )
        SELECT EXISTS (SELECT FROM marked) AS unmarked`
    })

    /** Ends the lock of a worker; the next poll takes over its deliveries. */
    const leave = Query.none({
      Request: Schema.UUID,
      execute: (worker) => sql`UPDATE webhook_workers SET leased_until = '-infinity' WHERE id = ${worker}`
    })

    /** Takes over from dead workers, makes waiting deliveries due, and finds webhooks with due deliveries, ordered by id. */
    const poll = Query.all({
      Request: Schema.String,
      Result: Found,
      execute: (after) => sql`
        SELECT webhook, account, active,
          (extract(epoch FROM next - clock_timestamp()) * 1000)::float8 AS "nextMs",
          (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at
        FROM poll_webhook_queue(${after}, ${polledAtOnce})`
    })

    /** After the clock was set back: waiting deliveries wait exactly as long as otherwise. */
    const setBack = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        UPDATE webhook_queue SET waits_since = clock_timestamp(),
          next_attempt_at = clock_timestamp() + (next_attempt_at - waits_since)
        WHERE waiting AND waits_since > clock_timestamp()`
    })

    const claim = Query.all({
      Request: Schema.Struct({ turns: Schema.Array(Turn), worker: Schema.UUID }),
      Result: Claim,
      execute: ({ turns, worker }) => sql`
        SELECT id, ${worker} AS worker, webhook_id AS webhook, number, failing, url, format, secret, previous_secret AS "previousSecret",
          earlier_secret AS "earlierSecret", event_id AS "eventId", event_type AS "eventType", body, trigger, started_at AS "startedAt", due_at AS "dueAt",
          waited_ms AS "waitedMs"
        FROM claim_webhook_deliveries(${worker}, ${turns.map(({ webhook }) => webhook)}::text[],
          ${turns.map(({ count }) => count)}::integer[], ${turns.map(({ since }) => since)}::timestamptz[])`
    })

    /** Returns a delivery to the queue. The attempt counts, because the endpoint may have received it, but not as a failure. */
    const handBack = Query.none({
      Request: Held,
      execute: ({ id, number, worker }) => sql`
        UPDATE webhook_queue SET worker = NULL, started_at = NULL, next_attempt_at = clock_timestamp(),
          attempts = attempts || interrupted_attempt(number, trigger, started_at)
        WHERE id = ${id} AND worker = ${worker} AND number = ${number}`
    })

    /** Makes deliveries due again that the queue assigns to the worker and the worker does not hold. */
    const giveBack = Query.all({
      Request: Schema.Struct({ held: Schema.Array(Schema.String), worker: Schema.UUID }),
      Result: Schema.Struct({ id: DeliveryId }),
      execute: ({ held, worker }) => sql`
        UPDATE webhook_queue SET worker = NULL, started_at = NULL, next_attempt_at = clock_timestamp(),
          attempts = attempts || interrupted_attempt(number, trigger, started_at)
        WHERE NOT waiting AND worker = ${worker} AND id <> ALL (${held}::text[]) RETURNING id`
    })

    /** Seconds of waiting of the oldest due delivery, for failing and for healthy endpoints. */
    const lateness = Query.one({
      Request: Schema.Void,
      Result: Schema.Struct({ failing: Schema.Number, healthy: Schema.Number }),
      execute: () => sql`
        WITH RECURSIVE turns AS (
          (SELECT webhook_id FROM webhook_queue WHERE NOT waiting ORDER BY webhook_id LIMIT 1)
          UNION ALL
          SELECT (SELECT q.webhook_id FROM webhook_queue q
                  WHERE NOT q.waiting AND q.webhook_id > turns.webhook_id ORDER BY q.webhook_id LIMIT 1)
          FROM turns WHERE turns.webhook_id IS NOT NULL
        )
        SELECT greatest(0, max(seconds) FILTER (WHERE failing)) AS failing,
          greatest(0, max(seconds) FILTER (WHERE NOT failing)) AS healthy
        FROM (
          SELECT w.failing_since IS NOT NULL AS failing,
            extract(epoch FROM clock_timestamp() - first.next_attempt_at)::float8 AS seconds
          FROM turns JOIN webhooks w ON w.id = turns.webhook_id AND w.is_active CROSS JOIN LATERAL (
            SELECT q.next_attempt_at FROM webhook_queue q
            WHERE q.webhook_id = w.id AND NOT q.waiting AND q.worker IS NULL ORDER BY q.next_attempt_at LIMIT 1) AS first
        ) AS due`
    })

    return { claim, giveBack, handBack, lateness: lateness(undefined), leave, poll, renew, setBack: setBack(undefined) }
  })
}) {}

/** Milliseconds between two reads of the queue while in doubt. */
const readEvery = 5000

/** Milliseconds for which a statement with a lost response may still run. */
const settled = leaseSeconds * 1000

/** The claims that a worker holds. The queue may disagree after a crash of the database, or when the response to a claim was lost. */
export const make = (worker: string) =>
  Effect.map(QueueRepo, (queue) => {
    const held = new Set<string>()
    let doubtful = false
    let doubtUntil = 0
    let nextReading = 0

    /** From here on the queue may disagree. */
    const doubt = Effect.sync(() => {
      doubtful = true
    })

    const giveBack = Effect.gen(function* () {
      const lost = yield* queue.giveBack({ held: [...held], worker })
      if (lost.length > 0)
        yield* Effect.logWarning(
          `The queue assigned ${lost.length} deliveries to this worker without its knowledge. They return to the queue`
        )
    })

    /** While in doubt, returns deliveries that the queue assigns to this worker and the worker does not hold. Must not run concurrently with `claim`. */
    const reconcile = Effect.gen(function* () {
      const now = yield* Time.now
      if (doubtful) {
        doubtUntil = now + settled
        nextReading = 0
      }
      doubtful = false
      if (now > doubtUntil || now < nextReading) return
      nextReading = now + readEvery
      yield* Effect.onError(giveBack, () => doubt)
    })

    return {
      doubt,
      reconcile,
      hold: (claims: ReadonlyArray<Claim>) => {
        for (const { id } of claims) held.add(id)
      },
      /** Drops claims that are recorded, returned, or given up. */
      release: (claims: ReadonlyArray<Claim>) =>
        Effect.sync(() => {
          for (const { id } of claims) held.delete(id)
        })
    }
  })

export type HeldClaims = Effect.Effect.Success<ReturnType<typeof make>>
