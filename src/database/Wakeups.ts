import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

/** How long a lost LISTEN connection stays unnoticed at most; workers poll anyway, so this costs only time. */
const relisten = Schedule.spaced("5 seconds")

/**
 * Waits for work on a channel: `next` ends when PostgreSQL notifies it, and after the poll interval in any case, since a notification can be lost
 * with its connection. Polling is the truth, the notification only saves time. The driver drops notifications without a payload.
 */
export const wakeups = (channel: string, poll: "250 millis" | "1 second") =>
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const bell = yield* Queue.sliding<void>(1)
    yield* pg.listen(channel).pipe(
      Stream.runForEach(() => Queue.offer(bell, undefined)),
      Effect.ignoreLogged,
      Effect.repeat(relisten),
      Effect.forkScoped
    )
    return { next: Effect.asVoid(Effect.timeoutOption(Queue.take(bell), poll)) }
  })
