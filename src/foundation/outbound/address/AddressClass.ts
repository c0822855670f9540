import * as Option from "effect/Option"
import { type Address, embedded, startsWith } from "./Address.ts"
import { type Cidr, contains } from "./Cidr.ts"
import { globalUnicast, ipv4, ipv6, ipv6Names, type SpecialRange } from "./SpecialRanges.ts"

const kindIn = (ranges: ReadonlyArray<SpecialRange>, address: Address) =>
  Option.map(
    Option.fromNullable(ranges.find((range) => startsWith(address, range.network, range.prefix))),
    (range) => range.kind
  )

/** What makes an address unfit for the public Internet, in two or three words; none for a global unicast address. */
const special = (address: Address): Option.Option<string> => {
  if (address.length === 4) return kindIn(ipv4, address)
  if (Option.isSome(embedded(address))) return Option.some("IPv4 embedded in IPv6")
  return startsWith(address, globalUnicast.network, globalUnicast.prefix)
    ? kindIn(ipv6, address)
    : Option.orElseSome(kindIn(ipv6Names, address), () => "not global unicast")
}

/**
 * Why an address may not be dialled, none when it may: it is global unicast, or an allowed range opens it. An allowed IPv4 range opens the
 * IPv6 forms of its addresses too; an allowed range of such forms (say NAT64's) opens only those that stand for a global IPv4 address.
 */
export const refusal = (address: Address, allowed: ReadonlyArray<Cidr>): Option.Option<string> => {
  const opened = (candidate: Address) => allowed.some((cidr) => contains(cidr, candidate))
  const inner = embedded(address)
  if (Option.isNone(inner)) return opened(address) ? Option.none() : special(address)
  if (opened(inner.value)) return Option.none()
  return opened(address) ? special(inner.value) : special(address)
}
