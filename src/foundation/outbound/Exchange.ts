/**
 * One HTTP/1.1 exchange, over a connection of its own or one that was kept alive, to a vetted address in any case.
 *
 * Measured on Bun 1.4.5 before this was written: `fetch` takes no dialled socket, tells no phases, and obeys proxy variables. `node:http` honours
 * `createConnection` and agrees with Node in all of 35 odd responses, but one of them has two outcomes: when more bytes come than Content-Length
 * counts, the request fails or succeeds depending on how the network cut the packets. It also refuses repeated equal Content-Length fields and
 * folded ones, which browsers accept, and releases before 1.4 ignored the hook without a word. `node:net` and `node:tls` were fit in everything needed
 * here: an address is dialled as it is, the certificate is checked against the host, a paused socket holds its sender back, a reset is told from an
 * end. So the address is pinned by construction, and the framing is the pure code in `http1`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Asked, ask, overdue } from "./Ask.ts"
import { connect, isLiteral, judge, lookUp } from "./Connect.ts"
import type { Deadlines } from "./Deadlines.ts"
import { Fault } from "./Fault.ts"
import * as RequestBytes from "./http1/RequestBytes.ts"
import type { OutboundRequest } from "./OutboundRequest.ts"
import type { Answered } from "./ReadAnswer.ts"
import type { Settings } from "./Settings.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type * as Idle from "./socket/Idle.ts"
import type { Connection } from "./socket/Idle.ts"
import * as Readable from "./socket/Readable.ts"
import { type Host, readHost } from "./UrlRules.ts"
import * as WakeUp from "./WakeUp.ts"

/** What all exchanges of a client share. */
export interface Kept {
  readonly deadlines: Deadlines
  readonly idle: Idle.Idle
}

const inTime = <A, R>({ request, watch }: Asked, effect: Effect.Effect<A, Fault, R>) =>
  Effect.timeoutFail(effect, {
    duration: Math.max(0, Duration.toMillis(request.deadline) - watch.elapsed()),
    onTimeout: () => overdue
  })

type Answer = Answered["answer"]
type Addresses = Effect.Effect.Success<ReturnType<typeof judge>>

const reset = (error: Error) => new Fault({ reason: "reset", message: `The connection broke (${error.message})` })

const cut = new Fault({ reason: "reset", message: "The connection was closed" })

/** Makes a connection last: from now on its scope ends nothing, and `close` everything. */
const lasting = Effect.fnUntraced(function* (connecting: ReturnType<typeof connect>) {
  const scope = yield* Scope.make()
  const { remoteAddress, sockets } = yield* Effect.interruptible(connecting).pipe(
    Scope.extend(scope),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
  )
  const [socket] = sockets
  const wakeUp = WakeUp.make()
  const close = () => {
    for (const each of sockets) each.destroy()
  }
  return { close, poll: Readable.poll(socket, reset, cut, wakeUp), remoteAddress, socket, wakeUp } satisfies Connection
})

/** Asks a host whose addresses were judged just now, over a connection that was kept alive or over a new one. */
const asking = (asked: Asked, host: Host, addresses: Addresses, settings: Settings, { deadlines, idle }: Kept) => {
  const { request, watch } = asked
  const key = `${request.url.protocol}//${host.name}:${host.port}`

  /** Asks over a connection, which is kept or closed after that. */
  const over = (connection: Connection, tell: (outcome: Answered | Fault) => void) => {
    const leave = ask(connection, asked, deadlines, (outcome) => {
      if (request.reuse === true && !(outcome instanceof Fault) && outcome.lasting) idle.put(key, connection)
      else connection.close()
      tell(outcome)
    })
    return Effect.sync(() => {
      leave()
      connection.close()
    })
  }
  const told = (outcome: Answered | Fault) => (outcome instanceof Fault ? outcome : Effect.succeed(outcome.answer))

  const afresh = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(lasting(inTime(asked, connect(host, addresses, settings, watch))), (connection) =>
      restore(Effect.async<Answer, Fault>((resume) => over(connection, (outcome) => resume(told(outcome))))).pipe(
        Effect.onInterrupt(() => Effect.sync(connection.close))
      )
    )
  )

  return Effect.async<Answer, Fault>((resume) => {
    const connection = request.reuse === true ? idle.take(key, addresses) : undefined
    if (connection === undefined) return resume(afresh)
    watch.reuses(true)
    return over(connection, (outcome) => {
      // It may have ended before it could answer: then the request goes over a new one.
      const ended = outcome instanceof Fault && outcome.reason === "reset" && watch.timings().firstByteMs === null
      if (ended) watch.reuses(false)
      resume(ended ? afresh : told(outcome))
    })
  })
}

/** Asks once and reads the answer. */
export const run = (
  request: OutboundRequest,
  settings: Settings,
  kept: Kept,
  watch: Stopwatch
): Effect.Effect<Answer, Fault> =>
  Effect.suspend(() => {
    const host = readHost(request.url)
    if (Either.isLeft(host)) return host.left
    const bytes = RequestBytes.encode(request)
    if (Either.isLeft(bytes)) return bytes.left
    const asked = { bytes: bytes.right, request, watch }
    const judged = isLiteral(host.right)
      ? judge(host.right, settings)
      : inTime(asked, lookUp(host.right, settings, watch))
    return Effect.flatMap(judged, (addresses) =>
      kept.deadlines.during(asking(asked, host.right, addresses, settings, kept))
    )
  })
