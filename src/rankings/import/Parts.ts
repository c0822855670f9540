import type { Level, RawRow, Table } from "../RawRow.ts"

/** A table of an import, and which of its files it came with. */
export interface Part {
  readonly number: number
  readonly table: Table
}

/** What sets facts of one day and text apart, under the number that staged rows have for it. */
export interface Variant {
  readonly number: number
  readonly address: string
  readonly country: string | null
  readonly device: string | null
  readonly appearance: string | null
}

/** The levels that a part has rows for. */
export const levelsOf = ({ table }: Part): ReadonlyArray<Level> =>
  table.level === "url" ? ["queries", "pages"] : [table.level]

/** Numbers the parts and the variants of an import in the order in which they are met. Stateful: one import has one of these. */
export const numbering = () => {
  const parts: Array<Part> = []
  const numbers = new Map<Table, number>()
  const variants = new Map<string, Variant>()
  const part = ({ table }: RawRow): number => {
    const known = numbers.get(table)
    if (known !== undefined) return known
    const number = parts.length
    numbers.set(table, number)
    parts.push({ number, table })
    return number
  }
  const variant = ({ address, appearance, country, device }: RawRow): number => {
    const name = `${address}\0${country ?? "\0"}\0${device ?? "\0"}\0${appearance ?? "\0"}`
    const known = variants.get(name)
    if (known !== undefined) return known.number
    const number = variants.size
    variants.set(name, { address, appearance, country, device, number })
    return number
  }
  return { part, parts: (): ReadonlyArray<Part> => parts, variant, variants: () => variants.values() }
}
