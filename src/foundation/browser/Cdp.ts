import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { type CDPEvents, type CDPSession, CDPSessionEvent } from "puppeteer-core/internal/api/CDPSession.js"
import { Connection } from "puppeteer-core/internal/cdp/Connection.js"
import type { ConnectionTransport } from "puppeteer-core/internal/common/ConnectionTransport.js"

/** The browser refused a command, or it or the page ended before the answer. */
export class CdpError extends Data.TaggedError("CdpError")<{ readonly method: string; readonly message: string }> {}

type Commands = ProtocolMapping.Commands

/** The browser itself, or one page, frame or worker of it, over the DevTools protocol. */
export interface Session {
  readonly id: string
  readonly send: <M extends keyof Commands>(
    method: M,
    ...params: Commands[M]["paramsType"]
  ) => Effect.Effect<Commands[M]["returnType"], CdpError>
  /** Runs an effect for each event until the scope ends. The effects start in the order of the events and do not wait for one another. */
  readonly listen: <E extends keyof CDPEvents, R>(
    event: E,
    run: (event: CDPEvents[E]) => Effect.Effect<void, never, R>
  ) => Effect.Effect<void, never, R | Scope.Scope>
  /** The session of an attached page, frame or worker. */
  readonly attached: (id: string) => Effect.Effect<Session, CdpError>
  /** Waits for the end of the page or of the browser. */
  readonly ended: Effect.Effect<void>
}

const failure = (method: string) => (error: unknown) =>
  new CdpError({ method, message: error instanceof Error ? error.message : String(error) })

const listenTo = Effect.fnUntraced(function* <E extends keyof CDPEvents, R>(
  emitter: CDPSession | Connection,
  event: E,
  run: (event: CDPEvents[E]) => Effect.Effect<void, never, R>
) {
  const fork = yield* FiberSet.makeRuntime<R>()
  const listener = (params: CDPEvents[E]) => {
    fork(run(params))
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => emitter.on(event, listener)),
    () => Effect.sync(() => emitter.off(event, listener))
  )
})

const sessionOf = (session: CDPSession | Connection, connection: Connection, id: string): Session => ({
  id,
  send: (method, ...params) =>
    Effect.tryPromise({ try: () => session.send(method, ...params), catch: failure(method) }),
  listen: (event, run) => listenTo(session, event, run),
  attached: (child) =>
    Effect.fromNullable(connection.session(child)).pipe(
      Effect.mapBoth({
        onFailure: () => new CdpError({ method: "Target.attachedToTarget", message: "The session is over." }),
        onSuccess: (found) => sessionOf(found, connection, child)
      })
    ),
  ended: Effect.async<void>((resume) => {
    const over = () => resume(Effect.void)
    session.once(CDPSessionEvent.Disconnected, over)
    if (session instanceof Connection ? session._closed : session.detached) over()
    return Effect.sync(() => session.off(CDPSessionEvent.Disconnected, over))
  })
})

/** Milliseconds for a command; the deadline of a page comes first. */
const patience = 60_000

const silent = () => undefined

/** The session of a browser at the other end of a transport, until the scope ends. */
export const connect = (transport: ConnectionTransport): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new Connection("", transport, 0, patience, false, undefined, silent)),
    (connection) => Effect.sync(() => connection.dispose())
  ).pipe(Effect.map((connection) => sessionOf(connection, connection, "")))
