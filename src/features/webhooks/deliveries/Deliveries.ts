import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Query from "../../../foundation/database/Query.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned, OwnedId } from "../../accounts/Owned.ts"
import { EventId } from "../../events/EventKind.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { type DeliveryId, WebhookId } from "../Domain.ts"
import { deliveryColumns } from "../Rows.ts"
import type { StoredSubscription } from "../subscriptions/Subscription.ts"
import { SubscriptionsRepo } from "../subscriptions/Subscriptions.ts"
import { before, DeliveriesRepo, type Position } from "./DeliveriesRepo.ts"
import { Delivery, DeliveryStatus } from "./Delivery.ts"

const ListFilters = Schema.Struct({
  ...Query.Batch,
  event: Schema.UndefinedOr(EventId),
  eventType: Schema.UndefinedOr(EventType),
  since: Schema.UndefinedOr(Schema.DateTimeUtc),
  status: Schema.UndefinedOr(DeliveryStatus),
  until: Schema.UndefinedOr(Schema.DateTimeUtc)
})

const names = catalogue.map(({ type }) => type)

/** Lists of deliveries, latest first. */
export class ListsRepo extends Effect.Service<ListsRepo>()("webhooks/deliveries/ListsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cut = yield* deliveryColumns("cut")

    const range = ({ after, event, since, until }: typeof ListFilters.Encoded) =>
      sql.and([
        event === undefined ? sql`true` : sql`event_id = ${event}`,
        since === undefined ? sql`true` : sql`created_at >= ${since}::timestamptz`,
        until === undefined ? sql`true` : sql`created_at < ${until}::timestamptz`,
        Query.keyset(sql, "(created_at, id) <", after)
      ])

    /** An array element by element, so that a cached plan knows its length. */
    const array = (texts: ReadonlyArray<string>) => sql`ARRAY[${sql.csv(texts.map((text) => sql`${text}`))}]::text[]`

    /** A page of the deliveries to some webhooks: reads each matching index range in order, at most a page of it, and merges the ranges. */
    const page = (webhooks: Fragment, request: typeof ListFilters.Encoded) => {
      const { count, eventType, status } = request
      const types = eventType === undefined ? names : [eventType]
      const ended = ["delivered", "failed"].filter((end) => status === undefined || status === end)
      const held = status === undefined ? sql`true` : sql`(worker IS NOT NULL) = ${status === "delivering"}`
      const open = status === undefined || !ended.includes(status)
      const rows = (of: Fragment) =>
        Query.limit(
          sql,
          count,
          sql`
            SELECT id, created_at FROM ${of} AND webhook_id = webhook AND ${range(request)}
            ORDER BY created_at DESC, id DESC`
        )
      const ofType = eventType === undefined ? sql`true` : sql`event_type = ${eventType}`
      const queued = rows(sql`webhook_queue WHERE ${held} AND event_type = type`)
      const logged = rows(sql`webhook_log WHERE ${ofType} AND status = ended`)
      return sql`
        WITH found AS (
          SELECT q.id, q.created_at FROM ${webhooks} AS own (webhook), unnest(${array(open ? types : [])}) AS type
            CROSS JOIN LATERAL (${queued}) AS q
          UNION ALL
          SELECT l.id, l.created_at FROM ${webhooks} AS own (webhook), unnest(${array(ended)}) AS ended
            CROSS JOIN LATERAL (${logged}) AS l
        )
        SELECT ${cut} FROM webhook_deliveries d
        WHERE d.id = ANY (ARRAY (${Query.limit(sql, count, sql`SELECT id FROM found ORDER BY created_at DESC, id DESC`)}))
        ORDER BY d.created_at DESC, d.id DESC`
    }

    const ofWebhook = Query.all({
      Request: Schema.Struct({ ...ListFilters.fields, webhook: OwnedId(WebhookId) }),
      Result: Delivery,
      execute: ({ webhook, ...request }) => page(sql`(SELECT ${webhook}::text)`, request)
    })

    const ofAccount = Query.all({
      Request: Schema.Struct({ ...Query.Batch, account: AccountId, status: Schema.UndefinedOr(DeliveryStatus) }),
      Result: Delivery,
      execute: ({ account, ...request }) =>
        page(sql`(SELECT id FROM webhooks WHERE account_id = ${account})`, {
          ...request,
          event: undefined,
          eventType: undefined,
          since: undefined,
          until: undefined
        })
    })

    return { ofAccount, ofWebhook }
  })
}) {}

