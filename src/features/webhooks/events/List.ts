import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Schema from "effect/Schema"
import { Location } from "../../../foundation/database/Location.ts"
import * as Migrations from "../../../foundation/database/Migrations.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { notifications } from "../../../foundation/database/Wakeups.ts"
import { apiError, withApiErrors } from "../../../foundation/http/ApiError.ts"
import { apiRoot, negotiated } from "../../../foundation/http/Contract.ts"
import { page } from "../../../foundation/http/Paging.ts"
import { applied, waitOf } from "../../../foundation/http/Prefer.ts"
import { jsonResponse, Stopping } from "../../../foundation/http/Request.ts"
import { Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { exportList } from "../../accounts/Exports.ts"
import { answer, type Batch, byCreation, forCaller } from "../../accounts/Handlers.ts"
import { EventId } from "../../events/EventKind.ts"
import { ofAccounts } from "../../events/Events.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { catalogue, EventName, subscribable } from "../Catalogue.ts"
import { placedAtOnce } from "../Domain.ts"
import { EventsApi, type EventTypeInfo, type Filters, nextEvent, PublishedEvent } from "./Api.ts"

/** Milliseconds between two polls: short until the connection for notifications is open, later longer, because that connection can break. */
const pauses = { first: 200, longest: 5000 } as const

/** Notifications within this time after a poll count as one. */
const breath = "50 millis"

/**
 * Waits for events of an account. All waits of a server share one connection for notifications, open while there are any; between polls they hold no other
 * connection.
 */
export class Arrivals extends Effect.Service<Arrivals>()("webhooks/events/Arrivals", {
  scoped: Effect.gen(function* () {
    const location = yield* Location
    const stopping = yield* Stopping
    const waiting = new Map<string, Set<Queue.Queue<void>>>()

    const wake = (account: string) =>
      Effect.forEach(waiting.get(account) ?? [], (news) => Queue.offer(news, undefined), { discard: true })

    const ear = yield* RcRef.make({
      acquire: Effect.provideService(notifications(ofAccounts, wake), Location, location),
      idleTimeToLive: "1 minute"
    })

    /** Notifications of an account, until the scope ends. */
    const newsOf = (account: AccountId) =>
      Effect.acquireRelease(
        Effect.map(Queue.sliding<void>(1), (news) => {
          waiting.set(account, (waiting.get(account) ?? new Set()).add(news))
          return news
        }),
        (news) =>
          Effect.sync(() => {
            const others = waiting.get(account)
            others?.delete(news)
            if (others?.size === 0) waiting.delete(account)
          })
      )

    const found = <A, E, R>(account: AccountId, read: Effect.Effect<A, E, R>, isSome: (answer: A) => boolean) =>
      Effect.gen(function* () {
        const news = yield* newsOf(account)
        yield* RcRef.get(ear)
        const look = (pause: number): Effect.Effect<A, E, R> =>
          Effect.filterOrElse(read, isSome, () =>
            Effect.sleep(breath).pipe(
              Effect.zipRight(Effect.timeoutOption(Queue.take(news), pause)),
              Effect.zipRight(Effect.suspend(() => look(Math.min(2 * pause, pauses.longest))))
            )
          )
        return yield* look(pauses.first)
      }).pipe(Effect.scoped)

    /** The result of `read`: immediately if there is one or no wait is preferred, else when there is one, the time is over, or this server stops. */
    const awaited =
      (prefer: string | undefined) =>
      <A, E, R>(account: AccountId, read: Effect.Effect<A, E, R>, isSome: (answer: A) => boolean) =>
        Effect.flatMap(read, (answer) =>
          Option.match(isSome(answer) ? Option.none() : waitOf(prefer, nextEvent), {
            onNone: () => Effect.succeed(answer),
            onSome: (seconds) =>
              found(account, read, isSome).pipe(
                Effect.asSome,
                Effect.raceFirst(Effect.as(stopping.begun, Option.none<A>())),
                Effect.timeoutOption(`${seconds} seconds`),
                Effect.interruptible,
                Effect.map(Option.flatten),
                Effect.tap(applied(seconds)),
                Effect.flatMap(Option.match({ onNone: () => read, onSome: Effect.succeed }))
              )
          })
        )

    return { awaited }
  })
}) {}

const Listed = Schema.Struct({
  ...Query.Batch,
  account: AccountId,
  project: Schema.UndefinedOr(ProjectId),
  since: Schema.UndefinedOr(Schema.DateTimeUtc),
  types: Schema.UndefinedOr(Schema.Array(EventName)),
  until: Schema.UndefinedOr(Schema.DateTimeUtc)
})

/** An event with its place in the order of commits, a number as text. */
const PlacedEvent = Schema.Struct({ ...PublishedEvent.fields, position: Schema.String })
type PlacedEvent = typeof PlacedEvent.Type

const OfAccount = Schema.Struct({ account: AccountId, id: EventId })

/** Reads the events of an account from the outbox, without test events. */
export class PublishedRepo extends Effect.Service<PublishedRepo>()("webhooks/events/PublishedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, type, iso(created_at) AS created_at, body::json -> 'data' AS data")

    /** The events of a range in the order of its columns. With types each type is read from its index, at most a page of it, and the types are merged. */
    const listed = (
      { account, count, project, since, types, until }: Omit<typeof Listed.Encoded, "after">,
      { columns, order, range }: { readonly columns: Fragment; readonly order: Fragment; readonly range: Fragment }
    ) => {
      const rows = (columns: Fragment, type: Fragment) =>
        Query.limit(
          sql,
          count,
          sql`
            SELECT ${columns} FROM events
            WHERE account_id = ${account} AND NOT is_test AND ${type} AND ${range}
              AND ${project === undefined ? sql`true` : sql`events.project_id = ${project}`}
              AND ${since === undefined ? sql`true` : sql`events.created_at >= ${since}::timestamptz`}
              AND ${until === undefined ? sql`true` : sql`events.created_at < ${until}::timestamptz`}
            ORDER BY ${order}`
        )
      if (types === undefined) return rows(columns, sql`true`)
      const names = sql`ARRAY[${sql.csv(types.map((type) => sql`${type}`))}]::text[]`
      const found = sql`
        SELECT events.* FROM unnest(${names}) AS asked
        CROSS JOIN LATERAL (${rows(sql`id, created_at, position`, sql`type = asked`)}) AS events ORDER BY ${order}`
      return sql`
        SELECT ${columns} FROM events
        WHERE id = ANY (ARRAY (SELECT id FROM (${Query.limit(sql, count, found)}) AS merged)) ORDER BY ${order}`
    }

    /** Events by time and id, latest first. */
    const newest = Query.all({
      Request: Listed,
      Result: PublishedEvent,
      execute: (request) =>
        listed(request, {
          columns,
          order: sql`events.created_at DESC, id DESC`,
          range: Query.keyset(sql, "(events.created_at, id) <", request.after)
        })
    })

    /** Events after a position, in the order of commits. */
    const inOrder = Query.all({
      Request: Listed,
      Result: PlacedEvent,
      execute: (request) =>
        listed(request, {
          columns: sql`${columns}, position::text AS position`,
          order: sql`events.position`,
          range: sql`events.position > ${request.after?.[0] ?? "0"}::bigint`
        })
    })

    const unplaced = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ some: Schema.Boolean }),
      execute: (account) => sql`
        SELECT EXISTS (SELECT FROM events WHERE account_id = ${account} AND position IS NULL AND NOT is_test) AS some`
    })

    /** Locks the order of the account's events: until the transaction ends no other reader assigns places. */
    const hold = (account: AccountId) =>
      Effect.orDie(sql`SELECT ${Migrations.lock(sql, sql`hashtextextended(${`events ${account}`}, 0)`)}`)

    /** Assigns the next places to committed events without one; returns their number. An event under removal gets none. */
    const placeSome = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ placed: Schema.Int }),
      execute: (account) => sql`
        WITH committed AS (
          SELECT id, created_at FROM events WHERE account_id = ${account} AND position IS NULL AND NOT is_test
          ORDER BY created_at, id LIMIT ${placedAtOnce} FOR NO KEY UPDATE SKIP LOCKED
        ), placed AS (
          UPDATE events SET position = last.position + next.place
          FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM committed) AS next,
            (SELECT coalesce(max(position), 0) AS position FROM events WHERE account_id = ${account}) AS last
          WHERE events.id = next.id RETURNING events.id
        )
        SELECT count(*)::int AS placed FROM placed`
    })

    const transaction = Query.transaction(sql)

    /**
     * Assigns places to all committed events of the account. One reader at a time does so, in statements that begin after the previous commit, so every new
     * place is above all places that any reader has seen: a reader that continues from its last place misses none. Events of one commit are ordered by time
     * and id.
     */
    const place = (account: AccountId): Effect.Effect<void> =>
      Effect.flatMap(unplaced(account), ({ some }) =>
        some
          ? transaction(Effect.zipRight(hold(account), placeSome(account))).pipe(
              Effect.flatMap(({ placed }) => (placed === placedAtOnce ? place(account) : Effect.void))
            )
          : Effect.void
      )

    /** The place of an event, if it has one. */
    const positionOf = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ position: Schema.String }),
      execute: ({ account, id }) => sql`
        SELECT position::text AS position FROM events
        WHERE id = ${id} AND account_id = ${account} AND position IS NOT NULL`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: PublishedEvent,
      execute: ({ account, id }) =>
        sql`SELECT ${columns} FROM events WHERE id = ${id} AND account_id = ${account} AND NOT is_test`
    })

    return { find, inOrder, newest, place, positionOf }
  })
}) {}

