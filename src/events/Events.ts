import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { AccountId } from "../accounts/Domain.ts"
import * as Entropy from "../secrets/Entropy.ts"
import type { EventName } from "../webhooks/Catalogue.ts"
import { makeEventId } from "../webhooks/Domain.ts"
import * as EventBody from "./EventBody.ts"
import type { EventKind } from "./EventKind.ts"
import { EventsRepo } from "./Repo.ts"

/** What else is known of an event. */
export interface PublishOptions {
  /** Names what happened: of several events of one account and type that name the same, only the first is published. */
  readonly occurrence?: string
}

/** One event of a batch. */
export interface NewEvent<Data> extends PublishOptions {
  readonly data: Data
}

const inTransaction = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) =>
  transaction._tag === "Some" ? Effect.void : Effect.dieMessage("An event was published outside of a transaction")
)

/** Where the other rooms tell what happened. */
export class Events extends Effect.Service<Events>()("events/Events", {
  dependencies: [EventsRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const entropy = yield* Entropy.Entropy
    const repo = yield* EventsRepo
    const newId = Effect.provideService(makeEventId, Entropy.Entropy, entropy)

    /**
     * Publishes events of an account, and makes their deliveries due, when and only when the caller's transaction commits (transactional outbox).
     * Called outside of a transaction it dies, and so it does with data that breaks the schema of its kind: both are faults of the caller.
     * Answers how many there were that had not been published before. The batch is one statement: some hundreds of events at a time.
     */
    const publishAll = Effect.fn("Events.publishAll")(function* <Type extends EventName, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      events: Iterable<NewEvent<NoInfer<Data>>>
    ) {
      yield* inTransaction
      const createdAt = yield* DateTime.now
      const written = yield* Effect.forEach(events, ({ data, occurrence = null }) =>
        Effect.gen(function* () {
          const id = yield* newId
          const body = yield* Effect.orDie(EventBody.make(kind, { createdAt, data, id }))
          return { body, id, occurrence }
        })
      )
      const { published } = yield* repo.insert({ account, createdAt, events: written, type: kind.type })
      return published
    })

    /** Publishes one event: `publishAll` with a batch of one. */
    const publish = <Type extends EventName, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      data: NoInfer<Data>,
      options: PublishOptions = {}
    ) => Effect.asVoid(publishAll(account, kind, [{ ...options, data }]))

    /** The same for data of which nothing is known yet; fails when it breaks the schema of the type. */
    const publishJson = Effect.fn("Events.publishJson")(function* (account: AccountId, type: EventName, data: unknown) {
      yield* inTransaction
      const createdAt = yield* DateTime.now
      const id = yield* newId
      const body = yield* EventBody.makeOfJson({ createdAt, data, id }, type)
      yield* repo.insert({ account, createdAt, events: [{ body, id, occurrence: null }], type })
      return id
    })

    return { publish, publishAll, publishJson }
  })
}) {}
