import { SqlError } from "@effect/sql/SqlError"
import type { PgClientConfig } from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { Client, DatabaseError, escapeLiteral } from "pg"
import { keyOf } from "./Cancel.ts"
import type { Location } from "./Location.ts"
import * as Shares from "./Shares.ts"
import { astray, notAcquired as message, nodeBusy } from "./SqlState.ts"

/** Platform adapter: sessions of node-postgres. */

/** Milliseconds that a statement waits for a connection, and a new connection for the server. */
const patience = 5000

/** A session without statements for this many milliseconds is closed, except the last session. */
const idleAtMost = 10_000

/** One statement takes one process of the server, so the number of connections limits a caller's share. Reads are too short for compilation. */
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

/** The server of a session, and the schema where the session looks names up. */
export type Place = Pick<typeof Location.Service, "connection" | "schema">

const isPath = (row: unknown): row is { readonly path: string; readonly schema: string | null } =>
  Predicate.hasProperty(row, "path") && Predicate.hasProperty(row, "schema")

/**
 * Whether a session looks names up in its schema. The default path, `"$user", public`, is right for `public` unless a schema has the role's name. Any other
 * path must name the schema alone, because a second schema may have other tables of the same names.
 */
const isIn = (schema: string, row: unknown) =>
  isPath(row) && ([schema, `"${schema}"`].includes(row.path) || (schema === "public" && row.schema === schema))

const lost = (schema: string, row: unknown) =>
  Object.assign(
    new Error(
      `The connection pooler uses search_path ${isPath(row) ? row.path : "of others"}, but Findable's schema is ${schema}. Set FINDABLE_DATABASE_SCHEMA to the schema in that path, or run ALTER ROLE … SET search_path = ${schema} for a role that only Findable uses and let the pooler reconnect`
    ),
    { code: astray }
  )

/**
 * Prepares a new session. The search path is set on direct connections only: a pooler would give the changed session to other programs, and other sessions to
 * us. A pooler is between when the session's process id differs from the handshake's, and then the role's path must be right.
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

interface Session {
  readonly client: Client
  /** Whether the connection was lost. */
  isBroken: boolean
  /** When its last statement ended, in milliseconds of the process. */
  idleSince: number
}

