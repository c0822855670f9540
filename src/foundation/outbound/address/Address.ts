import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"

/** The 4 or 16 bytes of an IP address. Addresses are judged by these, never by text. */
export type Address = ReadonlyArray<number>

/** Reads an address in any spelling. One with a zone names an interface of this machine and is refused. */
export const parse = (text: string): Option.Option<Address> =>
  ipaddr.isValid(text) && !text.includes("%") ? Option.some(ipaddr.parse(text).toByteArray()) : Option.none()

/** Whether the first `prefix` bits of the address equal the network's; missing bytes of the network count as 0. */
export const startsWith = (address: Address, network: Address, prefix: number): boolean =>
  address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index))
    return (byte ^ (network[index] ?? 0)) >> (8 - bits) === 0
  })

/** Whether two addresses are the same one. */
export const equals = (one: Address, other: Address): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

const last = (address: Address) => address.slice(12)

/** Whether the address is `::ffff:0:0/96` (RFC 4291 §2.5.5.2): the kernel speaks IPv4 for it. */
export const isMapped = (address: Address): boolean =>
  address.length === 16 && startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96)

const isCompatible = (address: Address) => startsWith(address, [], 96) && !startsWith(address, [], 127)

const isTranslated = (address: Address) => startsWith(address, [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff], 96)

const isNat64 = (address: Address) => startsWith(address, [0x00, 0x64, 0xff, 0x9b], 96)

const isIsatap = (address: Address) =>
  [0x00, 0x02].some((flag) => startsWith(address.slice(8), [flag, 0x00, 0x5e, 0xfe], 32))

/**
 * The IPv4 address that an IPv6 address stands for: mapped, compatible (RFC 4291), translated (SIIT, RFC 2765), NAT64 (RFC 6052), 6to4
 * (RFC 3056), Teredo (RFC 4380, its client), ISATAP (RFC 5214). The local NAT64 prefix (RFC 8215) has no fixed layout, so nothing is read out of it.
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

/** What one machine has of the network, as text: an IPv4 address, or the 64 bits that a subnet of IPv6 has (RFC 4291 §2.5.4). Other text stays as it is. */
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
