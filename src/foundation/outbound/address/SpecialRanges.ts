import type { Address } from "./Address.ts"

/** A range that is not for the public Internet, and what it is in two or three words. */
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

/** The only IPv6 range from which global unicast addresses are given out (RFC 4291 §2.4, IANA). */
export const globalUnicast = range("global unicast", 3, 0x20)

/** IPv6 ranges outside of global unicast, named for the message only: all of them are refused, also those without a name. */
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

/** IPv6 ranges inside of global unicast that are refused. `2001::/23` holds Teredo, benchmarking, ORCHID, AMT and AS112. */
export const ipv6: ReadonlyArray<SpecialRange> = [
  range("protocol assignment", 23, 0x20, 0x01),
  range("documentation", 32, 0x20, 0x01, 0x0d, 0xb8),
  range("6to4", 16, 0x20, 0x02),
  range("AS112", 48, 0x26, 0x20, 0x00, 0x4f, 0x80, 0x00),
  range("6bone", 16, 0x3f, 0xfe),
  range("documentation", 20, 0x3f, 0xff)
]