/** Events that an export reads at a time; a body has up to 256 KiB. */
const exportedAtOnce = 100

const gone = apiError(
  "invalid_cursor",
  "No stored event of this account has the id in after. Start again without after"
)

/** Removes `after` from the URL of the next page, because a cursor cannot be combined with it. */
const following = (next: string) => {
  const url = new URL(next)
  url.searchParams.delete("after")
  url.searchParams.set("order", "asc")
  return url.href
}

/** Pages of an account's events, in both orders. */
export class List extends Effect.Service<List>()("webhooks/events/List", {
  dependencies: [PublishedRepo.Default],
  effect: Effect.map(PublishedRepo, (repo) => {
    /** The filters for the repo, and their text for cursors. */
    const filtersOf = (account: AccountId, { project_id: project, since, type: types, until }: Filters) => {
      const times = [since, until].map((time) => (time === undefined ? "" : DateTime.formatIso(time)))
      const ofProject = project === undefined ? [] : ["project", project]
      return {
        asked: { account, project, since, types, until },
        named: [types?.join(",") ?? "", ...times, ...ofProject]
      }
    }

    const newest = (account: AccountId, filters: Filters) => {
      const { asked, named } = filtersOf(account, filters)
      return page(
        { ...filters, of: [account, "events", ...named] },
        (after, count) => repo.newest({ ...asked, after, count }),
        byCreation
      )
    }

    const positionOf = (account: AccountId, id: EventId) =>
      Effect.flatMap(repo.positionOf({ account, id }), (found) =>
        found._tag === "None" ? gone : Effect.succeed([found.value.position])
      )

    const inOrder = Effect.fnUntraced(function* (account: AccountId, filters: Filters) {
      yield* repo.place(account)
      const from = filters.after === undefined ? undefined : yield* positionOf(account, filters.after)
      const { asked, named } = filtersOf(account, filters)
      const { data, links, meta } = yield* page(
        { ...filters, of: [account, "events in order", ...named] },
        (after = from, count) => repo.inOrder({ ...asked, after, count }),
        ({ position }: PlacedEvent) => [position]
      )
      return {
        data: data.map(({ position: _, ...event }) => event),
        links: "next" in links ? { ...links, next: following(links.next) } : links,
        meta
      }
    })

    /** The order of the events, whether they begin after one, and nothing that contradicts it. */
    const orderOf = Effect.fnUntraced(function* ({
      after,
      cursor,
      order = after === undefined ? "desc" : "asc"
    }: Filters) {
      if (after !== undefined && cursor !== undefined) {
        return yield* Invalid.of("cursor", "cannot be combined with after")
      }
      if (after !== undefined && order === "desc") return yield* Invalid.of("order", "must be asc together with after")
      return order
    })

    /** A page of the events, latest first, or in the order of commits. */
    const list = Effect.fnUntraced(function* (account: AccountId, filters: Filters) {
      const order = yield* orderOf(filters)
      return yield* order === "asc" ? inOrder(account, filters) : newest(account, filters)
    })

    /** The whole list for exports, latest first. */
    const whole = (filters: Filters) =>
      filters.order === "asc" || filters.after !== undefined
        ? Invalid.of("order", "must be desc for CSV and NDJSON, which have the latest event first")
        : Effect.succeed({
            query: { ...filters, of: ["events"] },
            read: (account: AccountId, { after, count }: Batch) =>
              repo.newest({ ...filtersOf(account, filters).asked, after, count }),
            position: byCreation,
            columns: Object.keys(PublishedEvent.fields),
            json: (event: PublishedEvent) => JSON.stringify(event),
            batch: exportedAtOnce
          })

    return { list, whole }
  })
}) {}

