import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Traced from "../schema/Traced.ts"
import { AllowedNetworks, equals, parse } from "./Address.ts"
import { makeWakeUp, nothing, pollReadable } from "./Body.ts"
import { Fault, type Host, Outbound, OutboundError, type OutboundRequest, readHost } from "./Outbound.ts"
import * as ReadAnswer from "./ReadAnswer.ts"
import * as Socket from "./Socket.ts"
import type { Deadlines, Stopwatch } from "./Timing.ts"
import * as Timing from "./Timing.ts"
import * as Vet from "./Vet.ts"
import { type Guard, vet } from "./Vet.ts"
import { encode } from "./WriteRequest.ts"

/** The fault of an exchange that passes its deadline. */
const overdue = new Fault({ reason: "timeout", message: "The request took longer than its time limit" })

const silent = new Fault({ reason: "timeout", message: "The server stopped sending data" })

/** A request, encoded, with its stopwatch. */
interface Asked {
  readonly request: OutboundRequest
  readonly bytes: Uint8Array
  readonly watch: Stopwatch
}

const ignore = () => {}

/**
 * Sends a request over a connection and calls `settle` once with the outcome, within the deadline. Callbacks, because an exchange over a kept-alive connection
 * is a write and a read, and effects for these steps cost ten times more. Returns the function that aborts the exchange without a call of `settle`.
 */
const ask = (
  connection: Socket.Connection,
  { bytes, request, watch }: Asked,
  deadlines: Deadlines,
  settle: (outcome: ReadAnswer.Answered | Fault) => void
): (() => void) => {
  const most = Duration.toMillis(request.deadline)
  const quiet = request.idleTimeout === undefined ? most : Duration.toMillis(request.idleTimeout)
  const reading = ReadAnswer.readAnswer(connection, request, watch)
  let heard = watch.elapsed()
  const timed = {
    end: () => end(reading.broken(watch.elapsed() >= most ? overdue : silent)),
    left: () => Math.min(most, heard + quiet) - watch.elapsed()
  }
  const leave = () => {
    deadlines.remove(timed)
    connection.wakeUp.listen(ignore)
    reading.close()
  }
  const end = (outcome: ReadAnswer.Answered | Fault) => {
    leave()
    if (!(outcome instanceof Fault)) watch.lap("bodyMs")
    settle(outcome)
  }
  const goOn = () => {
    heard = watch.elapsed()
    const outcome = reading.step()
    if (outcome !== nothing) end(outcome)
  }
  deadlines.add(timed)
  connection.wakeUp.listen(goOn)
  connection.socket.write(bytes)
  // A server that speaks first may have spoken, and ended, before the listener was set.
  goOn()
  return leave
}

/** The settings of a client: how it checks hosts, and the certificate authorities that it trusts. */
export interface Settings extends Guard {
  readonly authorities: Socket.Authorities
}

const reachesItsAddress = ({ socket, address }: Socket.Dialled) =>
  Option.getOrElse(Option.zipWith(parse(socket.remoteAddress ?? ""), parse(address), equals), () => false)

/** Whether the host is an address literal, which needs no look-up. */
const isLiteral = ({ name }: Host): boolean => Option.isSome(parse(name))

/** Checks all addresses of a host: the literal, or the results of a look-up. */
const judge = (host: Host, settings: Settings) => vet(host, settings)

/** Checks all addresses of a name, and times the look-up. */
const lookUp = (host: Host, settings: Settings, watch: Stopwatch) =>
  Effect.tap(judge(host, settings), () => Effect.sync(() => watch.lap("dnsMs")))

/** Opens a connection to one of the vetted addresses of a host, and checks the connection's other end. */
const connect = Effect.fnUntraced(function* (
  host: Host,
  addresses: Effect.Effect.Success<ReturnType<typeof judge>>,
  settings: Settings,
  watch: Stopwatch
) {
  const dialled = yield* Socket.dial(addresses, host.port)
  watch.lap("connectMs")
  if (!reachesItsAddress(dialled)) {
    return yield* new Fault({
      reason: "blocked_address",
      message: "The connection reached a different IP address than the checked one"
    })
  }
  if (!host.secure) return { sockets: [dialled.socket], remoteAddress: dialled.address } as const
  const socket = yield* Socket.secure(dialled.socket, host.name, settings.authorities)
  watch.lap("tlsMs")
  return { sockets: [socket, dialled.socket], remoteAddress: dialled.address } as const
})

