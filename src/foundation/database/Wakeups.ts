import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { listen } from "./Listen.ts"
import { Location } from "./Location.ts"

/** The pause before a lost connection is opened again; workers poll meanwhile, so this costs only time. */
const relisten = Schedule.spaced("5 seconds")

/** Calls `heard` with each notification of a channel until the scope closes; a lost connection is opened again. */
export const notifications = (channel: string, heard: (payload: string) => void) =>
  Effect.flatMap(Location, ({ connection }) =>
    listen(connection, channel, heard).pipe(
      Effect.tapError((error) => Effect.logDebug("The connection for notifications was lost", error)),
      Effect.retry(relisten),
      Effect.forkScoped
    )
  )