const subscribableNames: ReadonlyArray<string> = subscribable.map(({ type }) => type)

/** The catalogue of the API; each schema is self-contained (JSON Schema 2020-12, as in OpenAPI 3.1). */
const eventTypes: ReadonlyArray<EventTypeInfo> = catalogue.map(({ description, examplePayload, payload, type }) => ({
  name: type,
  description,
  subscribable: subscribableNames.includes(type),
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...JSONSchema.fromAST(payload.ast, {
      additionalPropertiesStrategy: "allow",
      definitionPath: "#/$defs/",
      definitions: {},
      target: "jsonSchema2020-12",
      topLevelReferenceStrategy: "skip"
    })
  },
  example: examplePayload
}))

const missing = NotFound.of("event")

export const layer = HttpApiBuilder.group(apiRoot.add(EventsApi), "events", (handlers) =>
  Effect.map(Effect.all([Arrivals, List, PublishedRepo]), ([{ awaited }, { list, whole }, repo]) =>
    handlers
      .handle("list", ({ request, urlParams }) =>
        Effect.gen(function* () {
          const format = yield* negotiated
          if (format !== "application/json") return yield* exportList(format, yield* withApiErrors(whole(urlParams)))
          const body = yield* forCaller((account) =>
            awaited(request.headers.prefer)(account, list(account, urlParams), ({ data }) => data.length > 0)
          )
          return jsonResponse(body)
        })
      )
      .handle("get", ({ path }) =>
        answer((account) => Effect.mapError(Effect.flatten(repo.find({ account, id: path.event_id })), () => missing))
      )
      .handle("types", () => answer(() => Effect.succeed(eventTypes)))
  )
).pipe(Layer.provide([Arrivals.Default, List.Default, PublishedRepo.Default]))
