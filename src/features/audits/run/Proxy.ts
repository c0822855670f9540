import { createServer, type Socket } from "node:net"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import { dial } from "../../../foundation/outbound/Socket.ts"

/** Reply codes of refused requests (RFC 1928 §6). */
export const refusals = {
  failed: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  connectionRefused: 5,
  commandNotSupported: 7,
  addressNotSupported: 8
} as const
type Refusal = (typeof refusals)[keyof typeof refusals]

/** A message with its length in bytes, or none while it is incomplete; left: the reply code that ends the connection. */
export type Reading<A> = Either.Either<Option.Option<{ readonly value: A; readonly length: number }>, Refusal>

const version = 5
const connectCommand = 1

const incomplete = Either.right(Option.none())
const complete = <A>(value: A, length: number): Reading<A> => Either.right(Option.some({ value, length }))

/** The answer to a greeting: no authentication. */
const welcome = Uint8Array.of(version, 0)

/** The reply to a request: 0 grants it. The proxy's own address stays 0.0.0.0:0. */
export const reply = (code: 0 | Refusal): Uint8Array => Uint8Array.of(version, code, 0, 1, 0, 0, 0, 0, 0, 0)

/** Reads the greeting (§3): methods of authentication, which must include "none". */
export const readGreeting = (bytes: Uint8Array): Reading<void> => {
  const [first, count] = bytes
  if (first !== undefined && first !== version) return Either.left(refusals.failed)
  if (count === undefined || bytes.length < 2 + count) return incomplete
  return bytes.subarray(2, 2 + count).includes(0) ? complete(undefined, 2 + count) : Either.left(refusals.failed)
}

const dotted = (bytes: Uint8Array) => bytes.join(".")

const grouped = (bytes: Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return `[${Array.from({ length: 8 }, (_, group) => view.getUint16(2 * group).toString(16)).join(":")}]`
}

/** A name as a URL writes it; browsers send literal addresses as names too. */
const named = (bytes: Uint8Array) => {
  const name = String.fromCharCode(...bytes)
  return /^[\da-f:.]*:[\da-f:.]*$/i.test(name) ? `[${name}]` : name
}

const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i

/** Reads the request (§4): the host and port to connect to, as a URL without anything else. */
export const readRequest = (bytes: Uint8Array): Reading<URL> => {
  const [first, command, , kind, size] = bytes
  if (first !== undefined && first !== version) return Either.left(refusals.failed)
  if (kind === undefined || size === undefined) return incomplete
  if (command !== connectCommand) return Either.left(refusals.commandNotSupported)
  const form = { 1: [4, 4, dotted], 3: [5, size, named], 4: [4, 16, grouped] } as const
  if (kind !== 1 && kind !== 3 && kind !== 4) return Either.left(refusals.addressNotSupported)
  const [start, length, text] = form[kind]
  const end = start + length
  if (bytes.length < end + 2) return incomplete
  const host = text(bytes.subarray(start, end))
  const port = ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0)
  const url = isHost.test(host) && port > 0 ? URL.parse(`http://${host}:${port}/`) : null
  return url === null ? Either.left(refusals.addressNotSupported) : complete(url, end + 2)
}

/**
 * Platform adapter (`node:net`): a SOCKS5 proxy on 127.0.0.1 through which a browser reaches everything, itself included. Every connection is judged
 * and dialled here, so that no resource, frame, redirect, script or WebSocket of a page gets to an address that Findable does not visit. SOCKS carries
 * plain HTTP and TLS alike as bytes: what the browser measures is the server's own protocol.
 */

const handshakeBound = "10 seconds"
const dialBound = "30 seconds"

/** A browser opens 32 connections to a proxy at most. */
const largest = 128

/** The loopback interface of this machine cannot be listened on. */
class ListenFailed extends Data.TaggedError("ListenFailed") {}

const refusalOf = ({ reason }: OutboundError): Refusal =>
  reason === "dns" ? refusals.hostUnreachable : refusals.notAllowed

