/** Platform adapter: a pool of sessions. */
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type Client, DatabaseError } from "pg"
import * as Sessions from "./Sessions.ts"
import * as Shares from "./Shares.ts"
import { notAcquired as message, nodeBusy } from "./SqlState.ts"

/** Milliseconds after which the pool opens more connections again, once the server refused some. */
const frugal = 10_000

/** The server refuses a further connection: its own limit, the role's or the database's is reached (too_many_connections). */
const isRefused = (error: unknown) => error instanceof DatabaseError && error.code === "53300"

/** A request for a connection, which it waits for or holds until it is given back. */
export class Ticket {
  session: Sessions.Session | undefined
  /** When its share got a connection for it, in milliseconds of the process. */
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
  Object.assign(new Error(`No connection of its share was free within ${Sessions.patience / 1000} s`), {
    code: nodeBusy
  })

const silent = () => new Error(`timeout: no statement was answered within ${Sessions.patience / 1000} s`)

const notAcquired = (cause: unknown) => new SqlError({ cause, message })

/** A pool without connections so far. */
const makePool = (place: Sessions.Place, most: number) => {
  const sessions = Sessions.make(place)
  const shares = Shares.make<Ticket>(most)
  /** The longest wait first. */
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
      // When every connection is taken and none came back meanwhile, the database does not answer.
      const isSilent = shares.isFull() && lastGivenBack < ticket.since
      leave(ticket)
      ticket.refused(notAcquired(isSilent ? silent() : busy()))
    }
  }

  return {
    /** Asks for a connection; one of `served` and `refused` is called, at once or later, unless the ticket leaves before. */
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
    /** Leaves the queue; a connection that is being opened is kept for others. */
    leave: (ticket: Ticket) => {
      leave(ticket)
      drain(performance.now())
    },
    /** Gives the connection back, for others if it is usable; a second time does nothing. */
    giveBack,
    /** Refuses tickets that have waited too long, and closes sessions that were idle too long. */
    sweep: () => {
      const now = performance.now()
      refuseThoseSince(now - Sessions.patience)
      shares.sweep(now)
      drain(now)
      sessions.sweep(now)
    },
    /** Takes no more statements, and waits until every connection has come back and is closed. */
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

/** Opens a pool that keeps one connection and has at most `max`; fails when the server does not answer within 5 s. Closing it takes a second at most. */
export const openPool = (place: Sessions.Place, max: number) =>
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
