/** Platform adapter: sessions of node-postgres. */
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"

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

export interface Session {
  readonly client: Client
  /** The connection was lost. */
  isBroken: boolean
  /** When its last statement ended, in milliseconds of the process. */
  idleSince: number
}

/** Sessions of one place: opened when none is idle, closed after a while without a statement, except the last one. */
export const make = (connection: PgClientConfig) => {
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
        session.client.query(sessionSettings, (error: unknown) => {
          if (!error) return opened(session)
          close(session)
          failed(error)
        })
      })
    },
    counts: () => ({ closing, idle: idle.length, total })
  }
}
