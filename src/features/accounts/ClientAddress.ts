import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Address from "../../foundation/outbound/address/Address.ts"
import { networks } from "../../foundation/outbound/address/AllowedNetworks.ts"
import { type Cidr, contains } from "../../foundation/outbound/address/Cidr.ts"
import { isMapped } from "../../foundation/outbound/address/EmbeddedIpv4.ts"

/** Proxies of the operator's own: only what they say about a caller's address is believed. */
export const TrustedProxies = networks("FINDABLE_TRUSTED_PROXIES").pipe(
  Config.withDescription("networks (comma-separated CIDRs) of proxies whose `X-Forwarded-For` is believed")
)

/** An entry of `X-Forwarded-For`: an address, which some proxies write with a port or in brackets. */
const entry = (text: string) =>
  Address.parse(/^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text)

/** IPv4 addresses that were mapped into IPv6 are IPv4 addresses. */
const plain = (address: Address.Address) => (isMapped(address) ? address.slice(12) : address)

/** A name for whoever is behind an address: of IPv6 the first 64 bits, since one customer has at least so many addresses (RFC 6177). */
const holder = (address: Address.Address) =>
  address.length === 4 ? address.join(".") : `${Buffer.from(address.slice(0, 8)).toString("hex")}/64`

/**
 * Who is behind a connection: its other end, or, while that is a trusted proxy, whoever the proxy says it had there. The list is read from the
 * right, as the proxies wrote it; what stands left of the first stranger is only a claim of that stranger.
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
