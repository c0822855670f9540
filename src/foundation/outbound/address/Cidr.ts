import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"
import { type Address, startsWith } from "./Address.ts"
import { isMapped } from "./EmbeddedIpv4.ts"

/** A range of addresses (RFC 4632, RFC 4291 §2.3). */
export interface Cidr {
  readonly network: Address
  readonly prefix: number
}

/** Reads `10.0.0.0/8` or `fd00::/8`; IPv4 needs four decimal parts. A range of IPv4-mapped addresses is the IPv4 range that it maps. */
export const parse = (text: string): Option.Option<Cidr> => {
  if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(text) && !ipaddr.IPv6.isValidCIDR(text)) return Option.none()
  const [address, prefix] = ipaddr.parseCIDR(text)
  const network = address.toByteArray()
  return Option.some(
    isMapped(network) && prefix >= 96 ? { network: network.slice(12), prefix: prefix - 96 } : { network, prefix }
  )
}

/** Whether the address is of the range's family and lies in it. */
export const contains = (cidr: Cidr, address: Address): boolean =>
  cidr.network.length === address.length && startsWith(address, cidr.network, cidr.prefix)