/** Sessions of one place: opened when none is idle, closed after a while without a statement, except the last one. */
const make = ({ connection, schema = "public" }: Place) => {
  const options = optionsOf(connection)
  /** The sessions without work, the longest idle first. */
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
    // A session in use is closed when its statement gives it back.
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

/** Platform adapter: a pool of sessions. */

/** Milliseconds between the server's refusal of a connection and the pool's next attempt to open more. */
const frugal = 10_000

/** The server refuses a further connection: its own limit, the role's or the database's is reached (too_many_connections). */
const isRefused = (error: unknown) => error instanceof DatabaseError && error.code === "53300"

/** A request for a connection: it waits, then holds the connection until that is given back. */
export class Ticket {
  session: Session | undefined
  /** When its share got a connection for the ticket, in milliseconds of the process. */
  began = 0
  isGone = false
  constructor(
    readonly share: Shares.Share,
    /** In milliseconds of the process. */
    readonly since: number,
    readonly served: (ticket: Ticket, client: Client) => void,
    readonly refused: (error: SqlError) => void
  ) {}
}

const busy = () =>
  Object.assign(new Error(`No database connection of this account's share was free within ${patience / 1000} s`), {
    code: nodeBusy
  })

const silent = () => new Error(`timeout: the database answered no query within ${patience / 1000} s`)

const notAcquired = (cause: unknown) => new SqlError({ cause, message })

/** A pool without connections so far. */
const makePool = (place: Place, most: number) => {
  const sessions = make(place)
  const shares = Shares.make<Ticket>(most)
  /** The waiting tickets, the longest wait first. */
  const waiters = new Set<Ticket>()
  let isClosed = false
  let frugalUntil = 0
  let lastGivenBack = 0

  const serve = (ticket: Ticket, now: number) => {
    waiters.delete(ticket)
    ticket.began = now
    const session = sessions.idle()
    if (session === undefined) return open(ticket)
    ticket.session = session
    ticket.served(ticket, session.client)
  }

  const drain = (now: number) => {
    for (let ticket = shares.next(now); ticket !== undefined; ticket = shares.next(now)) serve(ticket, now)
  }

  const giveBack = (ticket: Ticket, isUsable = true) => {
    const { session } = ticket
    if (session === undefined) return
    ticket.session = undefined
    lastGivenBack = performance.now()
    shares.giveBack(ticket.share, ticket.began, lastGivenBack)
    if (isUsable && !isClosed) sessions.keep(session, lastGivenBack)
    else sessions.close(session)
    drain(lastGivenBack)
  }

  const open = (ticket: Ticket) =>
    sessions.open(
      (session) => {
        ticket.session = session
        if (ticket.isGone) giveBack(ticket)
        else ticket.served(ticket, session.client)
      },
      (error) => {
        const { total } = sessions.counts()
        const now = performance.now()
        shares.giveBack(ticket.share, ticket.began, now)
        // One of our own connections may be free in a moment, so the server's refusal fails no statement.
        if (isRefused(error) && total > 0 && !ticket.isGone) {
          shares.resize(total)
          frugalUntil = now + frugal
          shares.askAgain(ticket.share, ticket)
          waiters.add(ticket)
        } else if (!ticket.isGone) ticket.refused(notAcquired(error))
        drain(now)
      }
    )

  const leave = (ticket: Ticket) => {
    ticket.isGone = true
    waiters.delete(ticket)
    shares.leave(ticket.share, ticket)
  }

  const refuseThoseSince = (latest: number) => {
    for (const ticket of waiters) {
      if (ticket.since > latest) return
      // When every connection is taken and none was given back meanwhile, the database does not answer.
      const isSilent = shares.isFull() && lastGivenBack < ticket.since
      leave(ticket)
      ticket.refused(notAcquired(isSilent ? silent() : busy()))
    }
  }

  return {
    /** Asks for a connection, and calls `served` or `refused`, possibly before returning, unless the ticket leaves first. */
    ask: (share: Shares.Share, served: Ticket["served"], refused: Ticket["refused"]): Ticket => {
      const now = performance.now()
      const ticket = new Ticket(share, now, served, refused)
      if (frugalUntil !== 0 && now >= frugalUntil) {
        frugalUntil = 0
        shares.resize(most)
        drain(now)
      }
      if (isClosed) refused(notAcquired(new Error("The connection pool is closed")))
      else if (shares.ask(share, ticket, now)) serve(ticket, now)
      else waiters.add(ticket)
      return ticket
    },
    /** Leaves the queue. A connection that is being opened goes to others. */
    leave: (ticket: Ticket) => {
      leave(ticket)
      drain(performance.now())
    },
    /** Gives the connection back, for others if it is usable. A second call does nothing. */
    giveBack,
    /** Refuses tickets that have waited too long, and closes sessions that were idle too long. */
    sweep: () => {
      const now = performance.now()
      refuseThoseSince(now - patience)
      shares.sweep(now)
      drain(now)
      sessions.sweep(now)
    },
    /** Takes no more statements, and waits until every connection was given back and closed. */
    end: Effect.suspend(() => {
      isClosed = true
      refuseThoseSince(performance.now())
      sessions.closeIdle()
      const isOpen = Effect.sync(() => sessions.counts().total + sessions.counts().closing > 0)
      return Effect.repeat(isOpen, { schedule: Schedule.spaced("10 millis"), while: (open) => open })
    }),
    counts: () => {
      const { idle, total } = sessions.counts()
      return { busy: total - idle, idle, wanted: shares.waiting() }
    }
  }
}

export type Pool = ReturnType<typeof makePool>

/** Opens a pool that keeps one connection and has at most `max`. Fails when the server does not respond within 5 s. Closing takes a second at most. */
export const openPool = (place: Place, max: number) =>
  Effect.acquireRelease(
    Effect.sync(() => makePool(place, max)),
    (pool) => pool.end.pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
  ).pipe(
    Effect.tap((pool) =>
      Effect.async<void, SqlError>((resume) => {
        pool.ask(
          Shares.work,
          (ticket) => {
            pool.giveBack(ticket)
            resume(Effect.void)
          },
          (error) => resume(Effect.fail(error))
        )
      })
    ),
    Effect.tap((pool) => Effect.sync(pool.sweep).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped))
  )

/** The state of a pool's connections. */
interface Counts {
  readonly busy: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly wanted: number
}

const connections = Metric.gauge("findable_database_connections", {
  description: "Database connections of this process: busy, idle, and wanted by waiting queries"
})
const busyGauge = Metric.tagged(connections, "state", "busy")
const idle = Metric.tagged(connections, "state", "idle")
const wanted = Metric.tagged(connections, "state", "wanted")

/** Measures a pool every five seconds until the scope closes. */
export const watch = ({ counts }: { readonly counts: () => Counts }) =>
  Effect.suspend(() => {
    const now = counts()
    return Effect.all([Metric.set(busyGauge, now.busy), Metric.set(idle, now.idle), Metric.set(wanted, now.wanted)], {
      discard: true
    })
  }).pipe(Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)
