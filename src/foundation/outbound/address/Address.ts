import * as Option from "effect/Option"
import ipaddr from "ipaddr.js"

/** The bytes of an IP address: 4 of them, or 16. All judgements are made on these, never on text. */
export type Address = ReadonlyArray<number>

/** Reads an address in any spelling; one with a zone names an interface of this machine and is none for us. */
export const parse = (text: string): Option.Option<Address> =>
  ipaddr.isValid(text) && !text.includes("%") ? Option.some(ipaddr.parse(text).toByteArray()) : Option.none()

/** Whether the first `prefix` bits of the address are those of the network; bytes that the network leaves out are 0. */
export const startsWith = (address: Address, network: Address, prefix: number): boolean =>
  address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index))
    return (byte ^ (network[index] ?? 0)) >> (8 - bits) === 0
  })

/** Whether two addresses are the same one. */
export const equals = (one: Address, other: Address): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])
