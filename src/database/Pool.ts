/** Platform adapter: connections of node-postgres. */
import { SqlError } from "@effect/sql/SqlError"
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import { FrugalPool } from "./FrugalPool.ts"
import { PreparedClient } from "./PreparedClient.ts"

/** What node-postgres is told of a place. */
export const optionsOf = ({ applicationName, database, host, password, port, ssl, url, username }: PgClientConfig) => ({
  application_name: applicationName,
  connectionString: url && Redacted.value(url),
  connectionTimeoutMillis: 5000,
  database,
  host,
  password: password && Redacted.value(password),
  port,
  ssl,
  user: username
})

/** Opens a pool that keeps one connection and has at most `max`; fails when the server does not answer within 5 s. A pool that is closed is waited for a second. */
export const openPool = (
  connection: PgClientConfig,
  { max, prepared }: { readonly max: number; readonly prepared: boolean }
) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => {
        const pool = new FrugalPool({
          ...optionsOf(connection),
          Client: prepared ? PreparedClient : Client,
          max,
          min: 1
        })
        // An idle connection that breaks is replaced when the next one is asked for.
        pool.on("error", () => {})
        return pool.query("SELECT 1").then(
          () => pool,
          (error) => pool.end().then(() => Promise.reject(error))
        )
      },
      catch: (cause) => new SqlError({ cause, message: "Failed to connect" })
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
  )
