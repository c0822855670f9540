import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Chore from "./Chore.ts"

/** Rows that a batch looks at: what it locks and removes is done within a moment, and others wait no longer than that. */
export const rowsAtOnce = 100

/** The row that the batch before looked at last: rows that stay are passed by. */
const Place = Schema.Struct({ at: Schema.String, id: Schema.String })
type Place = typeof Place.Type

/** What a batch is asked: the next rows behind a place that are older than so many days. */
export const Asked = Schema.Struct({ after: Place, days: Schema.Int })
type Asked = typeof Asked.Type

/** What a batch did: how many rows it removed, and the last row that it looked at, null when there was none. */
export const Done = Schema.Struct({ removed: Schema.Int, last: Schema.NullOr(Place) })
type Done = typeof Done.Type

const start: Place = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" }

/** Removes what is older than so many days, batch by batch, each a statement of its own; answers how many rows it were. Nodes that do it at once share the rows. */
export const purge = (batch: (asked: Asked) => Effect.Effect<Done>, days: number) =>
  Stream.runSum(
    Stream.paginateEffect(start, (after) =>
      Effect.map(batch({ after, days }), ({ last, removed }) => [removed, Option.fromNullable(last)] as const)
    )
  )

/** Removes the old rows of a kind every ten minutes for as long as the scope lives; does nothing where no number of days is set. */
export const worker = (kind: string, days: Option.Option<number>, batch: (asked: Asked) => Effect.Effect<Done>) =>
  Option.match(days, {
    onNone: () => Effect.void,
    onSome: (days) =>
      purge(batch, days).pipe(
        Effect.tap((removed) => (removed > 0 ? Effect.logInfo(`${removed} old ${kind} were removed`) : Effect.void)),
        Chore.every("10 minutes", `Old ${kind} could not be removed`)
      )
  })
