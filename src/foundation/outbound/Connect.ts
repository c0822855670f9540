import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { equals, parse } from "./address/Address.ts"
import { type Guard, vet } from "./address/Vet.ts"
import { Fault } from "./Outbound.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import { type Dialled, dial } from "./socket/Tcp.ts"
import { type Authorities, secure } from "./socket/Tls.ts"
import type { Host } from "./UrlRules.ts"

/** What a client judges hosts by, and the authorities that it trusts. */
export interface Settings extends Guard {
  readonly authorities: Authorities
}

const reachesItsAddress = ({ socket, address }: Dialled) =>
  Option.getOrElse(Option.zipWith(parse(socket.remoteAddress ?? ""), parse(address), equals), () => false)

/** Whether the host is an address literal, which needs no look-up. */
export const isLiteral = ({ name }: Host): boolean => Option.isSome(parse(name))

/** Judges all addresses of a host: the literal, or those that a look-up finds. */
export const judge = (host: Host, settings: Settings) => vet(host, settings)

/** The same for a name, whose look-up is timed. */
export const lookUp = (host: Host, settings: Settings, watch: Stopwatch) =>
  Effect.tap(judge(host, settings), () => Effect.sync(() => watch.lap("dnsMs")))

/** Opens a connection to one of the vetted addresses of a host, and checks that it leads there. */
export const connect = Effect.fnUntraced(function* (
  host: Host,
  addresses: Effect.Effect.Success<ReturnType<typeof judge>>,
  settings: Settings,
  watch: Stopwatch
) {
  const dialled = yield* dial(addresses, host.port)
  watch.lap("connectMs")
  if (!reachesItsAddress(dialled)) {
    return yield* new Fault({ reason: "blocked_address", message: "The connection leads to another address" })
  }
  if (!host.secure) return { sockets: [dialled.socket], remoteAddress: dialled.address } as const
  const socket = yield* secure(dialled.socket, host.name, settings.authorities)
  watch.lap("tlsMs")
  return { sockets: [socket, dialled.socket], remoteAddress: dialled.address } as const
})
