import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "../../foundation/outbound/address/Address.ts"
import { isMapped } from "../../foundation/outbound/address/Address.ts"
import { type Cidr, contains, networks } from "../../foundation/outbound/address/Cidr.ts"

/** The operator's own proxies: only they are trusted to name a caller's address. */
export const TrustedProxies = networks("FINDABLE_TRUSTED_PROXIES").pipe(
  Config.withDescription("networks (comma-separated CIDRs) of proxies whose `X-Forwarded-For` is trusted")
)

/** An entry of `X-Forwarded-For`: an address, which some proxies write with a port or in brackets. */
const entry = (text: string) =>
  Address.parse(/^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text)

/** IPv4 addresses that were mapped into IPv6 are IPv4 addresses. */
const plain = (address: Address.Address) => (isMapped(address) ? address.slice(12) : address)

/** The name under which an address is counted: the /64 network of an IPv6 address, since a customer has at least that many addresses (RFC 6177). */
const holder = (address: Address.Address) =>
  address.length === 4 ? address.join(".") : `${Buffer.from(address.slice(0, 8)).toString("hex")}/64`

/**
 * The client of a connection: its peer or, while that is a trusted proxy, the address that the proxy names. The list is read from the right, in the
 * order in which the proxies wrote it; entries left of the first untrusted address are only that client's claims.
 */
export const clientOf = (
  trusted: ReadonlyArray<Cidr>,
  remote: Option.Option<string>,
  forwarded: string | undefined
): string => {
  const peer = Option.map(Option.flatMap(remote, Address.parse), plain)
  if (Option.isNone(peer)) return Option.getOrElse(remote, () => "unknown")
  const isTrusted = (address: Address.Address) => trusted.some((cidr) => contains(cidr, address))
  const claimed = (forwarded ?? "").split(",").map((part) => entry(part.trim()))
  let client = peer.value
  while (isTrusted(client)) {
    const next = claimed.pop()
    if (next === undefined || Option.isNone(next)) break
    client = plain(next.value)
  }
  return holder(client)
}

/** The same for requests of this server, with the proxies that are configured. */
export const make = Effect.map(
  TrustedProxies,
  (trusted) => (request: HttpServerRequest.HttpServerRequest) =>
    clientOf(trusted, request.remoteAddress, request.headers["x-forwarded-for"])
)
