/**
 * Platform adapter (`node:net`): a SOCKS5 proxy on 127.0.0.1 through which a browser reaches everything, itself included. Every connection is judged
 * and dialled here, so that no resource, frame, redirect, script or WebSocket of a page gets to an address that Findable does not visit. SOCKS carries
 * plain HTTP and TLS alike as bytes: what the browser measures is the server's own protocol.
 */
import { createServer, type Socket } from "node:net"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { Outbound, type OutboundError } from "../../../../foundation/outbound/Outbound.ts"
import { dial } from "../../../../foundation/outbound/socket/Tcp.ts"
import { type Reading, type Refusal, readGreeting, readRequest, refusals, reply, welcome } from "./Socks5.ts"

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
        Effect.logDebug("An audited page was refused a connection").pipe(Effect.annotateLogs({ refusal })),
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
