import { connect, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { parse } from "./Address.ts"
import { nothing, type Poll, type WakeUp } from "./Body.ts"
import { Fault } from "./Outbound.ts"

/** Platform adapter: keeps idle connections for further exchanges, 30 s at most (by the silence time-out of `node:net` sockets). */

/** An open connection to a vetted address. */
export interface Connection {
  readonly socket: Socket
  readonly poll: Poll
  readonly wakeUp: WakeUp
  readonly remoteAddress: string
  /** Closes it. */
  readonly close: () => void
}

const longest = 30_000

/** The most idle connections of one process. */
const most = 512

/** Idle connections by their host; `key` is scheme, host and port. */
export const make = () => {
  const waiting = new Map<Connection, string>()
  const known = new WeakSet<Connection>()

  const drop = (connection: Connection) => {
    if (waiting.delete(connection)) connection.close()
  }

  /** The youngest silent and open connection of the host to one of these addresses. */
  const take = (key: string, addresses: ReadonlyArray<string>): Connection | undefined => {
    for (const [connection, of] of [...waiting].reverse()) {
      if (of !== key || !addresses.includes(connection.remoteAddress)) continue
      if (connection.poll() === nothing && !connection.socket.destroyed) {
        waiting.delete(connection)
        connection.socket.ref()
        return connection
      }
      drop(connection)
    }
    return undefined
  }

  /** Keeps a connection for the next exchange. */
  const put = (key: string, connection: Connection): void => {
    const [oldest] = waiting.keys()
    if (waiting.size >= most && oldest !== undefined) drop(oldest)
    waiting.set(connection, key)
    // An idle connection must not keep a finished command alive.
    connection.socket.unref()
    if (known.has(connection)) return
    known.add(connection)
    // Every exchange restarts the time-out, and is never silent for so long.
    connection.socket.setTimeout(longest)
    connection.socket.on("timeout", () => drop(connection))
    connection.socket.once("close", () => waiting.delete(connection))
  }

  return { put, take }
}
export type Idle = ReturnType<typeof make>

/** Platform adapter: dials addresses with `node:net`, which resolves no address and reads no proxy variable. */

/** A connection and its dialled address. */
export interface Dialled {
  readonly socket: Socket
  readonly address: string
}

/** The outcome of an attempt. A socket's callbacks settle it, one fiber awaits it, and the first outcome counts. */
export const makeOutcome = () => {
  let outcome: Effect.Effect<void, Fault> | undefined
  let awaiting = (_: Effect.Effect<void, Fault>) => {}
  return {
    awaited: Effect.async<void, Fault>((resume) => {
      if (outcome === undefined) awaiting = resume
      else resume(outcome)
    }),
    settle: (first: Effect.Effect<void, Fault>) => {
      if (outcome !== undefined) return
      outcome = first
      awaiting(first)
    }
  }
}

const begin = (address: string, port: number) => {
  const socket = connect({ host: address, port, noDelay: true })
  const { awaited: connected, settle } = makeOutcome()
  const fail = (message: string) =>
    settle(new Fault({ reason: "connect", message: `The connection was refused (${message})` }))
  socket.once("connect", () => settle(Effect.void))
  socket.on("error", (error) => fail(error.message))
  socket.once("close", () => fail("closed"))
  return { socket, connected }
}

const dialOne = (address: string, port: number): Effect.Effect<Dialled, Fault, Scope.Scope> =>
  Effect.gen(function* () {
    const { socket, connected } = yield* Effect.acquireRelease(
      Effect.sync(() => begin(address, port)),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
    yield* connected.pipe(Effect.onInterrupt(() => Effect.sync(() => socket.destroy())))
    return { socket, address }
  })

/** How long an attempt may stay silent before the next one starts beside it (RFC 8305 §5). */
const headStart = "250 millis"

/** The first success of several attempts. Each attempt starts after the previous one failed, or stayed silent for 250 ms. The others are interrupted. */
export const staggered = <A, E, R>([attempt, next, ...others]: readonly [
  Effect.Effect<A, E, R>,
  ...ReadonlyArray<Effect.Effect<A, E, R>>
]): Effect.Effect<A, E, R> => {
  if (next === undefined) return attempt
  return Effect.gen(function* () {
    const failed = yield* Deferred.make<void>()
    const first = attempt.pipe(Effect.tapError(() => Deferred.succeed(failed, undefined)))
    const later = Deferred.await(failed).pipe(
      Effect.timeoutOption(headStart),
      Effect.zipRight(staggered([next, ...others]))
    )
    return yield* Effect.race(first, later)
  })
}

/** Connects to the first of the addresses that accepts, without waiting long for any but the last. */
export const dial = (
  [first, ...others]: readonly [string, ...ReadonlyArray<string>],
  port: number
): Effect.Effect<Dialled, Fault, Scope.Scope> =>
  staggered([dialOne(first, port), ...others.map((address) => dialOne(address, port))])

/** Platform adapter: `node:tls` over a dialled connection; the certificate must prove the URL's host. */

/** Certificate authorities (PEM) to trust instead of the system's; none means the system's. */
export type Authorities = ReadonlyArray<string>

/** How many hosts' last TLS sessions we remember, which shorten the next handshake (RFC 8446 §2.2). */
const remembered = 1000
const sessions = new Map<string, Buffer>()
const remember = (name: string, session: Buffer) => {
  sessions.delete(name)
  const [oldest] = sessions.keys()
  if (sessions.size >= remembered && oldest !== undefined) sessions.delete(oldest)
  sessions.set(name, session)
}

const beginTls = (socket: Socket, name: string, authorities: Authorities) => {
  // The certificate has a separate kind of entry for addresses, and an address must not be sent as a server name (RFC 6066 §3).
  const isAddress = Option.isSome(parse(name))
  const host = isAddress ? name : name.replace(/\.$/, "")
  // A session is valid only with the certificate authorities of its handshake.
  const key = `${host}:${socket.remotePort} ${authorities.join()}`
  const session = sessions.get(key)
  const secured = connectTls({
    socket,
    host,
    servername: isAddress ? "" : host,
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(authorities.length === 0 ? {} : { ca: [...authorities] }),
    ...(session === undefined ? {} : { session })
  })
  secured.on("session", (ticket) => remember(key, ticket))
  const { awaited: ready, settle } = makeOutcome()
  const fail = (message: string) =>
    settle(new Fault({ reason: "tls", message: `The TLS connection failed (${message})` }))
  secured.once("secureConnect", () => settle(Effect.void))
  secured.on("error", (error) => fail(error.message))
  secured.once("close", () => fail("closed"))
  return { secured, ready }
}

/** Makes a connection secure, with the URL's host as server name. */
export const secure = (
  socket: Socket,
  name: string,
  authorities: Authorities
): Effect.Effect<TLSSocket, Fault, Scope.Scope> =>
  Effect.gen(function* () {
    const { secured, ready } = yield* Effect.acquireRelease(
      Effect.sync(() => beginTls(socket, name, authorities)),
      ({ secured }) => Effect.sync(() => secured.destroy())
    )
    yield* ready
    return secured
  })