/**
 * One HTTP/1.1 exchange with a vetted address, over a new or a kept-alive connection.
 *
 * Measured on Bun 1.4.5: `fetch` takes no dialled socket, reports no phases, and obeys proxy variables. `node:http` honours `createConnection` and agrees with
 * Node in all of 35 odd responses, but one response has two outcomes: with more bytes than its Content-Length, the request fails or succeeds depending on the
 * network's packets. `node:http` also refuses repeated equal Content-Length fields and folded ones, which browsers accept, and before Bun 1.4 it silently
 * ignored the hook. `node:net` and `node:tls` do everything needed here: they dial an address as it is, check the certificate against the host, hold the sender
 * back while a socket is paused, and distinguish a reset from an end. So the address is pinned by construction, and the framing is the pure code in
 * `ReadAnswer.ts`.
 */

/** State that all exchanges of a client share. */
interface Kept {
  readonly deadlines: Deadlines
  readonly idle: Socket.Idle
}

const inTime = <A, R>({ request, watch }: Asked, effect: Effect.Effect<A, Fault, R>) =>
  Effect.timeoutFail(effect, {
    duration: Math.max(0, Duration.toMillis(request.deadline) - watch.elapsed()),
    onTimeout: () => overdue
  })

type Answer = ReadAnswer.Answered["answer"]
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
  return {
    close,
    poll: pollReadable(socket, reset, cut, wakeUp),
    remoteAddress,
    socket,
    wakeUp
  } satisfies Socket.Connection
})

/** Sends the request to a host with just checked addresses, over a kept-alive connection or a new one. */
const asking = (asked: Asked, host: Host, addresses: Addresses, settings: Settings, { deadlines, idle }: Kept) => {
  const { request, watch } = asked
  const key = `${request.url.protocol}//${host.name}:${host.port}`

  /** Sends the request over a connection, then keeps or closes the connection. */
  const over = (connection: Socket.Connection, settle: (outcome: ReadAnswer.Answered | Fault) => void) => {
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
  const effectOf = (outcome: ReadAnswer.Answered | Fault) =>
    outcome instanceof Fault ? outcome : Effect.succeed(outcome.answer)

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
      // The server may have closed the kept connection before it responded; the request then goes over a new one.
      const ended = outcome instanceof Fault && outcome.reason === "reset" && watch.timings().firstByteMs === null
      if (ended) watch.reuses(false)
      resume(ended ? afresh : effectOf(outcome))
    })
  })
}

/** Sends the request once and reads the response. */
export const run = (
  request: OutboundRequest,
  settings: Settings,
  kept: Kept,
  watch: Stopwatch
): Effect.Effect<Answer, Fault> =>
  Effect.suspend(() => {
    const host = readHost(request.url, request.isSetting)
    if (Either.isLeft(host)) return host.left
    const bytes = encode(request)
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

const timed = <A>(effect: Effect.Effect<A, Fault>, watch: Timing.Stopwatch) =>
  Effect.mapError(effect, ({ reason, message }) => new OutboundError({ reason, message, timings: watch.timings() }))

/** The guarded client over given settings. */
export const make = (settings: Settings): Context.Tag.Service<Outbound> => {
  const kept = { deadlines: Timing.make(), idle: Socket.make() }
  const exchange = (request: OutboundRequest) =>
    Effect.clockWith((clock) => {
      const watch = Timing.start(clock)
      return Effect.map(timed(run(request, settings, kept, watch), watch), (answer) => ({
        ...answer,
        timings: watch.timings()
      }))
    })
  const vetted = (url: URL) =>
    Effect.clockWith((clock) => {
      const found = Effect.flatMap(readHost(url), (host) => Vet.vet(host, settings))
      return timed(found, Timing.start(clock))
    })
  return {
    exchange: (request) => Traced.spanned("Outbound.exchange")(exchange(request)),
    vet: (url) => Traced.spanned("Outbound.vet")(vetted(url))
  }
}

const bySettings = (exception: Pick<Settings, "typed">) =>
  Layer.effect(
    Outbound,
    Effect.gen(function* () {
      return make({
        ...exception,
        resolver: yield* Vet.Resolver,
        allowed: yield* AllowedNetworks,
        authorities: []
      })
    })
  )

/** The client with the configured networks, over any resolver. */
export const layerNoDeps = bySettings({})

/** Clients that depend on settings alone. */
const configured = new WeakSet<Context.Tag.Service<Outbound>>()

/** Whether another process of this machine would make the same client from the settings. A wrapper or a replacement of the client does not count. */
export const isConfigured = (outbound: Context.Tag.Service<Outbound>): boolean => configured.has(outbound)

/** The client of the service. */
export const layer = Layer.provide(layerNoDeps, Vet.layer).pipe(
  Layer.tap((context) => Effect.sync(() => configured.add(Context.get(context, Outbound))))
)

/** The client of a command with a typed URL: only the URL's host and port may be private. */
export const layerFor = (typed: URL) =>
  Layer.provide(
    bySettings(Either.match(readHost(typed), { onLeft: () => ({}), onRight: (host) => ({ typed: Vet.make(host) }) })),
    Vet.layer
  )