const missing = NotFound.of("delivery")

/** The error for sending to an inactive subscription. */
export const inactive = new Conflict({
  message: "The endpoint is disabled. Enable it first"
})

const underWay = new Conflict({ message: "The delivery is being sent right now. Try again in a minute" })

/** Filters of a delivery log. */
interface Filters {
  readonly event: EventId | undefined
  readonly eventType: EventType | undefined
  /** Created at this time or later. */
  readonly since: DateTime.Utc | undefined
  readonly status: DeliveryStatus | undefined
  /** Created before this time. */
  readonly until: DateTime.Utc | undefined
}

/** The delivery log of a subscription: reading and resending. */
export class Deliveries extends Effect.Service<Deliveries>()("webhooks/deliveries/Deliveries", {
  dependencies: [DeliveriesRepo.Default, ListsRepo.Default, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const lists = yield* ListsRepo
    const repo = yield* DeliveriesRepo
    const subscriptions = yield* SubscriptionsRepo

    const own = Owned.by(subscriptions.own, "endpoint")

    /** Locks the account's subscription, so it stays active until its queued deliveries are committed. */
    const hold = Owned.by(subscriptions.lock, "endpoint")

    const find = (id: DeliveryId, webhook: Owned<StoredSubscription>) =>
      Effect.mapError(Effect.flatten(repo.find({ id, webhook })), () => missing)

    /** A delivery with the request of its latest attempt. */
    const get = Traced.fn("Deliveries.get")(function* (account: AccountId, webhook: WebhookId, id: DeliveryId) {
      const found = repo.findWhole({ id, webhook: yield* own(account, webhook) })
      return yield* Effect.mapError(Effect.flatten(found), () => missing)
    })

    /** The log of a subscription, latest first. */
    const list = Traced.fn("Deliveries.list")(function* (
      account: AccountId,
      webhook: WebhookId,
      filters: Filters,
      batch: Batch
    ) {
      return yield* lists.ofWebhook({ ...filters, ...batch, webhook: yield* own(account, webhook) })
    })

    /** The deliveries of all subscriptions of the account, latest first. */
    const listAll = (account: AccountId, status: DeliveryStatus | undefined, batch: Batch) =>
      lists.ofAccount({ account, status, ...batch })

    /** Resends a delivery from the start of the schedule, accepted or not. */
    const redeliver = Traced.fn("Deliveries.redeliver")(function* (
      account: AccountId,
      webhook: WebhookId,
      id: DeliveryId
    ) {
      const held = yield* hold(account, webhook)
      const current = yield* find(id, held)
      if (!held.value.is_active) return yield* inactive
      const renewed = yield* repo.redeliver({ id: current.id, webhook: held })
      if (Option.isNone(renewed)) return yield* underWay
      yield* repo.wake({ account, webhook: held })
      return yield* find(id, held)
    }, subscriptions.transaction)

    const recoverSome = (account: AccountId, webhook: WebhookId, after: Position) =>
      Effect.gen(function* () {
        const held = yield* hold(account, webhook)
        if (!held.value.is_active) return yield* inactive
        const { last, recovered } = yield* repo.recover({ after, webhook: held })
        if (recovered > 0) yield* repo.wake({ account, webhook: held })
        return [recovered, Option.fromNullable(last)] as const
      }).pipe(subscriptions.transaction)

    /**
     * Resends all events since a time that the subscription lists and has not accepted; returns their number. Many events take many transactions: an
     * interrupted recovery keeps its committed part, and the next one does the rest.
     */
    const recover = Traced.fn("Deliveries.recover")(function* (
      account: AccountId,
      webhook: WebhookId,
      since: DateTime.Utc
    ) {
      const counts = Stream.paginateEffect(before(DateTime.formatIso(since)), (after) =>
        recoverSome(account, webhook, after)
      )
      return { since, recovered: yield* Stream.runSum(counts) }
    })

    return { get, list, listAll, recover, redeliver }
  })
}) {}
