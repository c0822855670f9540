import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type { Level } from "../RawRow.ts"
import { type Candidate, collector } from "./Collector.ts"
import * as Countries from "./Countries.ts"
import * as CsvTable from "./CsvTable.ts"
import type { Reader } from "./Decoder.ts"
import * as Devices from "./Devices.ts"
import { type Column, columnOf, isComparedMetric } from "./Headers.ts"
import * as Numbers from "./Numbers.ts"
import type { Options } from "./Options.ts"

type Columns = ReadonlyMap<Column, number>

interface Layout {
  readonly columns: Columns
  readonly style: Numbers.Style
  readonly width: number
}

/** Reads tables with date (or a given one), query, page, clicks, impressions and position, under any known header names. */
export const reader = (file: string, options: Options): Reader =>
  CsvTable.reader(file, (header) => Either.map(layoutOf(header, options), (layout) => tableOf(file, layout, options)))

const layoutOf = (header: ReadonlyArray<string>, options: Options): Either.Either<Layout, string> => {
  const columns = new Map<Column, number>()
  let style: Numbers.Style = "dot"
  for (const [index, cell] of header.entries()) {
    const found = columnOf(cell)
    if (found === undefined) continue
    if (columns.has(found.column)) return Either.left(`two columns contain the ${found.column}`)
    columns.set(found.column, index)
    if (found.style === "comma") style = "comma"
  }
  const reason = refusalOf(columns, header, options)
  return reason === undefined ? Either.right({ columns, style, width: header.length }) : Either.left(reason)
}

/** Why a table cannot be imported, or undefined when it can. */
const refusalOf = (columns: Columns, header: ReadonlyArray<string>, options: Options): string | undefined => {
  if (header.filter((cell) => columnOf(cell) === undefined && isComparedMetric(cell)).length > 1) {
    return "this export compares two periods and has no days; export without the comparison, one day at a time"
  }
  if (columns.has("query") && columns.has("clicks") && !columns.has("page")) {
    return "this export has no pages: it does not say which page was shown for which query; use the API, a bulk export or a table by date, query and page"
  }
  const isNothing = !(["date", "query", "page", "country", "device"] as const).some((column) => columns.has(column))
  if (isNothing && columns.has("clicks")) {
    return "this export has none of the columns date, query, page, country and device: search appearances cannot be imported from a table; a bulk export has them"
  }
  const missing = requiredColumns(columns, options).filter((column) => !columns.has(column))
  if (missing.length === 0) return undefined
  const hint = missing.includes("date") ? " (the day of a table without dates can be given with --date)" : ""
  return `no column for ${missing.join(", ")}${hint}; the header is ${header.map((cell) => `"${cell}"`).join(", ")}`
}

const requiredColumns = (columns: Columns, options: Options): ReadonlyArray<Column> => [
  ...(options.date === undefined ? (["date"] as const) : []),
  ...(["clicks", "impressions", "position"] as const),
  ...(columns.has("clicks") || columns.has("impressions") ? [] : (["query", "page"] as const))
]

const tableOf = (file: string, { columns, style, width }: Layout, options: Options): CsvTable.Table => {
  const rows = collector(options, { exact: false, file, level: levelOf(columns) })
  const at = (column: Column) => columns.get(column) ?? -1
  const places = { clicks: at("clicks"), impressions: at("impressions"), position: at("position"), ctr: at("ctr") }
  const cell = (column: Column) => {
    const place = columns.get(column)
    return (cells: ReadonlyArray<string>) => (place === undefined ? undefined : cells[place])
  }
  const [date, query, page] = [cell("date"), cell("query"), cell("page")]
  const [country, device] = [cell("country"), cell("device")]
  return {
    collector: rows,
    onRecord: (cells, line) => {
      if (cells.length !== width) return `${cells.length} cells where the header has ${width}`
      const numbers = numbersOf(cells, places, style)
      if (typeof numbers === "string") return numbers
      return rows.add({
        ...numbers,
        date: date(cells) ?? options.date ?? "",
        ...defined("query", query(cells)),
        ...defined("page", page(cells)),
        ...defined("country", country(cells), Countries.codeOf),
        ...defined("device", device(cells), Devices.nameOf),
        line
      })
    }
  }
}

/** A key of an object, where there is a value. */
const defined = (name: string, value: string | undefined, read: (text: string) => string = identity) =>
  value === undefined ? {} : { [name]: read(value) }

const levelOf = (columns: Columns): Level =>
  columns.has("query") ? "queries" : columns.has("page") ? "pages" : "property"

const numbersOf = (
  cells: ReadonlyArray<string>,
  places: { readonly clicks: number; readonly impressions: number; readonly position: number; readonly ctr: number },
  language: Numbers.Style
): Pick<Candidate, "clicks" | "impressions" | "sumTop"> | string => {
  const cell = cells[places.position] ?? ""
  const style = Numbers.styleOf(cell, cells[places.ctr] ?? "", language)
  const clicks = Numbers.count(cells[places.clicks] ?? "", style)
  const impressions = Numbers.count(cells[places.impressions] ?? "", style)
  if (Number.isNaN(clicks)) return `clicks "${cells[places.clicks]}" are not a whole number of at least 0`
  if (Number.isNaN(impressions))
    return `impressions "${cells[places.impressions]}" are not a whole number of at least 0`
  if (impressions === 0) return { clicks, impressions, sumTop: 0 }
  const position = Numbers.position(cell)
  return position >= 1
    ? { clicks, impressions, sumTop: Numbers.sumOfPositions(position, impressions) }
    : `position "${cell}" is not a number of at least 1`
}
