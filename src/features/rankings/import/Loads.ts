import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Mutable } from "effect/Types"
import { fold } from "../../../foundation/text/Words.ts"
import {
  addDropped,
  type Batch,
  type Dropped,
  type ExportDays,
  type Incomplete,
  type Level,
  type Met,
  noneDropped,
  type RawRow,
  type SnapshotRow,
  type SnapshotTable,
  type Table
} from "../RawRow.ts"

/** The columns of a line, in order; `folded` is null where folding changes nothing. */
export const columns = [
  "part",
  "line",
  "day",
  "query",
  "page",
  "folded",
  "variant",
  "impressions",
  "clicks",
  "sum_top",
  "second",
  "spelling"
] as const

/** An import's numbers for the table and the variant of a row. */
interface Numbered {
  readonly part: (row: RawRow) => number
  readonly variant: (row: RawRow) => number
}

/** Writes a row as a line of PostgreSQL's `COPY … FROM STDIN` text format: tab-separated, backslash-escaped. */
export const line = (row: RawRow, { part, variant }: Numbered): string => {
  const folded = row.query === null ? null : fold(row.query)
  return `${part(row)}\t${row.line}\t${row.date}\t${nullable(row.query)}\t${nullable(row.page)}\t${folded === row.query ? "\\N" : nullable(folded)}\t${variant(row)}\t${row.impressions}\t${row.clicks}\t${row.sumTop}\t${row.seconds ?? "\\N"}\t${nullable(row.spelling)}\n`
}

/** The columns of a line of a table without dates, in order. */
export const snapshotColumns = ["part", "line", "key", "address", "impressions", "clicks", "sum_top"] as const

const snapshotLine = (part: number, { address, clicks, impressions, key, line, sumTop }: SnapshotRow) =>
  `${part}\t${line}\t${escaped(key)}\t${escaped(address)}\t${impressions}\t${clicks}\t${sumTop}\n`

const special = /[\\\t\n\r]/
const everySpecial = /[\\\t\n\r]/g
const replacements: { readonly [character: string]: string } = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }

/** A text, or null, as a cell. */
export const nullable = (text: string | null) => (text === null ? "\\N" : escaped(text))

const escaped = (text: string) =>
  special.test(text) ? text.replace(everySpecial, (character) => replacements[character] ?? character) : text

/** The number of rows, and their first and last day, null without rows. */
export const Extent = Schema.Struct({
  rows: Schema.Number,
  first_day: Schema.NullOr(Schema.String),
  last_day: Schema.NullOr(Schema.String)
})
export type Extent = typeof Extent.Type

/** The extent of no rows. */
export const nothing: Extent = { first_day: null, last_day: null, rows: 0 }

/** Whether a row counts in full. A row with an anonymised query counts for its page only, and as left out. */
const isWhole = ({ query, table }: RawRow) => query !== null || table.level !== "url"

/** The growth of a part of an import. Days as YYYY-MM-DD are ordered as texts. */
export const PartExtent = Schema.Struct({ ...Extent.fields, part: Schema.Int })
export type PartExtent = typeof PartExtent.Type

/** Keeps the extents of parts by number until they are taken. */
const measuring = () => {
  let parts = new Map<number, Mutable<PartExtent>>()
  const of = (part: number) => {
    const known = parts.get(part)
    if (known !== undefined) return known
    const made = { ...nothing, part }
    parts.set(part, made)
    return made
  }
  const addDay = (part: number, row: RawRow) => {
    const extent = of(part)
    if (extent.first_day === null || row.date < extent.first_day) extent.first_day = row.date
    if (extent.last_day === null || row.date > extent.last_day) extent.last_day = row.date
    if (isWhole(row)) extent.rows += 1
  }
  const add = (part: number) => {
    of(part).rows += 1
  }
  const take = (): ReadonlyArray<PartExtent> => {
    const taken = [...parts.values()]
    parts = new Map()
    return taken
  }
  return { add, addDay, take }
}

/** Two extents as one. */
export const joined = (a: Extent, b: Extent): Extent => {
  const firsts = [a.first_day, b.first_day].filter((day) => day !== null).sort()
  const lasts = [a.last_day, b.last_day].filter((day) => day !== null).sort()
  return { first_day: firsts.at(0) ?? null, last_day: lasts.at(-1) ?? null, rows: a.rows + b.rows }
}

/** A table of an import, with its file. */
export interface Part<T = Table> {
  readonly number: number
  readonly table: T
}

/** The tables of an import by number: with days, and without dates. */
export const partsOf = (tables: ReadonlyArray<Table | SnapshotTable>) => ({
  parts: tables.flatMap((table, number) => ("level" in table ? [{ number, table }] : [])),
  undated: tables.flatMap((table, number) => ("kind" in table ? [{ number, table }] : []))
})

