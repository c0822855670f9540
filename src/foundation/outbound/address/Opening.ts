import * as Option from "effect/Option"
import { type Address, embedded, startsWith } from "./Address.ts"
import { textOf, variable } from "./Cidr.ts"
import { ipv4, ipv6, ipv6Names, type SpecialRange } from "./SpecialRanges.ts"

// How an operator opens what was refused: the setting with its value.

const rangesOf = (bytes: number): ReadonlyArray<SpecialRange> => (bytes === 4 ? ipv4 : [...ipv6Names, ...ipv6])

const padded = ({ network, prefix }: SpecialRange, bytes: number): string =>
  textOf({ network: Array.from({ length: bytes }, (_, at) => network[at] ?? 0), prefix })

/** The range that opens an address: the special one that it, or the IPv4 address that it stands for, lies in; else the address alone. */
const rangeOf = (address: Address): string => {
  const judged = Option.getOrElse(embedded(address), () => address)
  const special = rangesOf(judged.length).find(({ network, prefix }) => startsWith(judged, network, prefix))
  return special === undefined
    ? textOf({ network: address, prefix: 8 * address.length })
    : padded(special, judged.length)
}

const allow = (ranges: ReadonlyArray<string>): string => {
  const value = [...new Set(ranges)].join(",")
  return value === "" ? `${variable} opens such ranges` : `${variable}=${value} allows it`
}

/** The setting that opens these addresses, in words. */
export const openingOf = (addresses: ReadonlyArray<Address>): string => allow(addresses.map(rangeOf))

/** The setting that opens every address of a kind: it says no more of an address than its kind does. */
export const openingOfKind = (kind: string): string =>
  allow(
    [4, 16].flatMap((bytes) => rangesOf(bytes).flatMap((range) => (range.kind === kind ? [padded(range, bytes)] : [])))
  )
