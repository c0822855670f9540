import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import type { AccountId } from "../accounts/Domain.ts"
import * as EventBody from "./EventBody.ts"
import { makeEventId } from "./EventId.ts"
import type { EventKind } from "./EventKind.ts"
import { EventsRepo } from "./Repo.ts"

/** Options of an event. */
export interface PublishOptions {
  /** A key for what happened: of several events of one account and type with the same key, only the first is published. */
  readonly occurrence?: string
}

/** One event of a batch. */
export interface NewEvent<Data> extends PublishOptions {
  readonly data: Data
}

/** Options of a single event. */
interface SingleOptions extends PublishOptions {
  /** A webhook that does not receive it: the one that the event is about. */
  readonly except?: string
}

const inTransaction = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) =>
  transaction._tag === "Some" ? Effect.void : Effect.dieMessage("An event was published outside of a transaction")
)

/** The outbox, into which every room publishes its events. */
export class Events extends Effect.Service<Events>()("events/Events", {
  dependencies: [EventsRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const entropy = yield* Entropy.Entropy
    const repo = yield* EventsRepo
    const newId = Effect.provideService(makeEventId, Entropy.Entropy, entropy)

    /** Writes encoded events of one type; answers their ids and how many were new. */
    const write = Effect.fnUntraced(function* <E>(
      account: AccountId,
      type: string,
      events: Iterable<NewEvent<Effect.Effect<unknown, E>>>,
      except: string | null = null
    ) {
      yield* inTransaction
      const createdAt = yield* DateTime.now
      const rows = yield* Effect.forEach(events, ({ data, occurrence = null }) =>
        Effect.gen(function* () {
          const id = yield* newId
          const body = yield* Effect.orDie(EventBody.ofEncoded(type, { createdAt, data: yield* data, id }))
          return { body, id, occurrence }
        })
      )
      const { published } = yield* repo.insert({ account, createdAt, events: rows, except, type })
      return { ids: rows.map(({ id }) => id), published }
    })

    /**
     * Publishes events of an account, and makes their deliveries due, when and only when the caller's transaction commits (transactional outbox).
     * Dies outside of a transaction, and with data that breaks the schema of its kind: both are faults of the caller. Answers how many had not been
     * published before. The batch is one statement: some hundreds of events at a time.
     */
    const publishAll = Traced.fn("Events.publishAll")(function* <Type extends string, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      events: Iterable<NewEvent<NoInfer<Data>>>
    ) {
      const encoded = Array.from(events, (event) => ({ ...event, data: Effect.orDie(kind.encode(event.data)) }))
      return (yield* write(account, kind.type, encoded)).published
    })

    /** Publishes one event, as `publishAll` does a batch. */
    const publish = Traced.fn("Events.publish")(function* <Type extends string, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      data: NoInfer<Data>,
      { except, ...options }: SingleOptions = {}
    ) {
      yield* write(account, kind.type, [{ ...options, data: Effect.orDie(kind.encode(data)) }], except)
    })

    /** The same for unvalidated data; fails when it breaks the schema of its kind. Answers the event's id. */
    const publishUnknown = Traced.fn("Events.publishUnknown")(function* (
      account: AccountId,
      kind: {
        readonly type: string
        readonly encodeUnknown: (data: unknown) => Effect.Effect<unknown, ParseResult.ParseError>
      },
      data: unknown
    ) {
      const { ids } = yield* write(account, kind.type, [{ data: kind.encodeUnknown(data) }])
      return ids[0]
    })

    return { publish, publishAll, publishUnknown }
  })
}) {}
