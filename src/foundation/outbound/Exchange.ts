/**
 * One HTTP/1.1 exchange with a vetted address, over a new or a kept-alive connection.
 *
 * Measured on Bun 1.4.5 before this was written: `fetch` takes no dialled socket, reports no phases, and obeys proxy variables. `node:http` honours
 * `createConnection` and agrees with Node in all of 35 odd responses, but one of them has two outcomes: when more bytes come than Content-Length
 * counts, the request fails or succeeds depending on how the network cut the packets. It also refuses repeated equal Content-Length fields and
 * folded ones, which browsers accept, and releases before 1.4 silently ignored the hook. `node:net` and `node:tls` do everything needed
 * here: they dial an address as it is, check the certificate against the host, hold the sender back while a socket is paused, and distinguish a reset
 * from an end. So the address is pinned by construction, and the framing is the pure code in `http1`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type Asked, ask, overdue } from "./Ask.ts"
import { connect, isLiteral, judge, lookUp, type Settings } from "./Connect.ts"
import type { Deadlines } from "./Deadlines.ts"
import * as RequestBytes from "./http1/RequestBytes.ts"
import type { OutboundRequest } from "./Outbound.ts"
import { Fault } from "./Outbound.ts"
import { makeWakeUp, pollReadable } from "./Poll.ts"
import type { Answered } from "./ReadAnswer.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type * as Idle from "./socket/Idle.ts"
import type { Connection } from "./socket/Idle.ts"
import { type Host, readHost } from "./UrlRules.ts"

/** State that all exchanges of a client share. */
interface Kept {
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

/** Detaches a connection from its scope: only `close` ends it. */
const lasting = Effect.fnUntraced(function* (connecting: ReturnType<typeof connect>) {
  const scope = yield* Scope.make()
  const { remoteAddress, sockets } = yield* Effect.interruptible(connecting).pipe(
    Scope.extend(scope),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
  )
  const [socket] = sockets
  const wakeUp = makeWakeUp()
  const close = () => {
    for (const each of sockets) each.destroy()
  }
  return { close, poll: pollReadable(socket, reset, cut, wakeUp), remoteAddress, socket, wakeUp } satisfies Connection
})

/** Sends the request to a host whose addresses were just judged, over a kept-alive connection or a new one. */
const asking = (asked: Asked, host: Host, addresses: Addresses, settings: Settings, { deadlines, idle }: Kept) => {
  const { request, watch } = asked
  const key = `${request.url.protocol}//${host.name}:${host.port}`

  /** Sends the request over a connection, which is kept or closed afterwards. */
  const over = (connection: Connection, settle: (outcome: Answered | Fault) => void) => {
    const leave = ask(connection, asked, deadlines, (outcome) => {
      if (request.reuse === true && !(outcome instanceof Fault) && outcome.lasting) idle.put(key, connection)
      else connection.close()
      settle(outcome)
    })
    return Effect.sync(() => {
      leave()
      connection.close()
    })
  }
  const effectOf = (outcome: Answered | Fault) => (outcome instanceof Fault ? outcome : Effect.succeed(outcome.answer))

  const afresh = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(lasting(inTime(asked, connect(host, addresses, settings, watch))), (connection) =>
      restore(Effect.async<Answer, Fault>((resume) => over(connection, (outcome) => resume(effectOf(outcome))))).pipe(
        Effect.onInterrupt(() => Effect.sync(connection.close))
      )
    )
  )

  return Effect.async<Answer, Fault>((resume) => {
    const connection = request.reuse === true ? idle.take(key, addresses) : undefined
    if (connection === undefined) return resume(afresh)
    watch.reuses(true)
    return over(connection, (outcome) => {
      // The server may have closed it before it answered: then the request goes over a new one.
      const ended = outcome instanceof Fault && outcome.reason === "reset" && watch.timings().firstByteMs === null
      if (ended) watch.reuses(false)
      resume(ended ? afresh : effectOf(outcome))
    })
  })
}

/** Sends the request once and reads the answer. */
export const run = (
  request: OutboundRequest,
  settings: Settings,
  kept: Kept,
  watch: Stopwatch
): Effect.Effect<Answer, Fault> =>
  Effect.suspend(() => {
    const host = readHost(request.url, request.isSetting)
    if (Either.isLeft(host)) return host.left
    const bytes = RequestBytes.encode(request)
    if (Either.isLeft(bytes)) return bytes.left
    const asked = { bytes: bytes.right, request, watch }
    const { addresses } = request
    const known =
      addresses === undefined ? settings : { ...settings, resolver: { addresses: () => Effect.succeed(addresses) } }
    const judged = isLiteral(host.right) ? judge(host.right, settings) : inTime(asked, lookUp(host.right, known, watch))
    return Effect.flatMap(judged, (addresses) =>
      kept.deadlines.during(asking(asked, host.right, addresses, settings, kept))
    )
  })
