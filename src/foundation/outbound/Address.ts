import * as Config from "effect/Config"
import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"
import { listed } from "../schema/Setting.ts"

/** The 4 or 16 bytes of an IP address. Checks compare bytes, never text. */
export type Address = ReadonlyArray<number>

/** Reads an address in any spelling. An address with a zone names an interface of this machine and is refused. */
export const parse = (text: string): Option.Option<Address> =>
  ipaddr.isValid(text) && !text.includes("%") ? Option.some(ipaddr.parse(text).toByteArray()) : Option.none()

/** Whether the first `prefix` bits of the address equal the network's; missing bytes of the network count as 0. */
export const startsWith = (address: Address, network: Address, prefix: number): boolean =>
  address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index))
    return (byte ^ (network[index] ?? 0)) >> (8 - bits) === 0
  })

/** Whether two addresses are equal. */
export const equals = (one: Address, other: Address): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

const last = (address: Address) => address.slice(12)

/** Whether the address is in `::ffff:0:0/96` (RFC 4291 §2.5.5.2); the kernel uses IPv4 for it. */
export const isMapped = (address: Address): boolean =>
  address.length === 16 && startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96)

const isCompatible = (address: Address) => startsWith(address, [], 96) && !startsWith(address, [], 127)

const isTranslated = (address: Address) => startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96)

const isNat64 = (address: Address) => startsWith(address, [0x00, 0x64, 0xff, 0x9b], 96)

const isIsatap = (address: Address) =>
  [0x00, 0x02].some((flag) => startsWith(address.slice(8), [flag, 0x00, 0x5e, 0xfe], 32))

/**
 * The IPv4 address in an IPv6 address: mapped, compatible (RFC 4291), translated (SIIT, RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380, its
 * client), ISATAP (RFC 5214). The local NAT64 prefix (RFC 8215) has no fixed layout, so nothing is read from it.
 */
export const embedded = (address: Address): Option.Option<Address> => {
  if (address.length !== 16) return Option.none()
  if (isMapped(address) || isCompatible(address) || isTranslated(address) || isNat64(address)) {
    return Option.some(last(address))
  }
  if (startsWith(address, [0x20, 0x02], 16)) return Option.some(address.slice(2, 6))
  if (startsWith(address, [0x20, 0x01], 32)) return Option.some(last(address).map((byte) => byte ^ 0xff))
  return isIsatap(address) ? Option.some(last(address)) : Option.none()
}

/**
 * The part of the network that one machine has, as text: an IPv4 address, or the first 64 bits, a subnet, of an IPv6 address (RFC 4291 §2.5.4). Other text
 * stays unchanged.
 */
export const machineOf = (text: string): string =>
  Option.match(parse(text), {
    onNone: () => text,
    onSome: (address) => {
      const own = Option.getOrElse(embedded(address), () => address)
      return own.length === 4
        ? own.join(".")
        : `${ipaddr.fromByteArray([...own.slice(0, 8), ...own.slice(8).map(() => 0)])}/64`
    }
  })

/** A range of addresses (RFC 4632, RFC 4291 §2.3). */
export interface Cidr {
  readonly network: Address
  readonly prefix: number
}

