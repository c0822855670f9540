import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import { listen } from "./Listen.ts"
import { Location } from "./Location.ts"

/** A lost connection is made again this much later; workers poll meanwhile, so this costs only time. */
const relisten = Schedule.spaced("5 seconds")

/** Calls `heard` with each notification of a channel, as long as the connection for it stands or can be made again. */
export const notifications = (channel: string, heard: (payload: string) => void) =>
  Effect.flatMap(Location, ({ connection }) =>
    listen(connection, channel, heard).pipe(
      Effect.tapError((error) => Effect.logDebug("The connection for notifications was lost", error)),
      Effect.retry(relisten),
      Effect.forkScoped
    )
  )

/**
 * Waits for work on a channel: `next` ends when PostgreSQL notifies it, and after the poll interval in any case, since a notification can be lost
 * with its connection. Polling is the truth, the notification only saves time.
 */
export const wakeups = (channel: string, poll: "250 millis" | "1 second") =>
  Effect.gen(function* () {
    const wakeUp = yield* Queue.sliding<void>(1)
    yield* notifications(channel, () => wakeUp.unsafeOffer(undefined))
    return { next: Effect.asVoid(Effect.timeoutOption(Queue.take(wakeUp), poll)) }
  })
