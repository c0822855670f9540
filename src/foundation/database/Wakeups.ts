import { SqlError } from "@effect/sql/SqlError"
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import { Client, escapeIdentifier } from "pg"
import { Location } from "./Location.ts"
import { optionsOf } from "./Sessions.ts"

const clientFor = (connection: PgClientConfig) => new Client({ ...optionsOf(connection), keepAlive: true })

/** A lost connection never confirms its end, so a second is enough. */
const end = (client: Client) =>
  Effect.promise(() => client.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore)

/**
 * Platform adapter: runs `heard` with each notification of a channel, over a connection of its own, until that is lost. The library's client has one
 * connection for all listeners, on which their statements overlap and whose loss goes unnoticed.
 */
export const listen = (connection: PgClientConfig, channel: string, heard: (payload: string) => Effect.Effect<void>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => clientFor(connection)),
    (client) =>
      Effect.flatMap(Effect.runtime<never>(), (runtime) =>
        Effect.async<never, SqlError>((resume) => {
          const lost = (cause: unknown) =>
            resume(Effect.fail(new SqlError({ cause, message: `Not heard: ${channel}` })))
          client.on("error", lost)
          client.on("notification", ({ payload = "" }) => Runtime.runFork(runtime)(heard(payload)))
          client
            .connect()
            .then(() => client.query(`LISTEN ${escapeIdentifier(channel)}`))
            .catch(lost)
        })
      ),
    end
  )

/** The pause before a lost connection is opened again; workers poll meanwhile, so this costs only time. */
const relisten = Schedule.spaced("5 seconds")

/** Runs `heard` with each notification of a channel until the scope closes; a lost connection is opened again. */
export const notifications = (channel: string, heard: (payload: string) => Effect.Effect<void>) =>
  Effect.flatMap(Location, ({ connection }) =>
    listen(connection, channel, heard).pipe(
      Effect.tapError((error) => Effect.logDebug("The connection for notifications was lost", error)),
      Effect.retry(relisten),
      Effect.forkScoped
    )
  )