/** The levels of a part's rows. */
export const levelsOf = ({ table }: Part): ReadonlyArray<Level> =>
  table.level === "url" ? ["queries", "pages"] : [table.level]

/** The most remembered variants, enough for ordinary data. When each row has a different address, memory must not grow with the rows. */
const remembered = 65_536

const lineOf = (number: number, { address, appearance, country, device }: RawRow) =>
  `${number}\t${[address, country, device, appearance].map(nullable).join("\t")}\n`

/**
 * Numbers the parts and the variants of an import in their order. A variant distinguishes facts of one day and text, and gets another number when it returns
 * long after. Stateful: one per import.
 */
export const numbering = () => {
  const numbers = new Map<Table | SnapshotTable, number>()
  const variants = new Map<string, number>()
  let [tables, lines, count] = [[] as (Table | SnapshotTable)[], "", 0]
  const part = ({ table }: RawRow | SnapshotRow): number => {
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
  /** Tables with numbers since the last call, in their order. */
  const newTables = (): ReadonlyArray<Table | SnapshotTable> => {
    const met = tables
    tables = []
    return met
  }
  /** Variants with numbers since the last call, as data of `COPY`. */
  const newVariants = () => {
    const met = lines
    lines = ""
    return met
  }
  return { newTables, newVariants, part, variant }
}

/** A piece of an import as data of `COPY`. The pieces add up to the import. */
export interface Load {
  /** Staged rows, a line each. */
  readonly rows: string | Uint8Array
  /** The new variants of rows, a line each. */
  readonly variants: string | Uint8Array
  /** Staged rows of tables without dates, a line each. */
  readonly snapshots: string | Uint8Array
  /** The new tables, which are numbered in this order. */
  readonly tables: ReadonlyArray<Table | SnapshotTable>
  /** The growth of each part by the rows of this load. */
  readonly extents: ReadonlyArray<PartExtent>
  readonly dropped: Dropped
  /** The days of exports, from the lists of filters and the charts that were read so far. */
  readonly exported: ReadonlyArray<ExportDays>
  /** Skipped tables, each with the reason. */
  readonly passedOver: ReadonlyArray<string>
  /** Days and hours of the rows. */
  readonly met: ReadonlyArray<Met>
  /** Days that are not final yet. */
  readonly incomplete: ReadonlyArray<Incomplete>
}

/** Characters of one load, plus or minus a row: each load becomes one `COPY`, or two. */
const enough = 512 * 1024

const noRest: Pick<Load, "dropped" | "exported" | "incomplete" | "met" | "passedOver"> = {
  dropped: noneDropped,
  exported: [],
  incomplete: [],
  met: [],
  passedOver: []
}

/** Makes loads of batches. Stateful: one per import. The caller takes all loads of `add` before it adds the next batch. */
export const loading = () => {
  const numbered = numbering()
  const extents = measuring()
  let [rows, snapshots, variants] = ["", "", ""]
  let rest = noRest
  const take = (): Load => {
    const load = { ...rest, extents: extents.take(), rows, snapshots, tables: numbered.newTables(), variants }
    rows = ""
    snapshots = ""
    variants = ""
    rest = noRest
    return load
  }
  const add = function* (batch: Batch): IterableIterator<Load> {
    rest = {
      dropped: addDropped(rest.dropped, batch.dropped),
      exported: [...rest.exported, ...(batch.exported === undefined ? [] : [batch.exported])],
      incomplete: [...rest.incomplete, ...(batch.incomplete ?? [])],
      met: [...rest.met, ...(batch.met ?? [])],
      passedOver: [...rest.passedOver, ...(batch.passedOver ?? [])]
    }
    for (const row of batch.rows) {
      rows += line(row, numbered)
      variants += numbered.newVariants()
      extents.addDay(numbered.part(row), row)
      if (rows.length + variants.length >= enough) yield take()
    }
    for (const row of batch.snapshots ?? []) {
      const part = numbered.part(row)
      snapshots += snapshotLine(part, row)
      extents.add(part)
      if (snapshots.length >= enough) yield take()
    }
  }
  return { add, end: take }
}

/** The loads of batches that are decoded in this process. */
export const ofBatches = <E, R>(batches: Stream.Stream<Batch, E, R>): Stream.Stream<Load, E, R> =>
  Stream.unwrap(
    Effect.sync(() => {
      const { add, end } = loading()
      return batches.pipe(
        Stream.flatMap((batch) => Stream.fromIteratorSucceed(add(batch), 1)),
        Stream.concat(Stream.sync(end))
      )
    })
  )
