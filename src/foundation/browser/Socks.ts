/** Platform adapter (`node:net`): the server's half of SOCKS5 (RFC 1928), for all connections of a browser. */
import { createServer, type Socket } from "node:net"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"

/** Reply codes of refused requests (RFC 1928 §6). */
export const refusals = {
  failed: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  connectionRefused: 5,
  commandNotSupported: 7,
  addressNotSupported: 8
} as const
export type Refusal = (typeof refusals)[keyof typeof refusals]

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

/** Reads the greeting (§3): its methods of authentication must include "none". */
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

/** The loopback interface of this machine cannot be listened on. */
export class ListenFailed extends Data.TaggedError("ListenFailed") {}

/** A browser opens 32 connections to a proxy at most. */
const largest = 128

const handshakeBound = "10 seconds"

/** Waits for a whole message of the client; further bytes stay in the socket. */
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

export const say = (client: Socket, bytes: Uint8Array) => Effect.sync(() => client.write(bytes))

/** `host:port` of an address, also where the port is the scheme's own. */
export const endpointOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`

/** Greets a client and reads its request. */
export const handshake = (client: Socket): Effect.Effect<URL, Refusal> =>
  Effect.zipRight(
    Effect.zipRight(receive(client, readGreeting), say(client, welcome)),
    receive(client, readRequest)
  ).pipe(Effect.timeoutFail({ duration: handshakeBound, onTimeout: () => refusals.failed }))

/** Serves the clients of a new port on 127.0.0.1 until the scope ends, which closes all connections. A client gets the code of its refusal. Returns the port. */
export const socksPort = Effect.fnUntraced(function* <R>(serve: (client: Socket) => Effect.Effect<void, Refusal, R>) {
  const run = yield* FiberSet.makeRuntime<R>()
  const answer = (client: Socket) =>
    serve(client).pipe(
      Effect.catchAll((refusal) =>
        Effect.zipRight(
          Effect.logDebug("Blocked a connection of a page").pipe(Effect.annotateLogs({ refusal })),
          Effect.sync(() => client.end(reply(refusal)))
        )
      ),
      Effect.onInterrupt(() => Effect.sync(() => client.destroy()))
    )
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer({ noDelay: true }, (client) => {
        client.on("error", () => client.destroy())
        run(answer(client))
      })
    ),
    (server) => Effect.sync(() => server.close())
  )
  server.maxConnections = largest
  return yield* Effect.async<number, ListenFailed>((resume) => {
    server.once("error", () => resume(new ListenFailed()))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
    })
  })
})

/** A port that refuses everything: the second wall around a browser with intercepted requests. `asked` has the `host:port` of each refused connection. */
export const refusingPort = Effect.gen(function* () {
  const asked = yield* Ref.make<ReadonlyArray<string>>([])
  const port = yield* socksPort((client) =>
    handshake(client).pipe(
      Effect.tap((url) => Ref.update(asked, (all) => [...all, endpointOf(url)])),
      Effect.zipRight(Effect.fail(refusals.notAllowed))
    )
  )
  return { asked: Ref.get(asked), port }
})
