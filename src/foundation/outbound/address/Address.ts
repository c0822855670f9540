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
