/** Platform adapter: `node:tls` over a dialled connection; the certificate must prove the URL's host. */
import type { Socket } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { parse } from "../address/Address.ts"
import { Fault } from "../Outbound.ts"
import { makeOutcome } from "./Tcp.ts"

/** Certificate authorities (PEM) to trust instead of the system's; none means the system's. */
export type Authorities = ReadonlyArray<string>

/** TLS sessions of the last hosts, which shorten the next handshake with one (RFC 8446 §2.2). */
const remembered = 1000
const sessions = new Map<string, Buffer>()
const remember = (name: string, session: Buffer) => {
  sessions.delete(name)
  const [oldest] = sessions.keys()
  if (sessions.size >= remembered && oldest !== undefined) sessions.delete(oldest)
  sessions.set(name, session)
}

const begin = (socket: Socket, name: string, authorities: Authorities) => {
  // An address is proved by its own entry in the certificate and must not be sent as a server name (RFC 6066 §3).
  const isAddress = Option.isSome(parse(name))
  const host = isAddress ? name : name.replace(/\.$/, "")
  // A session is valid only for the authorities that it was made under.
  const key = `${host}:${socket.remotePort} ${authorities.join()}`
  const session = sessions.get(key)
  const secured = connect({
    socket,
    host,
    servername: isAddress ? "" : host,
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
    ...(authorities.length === 0 ? {} : { ca: [...authorities] }),
    ...(session === undefined ? {} : { session })
  })
  secured.on("session", (ticket) => remember(key, ticket))
  const { awaited: ready, settle } = makeOutcome()
  const fail = (message: string) =>
    settle(new Fault({ reason: "tls", message: `No secure connection can be made (${message})` }))
  secured.once("secureConnect", () => settle(Effect.void))
  secured.on("error", (error) => fail(error.message))
  secured.once("close", () => fail("closed"))
  return { secured, ready }
}

/** Makes a connection secure, with the URL's host as server name. */
export const secure = (
  socket: Socket,
  name: string,
  authorities: Authorities
): Effect.Effect<TLSSocket, Fault, Scope.Scope> =>
  Effect.gen(function* () {
    const { secured, ready } = yield* Effect.acquireRelease(
      Effect.sync(() => begin(socket, name, authorities)),
      ({ secured }) => Effect.sync(() => secured.destroy())
    )
    yield* ready
    return secured
  })
