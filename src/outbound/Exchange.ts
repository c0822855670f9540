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
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { collect } from "./Collect.ts"
import { connect, lookUp } from "./Connect.ts"
import { decode } from "./Decode.ts"
import * as Encodings from "./Encodings.ts"
import { Fault, protocol } from "./Fault.ts"
import * as Framing from "./http1/Framing.ts"
import { readBody } from "./http1/ReadBody.ts"
import { readHead } from "./http1/ReadHead.ts"
import * as RequestBytes from "./http1/RequestBytes.ts"
import { type Head, members } from "./http1/ResponseHead.ts"
import type { OutboundRequest } from "./OutboundRequest.ts"
import type { Pull } from "./Pull.ts"
import type { Settings } from "./Settings.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import type * as Idle from "./socket/Idle.ts"
import type { Connection } from "./socket/Idle.ts"
import * as Readable from "./socket/Readable.ts"
import { readHost } from "./UrlRules.ts"

const reset = (error: Error) => new Fault({ reason: "reset", message: `The connection broke (${error.message})` })

const cut = new Fault({ reason: "reset", message: "The connection was closed" })

const silent = new Fault({ reason: "timeout", message: "The server sent nothing for too long" })

const incoming = (source: Readable.Source, idleTimeout: OutboundRequest["idleTimeout"]): Pull =>
  Readable.pull(
    source,
    idleTimeout === undefined
      ? source.changed
      : Effect.timeoutFail(source.changed, { duration: idleTimeout, onTimeout: () => silent })
  )

/** Bounds the input of a coding that makes next to nothing of it; an honest one never doubles what it encodes. */
const bounded = (raw: Pull, most: number): Pull => {
  let left = 2 * most + 1_048_576
  return Effect.tap(raw, (piece) => {
    left -= piece?.length ?? 0
    return left < 0 ? protocol("The encoded body is larger than what it encodes") : Effect.void
  })
}

const plain = (
  request: OutboundRequest,
  head: Head,
  raw: Pull,
  most: number
): Effect.Effect<Pull, Fault, Scope.Scope> =>
  Effect.mapError(Encodings.read(request.decode ? members(head, "content-encoding") : []), protocol).pipe(
    Effect.flatMap((encodings) => decode(encodings, encodings.length === 0 ? raw : bounded(raw, most)))
  )

const unread = { body: new Uint8Array(), bytesRead: 0, truncated: false }

/** Reads as much of the body as is wanted after this head. */
const read = Effect.fnUntraced(function* (request: OutboundRequest, head: Head, raw: Pull) {
  const most = Math.min(request.maxBytes, request.bodyLimit?.(head) ?? request.maxBytes)
  return most === 0 ? unread : yield* collect(yield* plain(request, head, raw, most), request.keepBytes, most)
})

/** Sends a request over a connection and reads the answer; and says whether the connection may carry another one. */
const ask = Effect.fnUntraced(function* (
  { remoteAddress, socket, source }: Connection,
  bytes: Uint8Array,
  request: OutboundRequest,
  watch: Stopwatch
) {
  const pull = incoming(source, request.idleTimeout)
  yield* Effect.sync(() => socket.write(bytes))
  const first = Effect.tap(pull, (piece) => (piece === undefined ? Effect.void : watch.lap("firstByteMs")))
  const { head, rest } = yield* readHead(first)
  const framing = yield* Effect.mapError(Framing.of(request.method, head), protocol)
  const raw = readBody(framing, rest, pull)
  const collected = yield* read(request, head, raw.pull)
  yield* watch.lap("bodyMs")
  const closes = !head.persistent || members(head, "connection").some((option) => option.toLowerCase() === "close")
  const answer = { status: head.status, headers: head.fields, ...collected, remoteAddress }
  return { answer, lasting: !closes && raw.ended() && !collected.truncated }
})

/** Opens a connection that lasts until it is closed. */
const open = Effect.fnUntraced(function* (...of: Parameters<typeof connect>) {
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  const { remoteAddress, socket } = yield* Effect.interruptible(connect(...of)).pipe(
    Scope.extend(scope),
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close))
  )
  return { close, remoteAddress, socket, source: Readable.source(socket, reset, cut) } satisfies Connection
})

/** Asks once and reads the answer. A connection that was kept alive may end before it answers: then the request goes over a new one. */
export const run = Effect.fnUntraced(function* (
  request: OutboundRequest,
  settings: Settings,
  idle: Idle.Idle,
  watch: Stopwatch
) {
  const host = yield* readHost(request.url)
  const bytes = yield* RequestBytes.encode(request)
  const addresses = yield* lookUp(host, settings, watch)
  const key = `${request.url.protocol}//${host.name}:${host.port}`

  const over = (acquire: Effect.Effect<Connection, Fault>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acquire, (connection) =>
        restore(Effect.scoped(ask(connection, bytes, request, watch))).pipe(
          Effect.onExit((exit) => {
            if (Exit.isSuccess(exit) && exit.value.lasting && request.reuse === true) {
              return Effect.sync(() => idle.put(key, connection))
            }
            return connection.close
          })
        )
      )
    )

  const kept = request.reuse === true ? idle.take(key, addresses) : undefined
  if (kept !== undefined) {
    watch.reuses(true)
    const answered = yield* Effect.either(over(Effect.succeed(kept)))
    if (Either.isRight(answered)) return answered.right.answer
    const { firstByteMs } = yield* watch.timings
    if (answered.left.reason !== "reset" || firstByteMs !== null) return yield* answered.left
    watch.reuses(false)
  }
  return (yield* over(open(host, addresses, settings, watch))).answer
})
