import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import { Client, escapeIdentifier } from "pg"
import { Location } from "./Location.ts"
import { channelSuffix } from "./Migrations.ts"
import { begin, optionsOf, type Place } from "./Pool.ts"

const clientFor = ({ connection }: Place) => new Client({ ...optionsOf(connection), keepAlive: true })

/** A lost connection never confirms its end, so we wait a second at most. */
const end = (client: Client) =>
  Effect.promise(() => client.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore)

/**
 * Platform adapter: runs `heard` with each notification of a channel of this installation, until its own connection is lost. The library's client has one
 * connection for all listeners: their statements overlap, and nobody notices its loss. `listening` runs once the connection hears; earlier notifications are
 * lost.
 */
export const listen = (
  place: Place,
  channel: string,
  heard: (payload: string) => Effect.Effect<void>,
  listening: Effect.Effect<void> = Effect.void
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => clientFor(place)),
    (client) =>
      Effect.flatMap(Effect.runtime<never>(), (runtime) =>
        Effect.async<never, SqlError>((resume) => {
          const lost = (cause: unknown) =>
            resume(Effect.fail(new SqlError({ cause, message: `Cannot listen for notifications on ${channel}` })))
          client.on("error", lost)
          client.on("notification", ({ payload = "" }) => Runtime.runFork(runtime)(heard(payload)))
          const hear = () =>
            client
              .query<{ name: string }>(`SELECT $1 || ${channelSuffix} AS name`, [channel])
              .then(({ rows }) => client.query(`LISTEN ${escapeIdentifier(rows[0]?.name ?? channel)}`))
              .then(() => void Runtime.runFork(runtime)(listening))
              .catch(lost)
          client
            .connect()
            .then(() => begin(client, place.schema ?? "public", (error) => (error ? lost(error) : void hear())))
            .catch(lost)
        })
      ),
    end
  )

/** The pauses before a lost connection is opened again, short at first. Workers poll meanwhile, so a pause costs only time. */
const relisten = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("5 seconds")),
  Schedule.resetAfter("1 minute")
)

/**
 * Runs `heard` with each notification of a channel until the scope closes, and `listening` whenever a connection begins to hear. A lost connection is opened
 * again.
 */
export const notifications = (
  channel: string,
  heard: (payload: string) => Effect.Effect<void>,
  listening?: Effect.Effect<void>
) =>
  Effect.flatMap(Location, (place) =>
    listen(place, channel, heard, listening).pipe(
      Effect.tapError((error) =>
        Effect.logDebug("The database connection for notifications was lost; reconnecting", error)
      ),
      Effect.retry(relisten),
      Effect.forkScoped
    )
  )
