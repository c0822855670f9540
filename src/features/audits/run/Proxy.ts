/**
 * Platform adapter (`node:net`): a SOCKS5 proxy on 127.0.0.1 for all connections of a browser. It checks and opens every connection, so no resource, frame,
 * redirect, script or WebSocket of a page reaches an address that Findable does not visit. SOCKS carries HTTP and TLS unchanged, so the browser measures the
 * server's protocol.
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

/** Carries bytes both ways until one side ends. A broken connection of the server breaks the client's too, and does not look like an end. */
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

/** A running proxy: its port, and the `host:port` of each server that refused a connection. */
interface GuardProxy {
  readonly port: number
  readonly refused: ReadonlySet<string>
}

/** Starts the proxy until the scope ends, which closes all connections. */
export const guardProxy = Effect.gen(function* () {
  const refused = new Set<string>()
  const port = yield* socksPort((client) => serve(client, refused))
  const proxy: GuardProxy = { port, refused }
  return proxy
})
