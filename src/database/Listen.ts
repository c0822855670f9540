import { SqlError } from "@effect/sql/SqlError"
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client, escapeIdentifier } from "pg"

const clientFor = ({ applicationName, database, host, password, port, ssl, url, username }: PgClientConfig) =>
  new Client({
    application_name: applicationName,
    connectionString: url && Redacted.value(url),
    connectionTimeoutMillis: 5000,
    database,
    host,
    keepAlive: true,
    password: password && Redacted.value(password),
    port,
    ssl,
    user: username
  })

/** A receiver that is gone cannot be told good-bye: a second is enough. */
const end = (client: Client) =>
  Effect.promise(() => client.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.ignore)

/**
 * Platform adapter: calls `heard` for each notification of a channel, over a connection of its own, until that is lost. The client's driver has one
 * connection for all listeners, on which their statements overlap, and which nobody hears break.
 */
export const listen = (connection: PgClientConfig, channel: string, heard: () => void) =>
  Effect.acquireUseRelease(
    Effect.sync(() => clientFor(connection)),
    (client) =>
      Effect.async<never, SqlError>((resume) => {
        const lost = (cause: unknown) => resume(Effect.fail(new SqlError({ cause, message: `Not heard: ${channel}` })))
        client.on("error", lost)
        client.on("notification", heard)
        client
          .connect()
          .then(() => client.query(`LISTEN ${escapeIdentifier(channel)}`))
          .catch(lost)
      }),
    end
  )