/** Waits for a whole message of the client; bytes behind it stay in the socket. */
const receive = <A>(client: Socket, read: (bytes: Uint8Array) => Reading<A>) =>
  Effect.async<A, Refusal>((resume) => {
    let bytes = Buffer.alloc(0)
    const stop = () => {
      client.off("readable", onReadable)
      client.off("close", onClose)
    }
    const end = (exit: Effect.Effect<A, Refusal>) => {
      stop()
      resume(exit)
    }
    const onClose = () => end(Effect.fail(refusals.failed))
    const onReadable = () => {
      const chunk: unknown = client.read()
      if (!(chunk instanceof Uint8Array)) return
      bytes = Buffer.concat([bytes, chunk])
      const reading = read(bytes)
      if (reading._tag === "Left") return end(Effect.fail(reading.left))
      if (reading.right._tag === "None") return
      const { length, value } = reading.right.value
      stop()
      if (length < bytes.length) client.unshift(bytes.subarray(length))
      resume(Effect.succeed(value))
    }
    client.on("readable", onReadable)
    client.on("close", onClose)
    onReadable()
    return Effect.sync(stop)
  })

const say = (client: Socket, bytes: Uint8Array) => Effect.sync(() => client.write(bytes))

/** Carries bytes both ways until one side is gone; a server that breaks off must not look like one that has ended. */
const splice = (client: Socket, server: Socket) =>
  Effect.async<void>((resume) => {
    const done = () => resume(Effect.void)
    client.once("close", done)
    server.once("close", (broken) => {
      if (broken) client.destroy()
      else client.end()
      done()
    })
    client.pipe(server)
    server.pipe(client)
    if (client.destroyed || server.destroyed) done()
  })

/** `host:port` of an address, also where the port is the scheme's own. */
export const endpointOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`

const serve = Effect.fnUntraced(function* (client: Socket, refused: Set<string>) {
  const outbound = yield* Outbound
  const handshake = Effect.zipRight(
    Effect.zipRight(receive(client, readGreeting), say(client, welcome)),
    receive(client, readRequest)
  )
  const url = yield* Effect.timeoutFail(handshake, { duration: handshakeBound, onTimeout: () => refusals.failed })
  const [first, ...others] = yield* Effect.mapError(outbound.vet(url), refusalOf)
  if (first === undefined) return yield* Effect.fail(refusals.hostUnreachable)
  const { socket } = yield* dial([first, ...others], Number(url.port === "" ? 80 : url.port)).pipe(
    Effect.mapError(({ message }) => {
      if (message.includes("ECONNREFUSED")) refused.add(endpointOf(url))
      return refusals.connectionRefused
    }),
    Effect.timeoutFail({ duration: dialBound, onTimeout: () => refusals.hostUnreachable })
  )
  yield* say(client, reply(0))
  yield* splice(client, socket)
}, Effect.scoped)

const answer = (client: Socket, refused: Set<string>) =>
  serve(client, refused).pipe(
    Effect.catchAll((refusal) =>
      Effect.zipRight(
        Effect.logDebug("Blocked a connection of an audited page").pipe(Effect.annotateLogs({ refusal })),
        Effect.sync(() => client.end(reply(refusal)))
      )
    ),
    Effect.onInterrupt(() => Effect.sync(() => client.destroy()))
  )

/** A running proxy: its port, and the `host:port` of every server that refused a connection. */
interface GuardProxy {
  readonly port: number
  readonly refused: ReadonlySet<string>
}

/** Starts the proxy for as long as the scope lives. Its end closes every connection. */
export const guardProxy = Effect.gen(function* () {
  const refused = new Set<string>()
  const run = yield* FiberSet.makeRuntime<Outbound>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer({ noDelay: true }, (client) => {
        client.on("error", () => client.destroy())
        run(answer(client, refused))
      })
    ),
    (server) => Effect.sync(() => server.close())
  )
  server.maxConnections = largest
  return yield* Effect.async<GuardProxy, ListenFailed>((resume) => {
    server.once("error", () => resume(new ListenFailed()))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      resume(Effect.succeed({ port, refused }))
    })
  })
})
