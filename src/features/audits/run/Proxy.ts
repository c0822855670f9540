/**
 * Platform adapter (`node:net`): a SOCKS5 proxy on 127.0.0.1 through which a browser reaches everything, itself included. Every connection is judged
 * and dialled here, so that no resource, frame, redirect, script or WebSocket of a page gets to an address that Findable does not visit. SOCKS carries
 * plain HTTP and TLS alike as bytes: what the browser measures is the server's own protocol.
 */
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import {
  endpointOf,
  handshake,
  type Refusal,
  refusals,
  reply,
  say,
  socksPort
} from "../../../foundation/browser/Socks.ts"
import { Outbound, type OutboundError } from "../../../foundation/outbound/Outbound.ts"
import { dial } from "../../../foundation/outbound/Socket.ts"

const dialBound = "30 seconds"

const refusalOf = ({ reason }: OutboundError): Refusal =>
  reason === "dns" ? refusals.hostUnreachable : refusals.notAllowed

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

const serve = Effect.fnUntraced(function* (client: Socket, refused: Set<string>) {
  const outbound = yield* Outbound
  const url = yield* handshake(client)
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

/** A running proxy: its port, and the `host:port` of every server that refused a connection. */
interface GuardProxy {
  readonly port: number
  readonly refused: ReadonlySet<string>
}

/** Starts the proxy for as long as the scope lives. Its end closes every connection. */
export const guardProxy = Effect.gen(function* () {
  const refused = new Set<string>()
  const port = yield* socksPort((client) => serve(client, refused))
  const proxy: GuardProxy = { port, refused }
  return proxy
})
