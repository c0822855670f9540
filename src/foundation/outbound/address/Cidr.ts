import * as Config from "effect/Config"
import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"
import { listed } from "../../schema/Setting.ts"
import { type Address, isMapped, startsWith } from "./Address.ts"

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

/** A range as text: `127.0.0.0/8`, `::1/128`. */
export const textOf = ({ network, prefix }: Cidr): string =>
  `${ipaddr.fromByteArray([...network]).toString()}/${prefix}`

/** Whether the address is of the range's family and lies in it. */
export const contains = (cidr: Cidr, address: Address): boolean =>
  cidr.network.length === address.length && startsWith(address, cidr.network, cidr.prefix)

/** A setting that lists networks, none by default. */
export const networks = (variable: string) =>
  listed(variable, parse, "a network: give ranges such as 127.0.0.0/8 or fd00::/8, separated by commas")

/** The environment variable of the allowed networks. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

/** Ranges that outbound requests may reach although they are not global: none by default, for development and tests. */
export const AllowedNetworks = networks(variable).pipe(
  Config.withDescription(
    "networks (comma-separated CIDRs) that crawls and webhooks may reach although they are not public"
  )
)
