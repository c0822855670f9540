/**
 * One HTTP/1.1 exchange over a connection of its own; nothing is kept open for a next one.
 *
 * Measured on Bun 1.4.5 before this was written: `fetch` takes no dialled socket, tells no phases, and obeys proxy variables. `node:http` honours
 * `createConnection` and agrees with Node in all of 35 odd responses, but one of them has two outcomes: when more bytes come than Content-Length
 * counts, the request fails or succeeds depending on how the network cut the packets. It also refuses repeated equal Content-Length fields and
 * folded ones, which browsers accept, and releases before 1.4 ignored the hook without a word. `node:net` and `node:tls` were fit in everything needed
 * here: an address is dialled as it is, the certificate is checked against the host, a paused socket holds its sender back, a reset is told from an
 * end. So the address is pinned by construction, and the framing is the pure code in `http1`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { collect } from "./Collect.ts"
import { connect } from "./Connect.ts"
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

const plain = (request: OutboundRequest, head: Head, raw: Pull): Effect.Effect<Pull, Fault, Scope.Scope> =>
  Effect.mapError(Encodings.read(request.decode ? members(head, "content-encoding") : []), protocol).pipe(
    Effect.flatMap((encodings) => decode(encodings, encodings.length === 0 ? raw : bounded(raw, request.maxBytes)))
  )

/** Asks once and reads the answer; the scope owns the connection. */
export const run = Effect.fnUntraced(function* (request: OutboundRequest, settings: Settings, watch: Stopwatch) {
  const host = yield* readHost(request.url)
  const bytes = yield* RequestBytes.encode(request)
  const { socket, remoteAddress } = yield* connect(host, settings, watch)
  const pull = incoming(Readable.source(socket, reset, cut), request.idleTimeout)
  yield* Effect.sync(() => socket.write(bytes))
  const first = Effect.tap(pull, (piece) => (piece === undefined ? Effect.void : watch.lap("firstByteMs")))
  const { head, rest } = yield* readHead(first)
  const framing = yield* Effect.mapError(Framing.of(request.method, head), protocol)
  const body = yield* plain(request, head, readBody(framing, rest, pull))
  const collected = yield* collect(body, request.keepBytes, request.maxBytes)
  return { status: head.status, headers: head.fields, ...collected, remoteAddress }
})