/** Reads `10.0.0.0/8` or `fd00::/8`; IPv4 needs four decimal parts. A range of IPv4-mapped addresses becomes the IPv4 range. */
export const parseCidr = (text: string): Option.Option<Cidr> => {
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

/** Whether the address is in the range, which includes its family. */
export const contains = (cidr: Cidr, address: Address): boolean =>
  cidr.network.length === address.length && startsWith(address, cidr.network, cidr.prefix)

/** A setting with a list of networks, empty by default. */
export const networks = (variable: string) =>
  listed(variable, parseCidr, "a network: list ranges such as 127.0.0.0/8 or fd00::/8, separated by commas")

/** The environment variable of the allowed networks. */
export const variable = "FINDABLE_ALLOW_PRIVATE_NETWORKS"

/** Ranges that are not global but open to outbound requests, for development and tests; none by default. */
export const AllowedNetworks = networks(variable).pipe(
  Config.withDescription("Private networks that crawls and webhooks may reach, as comma-separated CIDRs")
)

/** A range outside the public Internet, with its name in two or three words. */
export interface SpecialRange {
  readonly network: Address
  readonly prefix: number
  readonly kind: string
}

const range = (kind: string, prefix: number, ...network: ReadonlyArray<number>): SpecialRange => ({
  network,
  prefix,
  kind
})

/** IPv4 ranges that are refused: IANA's special-purpose registry (RFC 6890), multicast, class E, and one metadata address outside of both. */
export const ipv4: ReadonlyArray<SpecialRange> = [
  range("this network", 8, 0),
  range("private", 8, 10),
  range("carrier-grade NAT", 10, 100, 64),
  range("loopback", 8, 127),
  range("cloud metadata", 32, 168, 63, 129, 16),
  range("link-local", 16, 169, 254),
  range("private", 12, 172, 16),
  range("protocol assignment", 24, 192, 0, 0),
  range("documentation", 24, 192, 0, 2),
  range("AS112", 24, 192, 31, 196),
  range("AMT", 24, 192, 52, 193),
  range("6to4 relay", 24, 192, 88, 99),
  range("private", 16, 192, 168),
  range("AS112", 24, 192, 175, 48),
  range("benchmarking", 15, 198, 18),
  range("documentation", 24, 198, 51, 100),
  range("documentation", 24, 203, 0, 113),
  range("multicast", 4, 224),
  range("reserved", 4, 240)
]

/** The only IPv6 range with global unicast addresses so far (RFC 4291 §2.4, IANA). */
export const globalUnicast = range("global unicast", 3, 0x20)

/** IPv6 ranges outside of global unicast with names for messages. Ranges without a name are refused too. */
export const ipv6Names: ReadonlyArray<SpecialRange> = [
  range("unspecified", 128),
  range("loopback", 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
  range("local NAT64", 48, 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01),
  range("discard-only", 64, 0x01),
  range("segment routing", 16, 0x5f),
  range("unique local", 7, 0xfc),
  range("link-local", 10, 0xfe, 0x80),
  range("site-local", 10, 0xfe, 0xc0),
  range("multicast", 8, 0xff)
]

/** Refused IPv6 ranges inside of global unicast. `2001::/23` holds Teredo, benchmarking, ORCHID, AMT and AS112. */
export const ipv6: ReadonlyArray<SpecialRange> = [
  range("protocol assignment", 23, 0x20, 0x01),
  range("documentation", 32, 0x20, 0x01, 0x0d, 0xb8),
  range("6to4", 16, 0x20, 0x02),
  range("AS112", 48, 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00),
  range("6bone", 16, 0x3f, 0xfe),
  range("documentation", 20, 0x3f, 0xff)
]

const kindIn = (ranges: ReadonlyArray<SpecialRange>, address: Address) =>
  Option.map(
    Option.fromNullable(ranges.find((range) => startsWith(address, range.network, range.prefix))),
    (range) => range.kind
  )

/** The special range of an address, in two or three words; none for a global unicast address. */
const special = (address: Address): Option.Option<string> => {
  if (address.length === 4) return kindIn(ipv4, address)
  if (Option.isSome(embedded(address))) return Option.some("IPv4 embedded in IPv6")
  return startsWith(address, globalUnicast.network, globalUnicast.prefix)
    ? kindIn(ipv6, address)
    : Option.orElseSome(kindIn(ipv6Names, address), () => "not global unicast")
}

/**
 * Why an address may not be dialled; none for global unicast and for addresses in an allowed range. An allowed IPv4 range also opens the IPv6 forms of its
 * addresses. An allowed range of such forms, such as NAT64's, opens only the forms of global IPv4 addresses.
 */
export const refusal = (address: Address, allowed: ReadonlyArray<Cidr>): Option.Option<string> => {
  const opened = (candidate: Address) => allowed.some((cidr) => contains(cidr, candidate))
  const inner = embedded(address)
  if (Option.isNone(inner)) return opened(address) ? Option.none() : special(address)
  if (opened(inner.value)) return Option.none()
  return opened(address) ? special(inner.value) : special(address)
}

// How an administrator opens refused addresses: the setting with its value.

const rangesOf = (bytes: number): ReadonlyArray<SpecialRange> => (bytes === 4 ? ipv4 : [...ipv6Names, ...ipv6])

const padded = ({ network, prefix }: SpecialRange, bytes: number): string =>
  textOf({ network: Array.from({ length: bytes }, (_, at) => network[at] ?? 0), prefix })

/** The range that opens an address: the special range of the address, or of the IPv4 address in it; else the address alone. */
const rangeOf = (address: Address): string => {
  const judged = Option.getOrElse(embedded(address), () => address)
  const special = rangesOf(judged.length).find(({ network, prefix }) => startsWith(judged, network, prefix))
  return special === undefined
    ? textOf({ network: address, prefix: 8 * address.length })
    : padded(special, judged.length)
}

const allow = (ranges: ReadonlyArray<string>): string => {
  const value = [...new Set(ranges)].join(",")
  return value === "" ? `set ${variable} to allow such ranges` : `set ${variable}=${value} to allow it`
}

/** The setting that opens these addresses, in words. */
export const openingOf = (addresses: ReadonlyArray<Address>): string => allow(addresses.map(rangeOf))

/** The setting that opens every address of a kind, and so reveals no more of an address than its kind. */
export const openingOfKind = (kind: string): string =>
  allow(
    [4, 16].flatMap((bytes) => rangesOf(bytes).flatMap((range) => (range.kind === kind ? [padded(range, bytes)] : [])))
  )
