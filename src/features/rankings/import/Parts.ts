import * as CopyText from "../decode/CopyText.ts"
import type { Level, RawRow, Table } from "../RawRow.ts"

/** A table of an import, and which of its files it came with. */
export interface Part {
  readonly number: number
  readonly table: Table
}

/** The levels that a part has rows for. */
export const levelsOf = ({ table }: Part): ReadonlyArray<Level> =>
  table.level === "url" ? ["queries", "pages"] : [table.level]

/** Names of variants that are remembered: of ordinary data all; where each row has an address of its own, memory must not grow with them. */
const remembered = 65_536

const lineOf = (number: number, { address, appearance, country, device }: RawRow) =>
  `${number}\t${[address, country, device, appearance].map(CopyText.nullable).join("\t")}\n`

/**
 * Numbers the parts and the variants of an import in the order in which they are met: a variant is what sets facts of one day and text apart, and has
 * another number when it comes again long after. Stateful: one import has one of these.
 */
export const numbering = () => {
  const numbers = new Map<Table, number>()
  const variants = new Map<string, number>()
  let [tables, lines, count] = [[] as Table[], "", 0]
  const part = ({ table }: RawRow): number => {
    const known = numbers.get(table)
    if (known !== undefined) return known
    const number = numbers.size
    numbers.set(table, number)
    tables.push(table)
    return number
  }
  const variant = (row: RawRow): number => {
    const name = `${row.address}\0${row.country ?? "\0"}\0${row.device ?? "\0"}\0${row.appearance ?? "\0"}`
    const known = variants.get(name)
    if (known !== undefined) return known
    if (variants.size === remembered) variants.clear()
    const number = count++
    variants.set(name, number)
    lines += lineOf(number, row)
    return number
  }
  /** Tables that got a number since the last call, in their order. */
  const newTables = (): ReadonlyArray<Table> => {
    const met = tables
    tables = []
    return met
  }
  /** Variants that got a number since the last call, as `COPY` takes them. */
  const newVariants = () => {
    const met = lines
    lines = ""
    return met
  }
  return { newTables, newVariants, part, variant }
}
