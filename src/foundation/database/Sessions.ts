/** Platform adapter: sessions of node-postgres. */
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { Client, escapeLiteral } from "pg"
import { keyOf } from "./Cancel.ts"
import type { Location } from "./Location.ts"
import { astray } from "./SqlState.ts"

/** Milliseconds that a statement waits for a connection, and a connection for the server. */
export const patience = 5000

/** Milliseconds without a statement after which a session is closed, unless it is the last one. */
const idleAtMost = 10_000

/** One statement takes one process of the server, so that connections are what a caller has of it; and reads are too short to be compiled. */
const sessionSettings = "SET max_parallel_workers_per_gather = 0; SET jit = off"

/** The options of node-postgres for every session of a place. */
export const optionsOf = ({ applicationName, database, host, password, port, ssl, url, username }: PgClientConfig) => ({
  application_name: applicationName,
  connectionString: url && Redacted.value(url),
  connectionTimeoutMillis: patience,
  database,
  host,
  password: password && Redacted.value(password),
  port,
  ssl,
  user: username
})

/** Where the sessions of a place begin: the server, and the schema in which they look names up. */
export type Place = Pick<typeof Location.Service, "connection" | "schema">

const isPath = (row: unknown): row is { readonly path: string; readonly schema: string | null } =>
  Predicate.hasProperty(row, "path") && Predicate.hasProperty(row, "schema")

/**
 * Whether a session looks names up in its schema. The default path, `"$user", public`, does for `public` as long as no schema is named like the role;
 * any other path has to name the schema alone, so that no name leads to tables of others.
 */
const isIn = (schema: string, row: unknown) =>
  isPath(row) && ([schema, `"${schema}"`].includes(row.path) || (schema === "public" && row.schema === schema))

const lost = (schema: string, row: unknown) =>
  Object.assign(
    new Error(
      `The connection pooler's sessions have the search_path ${isPath(row) ? row.path : "of others"}, and this installation's schema is ${schema}: name that of the path in FINDABLE_DATABASE_SCHEMA, or ALTER ROLE … SET search_path = ${schema} for a role of this installation alone, and let the pooler reconnect`
    ),
    { code: astray }
  )

/**
 * Prepares a session that was just opened. Its path is set on a connection of its own alone: a pooler would hand the changed session to other programs,
 * and this one other sessions. Where the process id of the session is not that of the handshake, a pooler is between, and the path must be the role's.
 */
export const begin = (client: Client, schema: string, done: (error: unknown) => void) => {
  const own = `pg_backend_pid() = ${keyOf(client)?.processId ?? 0}`
  const path = escapeLiteral(`"${schema}"`)
  client.query(
    `${sessionSettings}; SELECT set_config('search_path', ${path}, false) WHERE ${own};
    SELECT current_setting('search_path') AS path, current_schema()::text AS schema`,
    (error: unknown, results: unknown) => {
      if (error) return done(error)
      const last: unknown = Array.isArray(results) ? results.at(-1)?.rows?.[0] : undefined
      done(isIn(schema, last) ? undefined : lost(schema, last))
    }
  )
}

export interface Session {
  readonly client: Client
  /** The connection was lost. */
  isBroken: boolean
  /** When its last statement ended, in milliseconds of the process. */
  idleSince: number
}

/** Sessions of one place: opened when none is idle, closed after a while without a statement, except the last one. */
export const make = ({ connection, schema = "public" }: Place) => {
  const options = optionsOf(connection)
  /** The longest idle first. */
  const idle: Array<Session> = []
  let total = 0
  let closing = 0

  const close = ({ client }: Session) => {
    total--
    closing++
    client.end(() => {
      closing--
    })
  }

  const broke = (session: Session) => {
    session.isBroken = true
    const place = idle.indexOf(session)
    // A session in use is closed when it comes back.
    if (place !== -1) idle.splice(place, 1).forEach(close)
  }

  return {
    close,
    closeIdle: () => idle.splice(0).forEach(close),
    /** Closes sessions that were idle too long. */
    sweep: (now: number) => {
      for (let [oldest] = idle; oldest !== undefined && total > 1; [oldest] = idle) {
        if (oldest.idleSince > now - idleAtMost) return
        idle.shift()
        close(oldest)
      }
    },
    keep: (session: Session, now: number) => {
      if (session.isBroken) return close(session)
      session.idleSince = now
      idle.push(session)
    },
    /** The session that was used last. */
    idle: () => idle.pop(),
    open: (opened: (session: Session) => void, failed: (error: unknown) => void) => {
      const session: Session = { client: new Client(options), idleSince: 0, isBroken: false }
      session.client.on("error", () => broke(session))
      total++
      session.client.connect((error: Error | null) => {
        if (error !== null) {
          total--
          return failed(error)
        }
        begin(session.client, schema, (error) => {
          if (!error) return opened(session)
          close(session)
          failed(error)
        })
      })
    },
    counts: () => ({ closing, idle: idle.length, total })
  }
}
