import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { equals, parse } from "./address/Address.ts"
import { vet } from "./address/Vet.ts"
import { Fault } from "./Fault.ts"
import type { Settings } from "./Settings.ts"
import type { Stopwatch } from "./Stopwatch.ts"
import { type Dialled, dial } from "./socket/Tcp.ts"
import { secure } from "./socket/Tls.ts"
import type { Host } from "./UrlRules.ts"

const reachesItsAddress = ({ socket, address }: Dialled) =>
  Option.getOrElse(Option.zipWith(parse(socket.remoteAddress ?? ""), parse(address), equals), () => false)

/** Looks a host up once and judges all its addresses. */
export const lookUp = Effect.fnUntraced(function* (host: Host, settings: Settings, watch: Stopwatch) {
  const addresses = yield* vet(host.name, settings.resolver, settings.allowed)
  if (addresses[0] !== host.name) yield* watch.lap("dnsMs")
  return addresses
})

/** Opens a connection to one of the vetted addresses of a host: dialled, and checked to be the one that was judged. */
export const connect = Effect.fnUntraced(function* (
  host: Host,
  addresses: Effect.Effect.Success<ReturnType<typeof lookUp>>,
  settings: Settings,
  watch: Stopwatch
) {
  const dialled = yield* dial(addresses, host.port)
  yield* watch.lap("connectMs")
  if (!reachesItsAddress(dialled)) {
    return yield* new Fault({ reason: "blocked_address", message: "The connection leads to another address" })
  }
  if (!host.secure) return { socket: dialled.socket, remoteAddress: dialled.address }
  const socket = yield* secure(dialled.socket, host.name, settings.authorities)
  yield* watch.lap("tlsMs")
  return { socket, remoteAddress: dialled.address }
})
