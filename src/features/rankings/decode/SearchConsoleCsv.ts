import * as Either from "effect/Either"
import { identity } from "effect/Function"
import { bareHost } from "../../../foundation/schema/Scalars.ts"
import { csvReader, type OnRecord } from "../../../foundation/text/Csv.ts"
import * as Property from "../Property.ts"
import { type Batch, type ExportDays, emptyBatch, type Level, type SnapshotKind } from "../RawRow.ts"
import {
  type Candidate,
  type Collector,
  collector,
  failing,
  type Options,
  type Reader,
  snapshotCollector
} from "./Collector.ts"
import * as Days from "./Days.ts"
import * as Filters from "./Filters.ts"
import { appearances, type Column, latinLanguages, otherLanguages } from "./HeaderNames.ts"
import * as Values from "./Values.ts"
import { codeOf, nameOf, type Style } from "./Values.ts"

/** A table with a known header: the collector of its rows, and the conversion of a record into a row. */
export interface Table {
  readonly collector: Pick<Collector, "take">
  readonly onRecord: OnRecord
}

/** Decides by the header whether a table can be imported; the left side is the reason of a refusal. */
type OnHeader = (header: ReadonlyArray<string>) => Either.Either<Table, string>

/** Reads a delimited file: the first line decides the delimiter and the table, and the rest are records. */
export const tableReader = (file: string, onHeader: OnHeader): Reader => {
  const csv = csvReader()
  let table: Table | undefined

  const onRecord: OnRecord = (cells, line) => {
    if (table !== undefined) return table.onRecord(cells, line)
    const made = onHeader(cells)
    if (Either.isLeft(made)) return made.left
    table = made.right
    return undefined
  }

  const read = (bytes: Uint8Array, last: boolean) => {
    const problem = csv.push(bytes, last, onRecord)
    if (problem !== undefined) return failing(file, problem.line, problem.reason)
    if (table === undefined)
      return last ? failing(file, 0, "the file is empty: it has no header line") : Either.right(emptyBatch)
    return Either.right(table.collector.take())
  }

  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}

export type { Column } from "./HeaderNames.ts"

const languages = [...latinLanguages, ...otherLanguages]

/** The name without case, blanks, accents and marks of direction, so composed and decomposed spellings match. */
const folded = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\u200e\u200f]/gu, "")
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .replace(/\s+/g, " ")
    .trim()

/** A recognised header cell: its column and the number style of its language. */
interface Known {
  readonly column: Column
  readonly style: Style
}

const known = new Map<string, Known>(
  languages.flatMap(({ names, style }) =>
    columns().flatMap((column) => (names[column] ?? []).map((name) => [folded(name), { column, style }] as const))
  )
)

function columns(): ReadonlyArray<Column> {
  return ["date", "query", "page", "clicks", "impressions", "ctr", "position", "country", "device"]
}

/** The column of a header cell in any known language; undefined for other cells. */
const columnOf = (cell: string): Known | undefined => known.get(folded(cell))

/** Whether a header cell names one of two compared periods of a metric, such as `Last 28 days Clicks`. */
const isComparedMetric = (cell: string): boolean => {
  const text = folded(cell)
  return metrics.some((name) => text !== name && (text.endsWith(` ${name}`) || text.startsWith(`${name} `)))
}

const metrics = languages.flatMap(({ names }) => [...(names.clicks ?? []), ...(names.impressions ?? [])]).map(folded)

type Columns = ReadonlyMap<Column, number>

/** Columns that distinguish rows beside the dimensions: the hour, the property, and the kind of search. */
type Beside = "hour" | "site" | "type"

const besides: ReadonlyMap<string, Beside> = new Map<string, Beside>([
  ["hour", "hour"],
  ["hours", "hour"],
  ["time", "hour"],
  ["timestamp", "hour"],
  ["site", "site"],
  ["site url", "site"],
  ["site_url", "site"],
  ["property", "site"],
  ["search type", "type"],
  ["search_type", "type"],
  ["searchtype", "type"],
  ["type", "type"]
])

/** Whether a header cell names a rate, such as `CTR (%)` beside `CTR`, which follows from clicks and impressions. */
const isRate = (cell: string) =>
  /\bctr\b|click.?through/i.test(cell) || columnOf(cell.replace(/\s*[(（]?[%％][)）]?\s*$/, ""))?.column === "ctr"

/** Whether a header cell names the row numbers of spreadsheets and pandas. */
const isNumbering = (cell: string) => /^(|#|index|unnamed: \d+)$/i.test(cell.trim())

interface Layout {
  readonly columns: Columns
  readonly beside: ReadonlyMap<Beside, number>
  /** Columns that number the rows. */
  readonly numbering: ReadonlyArray<number>
  readonly style: Values.Style
  readonly width: number
}

/** Reads tables with date (or a given date), query, page, clicks, impressions and position, under any known header names. */
export const reader = (file: string, options: Options): Reader =>
  tableReader(file, (header) =>
    Filters.isHeader(header)
      ? Either.right(Filters.table(file, options, isDimension))
      : Either.map(layoutOf(header, options), (layout) => tableOf(file, layout, options))
  )

const dimensions = ["query", "page", "country", "device"] as const

/** Whether a cell names a dimension of a table. Only this list recognises search appearances. */
const isDimension = (cell: string) =>
  isAppearance(cell) || dimensions.some((dimension) => columnOf(cell)?.column === dimension)

const appearanceNames = new Set(appearances.map(folded))
const isAppearance = (cell: string) => appearanceNames.has(folded(cell))

const kinds = { country: "countries", device: "devices", page: "pages", query: "queries" } as const

/**
 * The dimension of a table without dates, if it has only one. With a given day, pages, countries and devices are totals of that day. Queries alone are never
 * rows of days, which have pages too.
 */
const snapshotOf = (
  { beside, columns }: Pick<Layout, "beside" | "columns">,
  { date }: Options
): SnapshotKind | undefined => {
  const isDated = columns.has("date") || beside.has("hour")
  const [only, another] = isDated ? [] : dimensions.filter((dimension) => columns.has(dimension))
  if (only === undefined || another !== undefined) return undefined
  return date === undefined || only === "query" ? kinds[only] : undefined
}

const layoutOf = (header: ReadonlyArray<string>, options: Options): Either.Either<Layout, string> => {
  const columns = new Map<Column, number>()
  const beside = new Map<Beside, number>()
  const numbering: Array<number> = []
  const unknown: Array<string> = []
  let style: Values.Style = "dot"
  for (const [index, cell] of header.entries()) {
    const found = columnOf(cell)
    if (found === undefined) {
      const other = besides.get(folded(cell))
      if (other !== undefined && !beside.has(other)) beside.set(other, index)
      else if (isNumbering(cell)) numbering.push(index)
      else if (!isRate(cell)) unknown.push(cell)
      continue
    }
    if (columns.has(found.column)) return Either.left(`two columns contain the ${found.column}`)
    columns.set(found.column, index)
    if (found.style === "comma") style = "comma"
  }
  const reason = refusalOf(columns, beside, header, options) ?? unknownColumn(unknown)
  return reason === undefined
    ? Either.right({ beside, columns, numbering, style, width: header.length })
    : Either.left(reason)
}

/** Refuses unknown columns: rows that differ only in this column would look like a repeated fact, and rows of one of its values like the whole fact. */
const unknownColumn = (names: ReadonlyArray<string>) => {
  if (names.length === 0) return undefined
  const list = names.map((name) => `"${name}"`).join(", ")
  return `the column${names.length === 1 ? "" : "s"} ${list} ${names.length === 1 ? "is" : "are"} not known: rows that differ only there would count as one. Remove ${names.length === 1 ? "the column" : "the columns"}, or export the table without that dimension`
}

const listed = (cells: ReadonlyArray<string>) => cells.map((cell) => `"${cell}"`).join(", ")

/** Why a table cannot be imported; undefined for an importable table. */
const refusalOf = (
  columns: Columns,
  beside: Layout["beside"],
  header: ReadonlyArray<string>,
  options: Options
): string | undefined => {
  if (header.filter((cell) => columnOf(cell) === undefined && isComparedMetric(cell)).length > 1) {
    return "this export compares two periods. Export it without the comparison"
  }
  const isOfDays = snapshotOf({ beside, columns }, options) === undefined
  if (isOfDays && columns.has("query") && columns.has("clicks") && !columns.has("page")) {
    return "this export has no page column. Use the API, a bulk export, or a table by date, query and page"
  }
  const isNothing = !columns.has("date") && !beside.has("hour") && !dimensions.some((column) => columns.has(column))
  if (isNothing && header.some(isAppearance)) {
    return "this table lists search appearances, which a CSV export cannot provide by query and page. Use a bulk export"
  }
  if (isNothing && columns.has("clicks")) {
    return `no column is known as the date, query, page, country or device; the header is ${listed(header)}`
  }
  const missing = requiredColumns(columns, isOfDays && options.date === undefined).filter(
    (column) => !columns.has(column) && !(column === "date" && beside.has("hour"))
  )
  if (missing.length === 0) return undefined
  const hint = missing.includes("date") ? " (for a table without dates, set its date)" : ""
  return `no column for ${missing.join(", ")}${hint}; the header is ${listed(header)}`
}

const requiredColumns = (columns: Columns, isDated: boolean): ReadonlyArray<Column> => [
  ...(isDated ? (["date"] as const) : []),
  ...(["clicks", "impressions", "position"] as const),
  ...(columns.has("clicks") || columns.has("impressions") ? [] : (["query", "page"] as const))
]

const tableOf = (file: string, { beside, columns, numbering, style, width }: Layout, options: Options): Table => {
  const kind = snapshotOf({ beside, columns }, options)
  const level = levelOf(columns)
  const rows =
    kind === undefined
      ? collector(options, { exact: false, file, level }, beside.has("hour"))
      : snapshotCollector(options, { file, kind })
  const days = charted(file)
  const siteOf = sites(options)
  const at = (column: Column) => columns.get(column) ?? -1
  const places = { clicks: at("clicks"), impressions: at("impressions"), position: at("position"), ctr: at("ctr") }
  const cell = (column: Column) => {
    const place = columns.get(column)
    return (cells: ReadonlyArray<string>) => (place === undefined ? undefined : cells[place])
  }
  const [date, query, page] = [cell("date"), cell("query"), cell("page")]
  const [country, device] = [cell("country"), cell("device")]
  const besideOf = (name: Beside) => {
    const place = beside.get(name)
    return (cells: ReadonlyArray<string>) => (place === undefined ? undefined : cells[place])
  }
  const [hour, site, type] = [besideOf("hour"), besideOf("site"), besideOf("type")]
  const dateOf = (cells: ReadonlyArray<string>) => {
    const [day, time] = [date(cells) ?? options.date ?? "", hour(cells)]
    return time === undefined ? day : Days.withHour(day, time)
  }
  return {
    collector: level === "property" && kind === undefined ? { take: () => ({ ...rows.take(), ...days.said() }) } : rows,
    onRecord: (cells, line) => {
      if (cells.length !== width) return `${cells.length} cells where the header has ${width}`
      const text = numbering.map((place) => cells[place] ?? "").find((cell) => !/^\d*$/.test(cell))
      if (text !== undefined)
        return `"${text}" stands where only the number of a row may: rows that differ only there would count as one`
      const search = type(cells)?.trim().toLowerCase() ?? ""
      if (!searchTypes.has(search)) return `the search type "${search}" is not known`
      if (search !== "" && search !== "web") return rows.drop("otherSearchType")
      const place = siteOf(site(cells))
      if (place === "other") return rows.drop("otherHost")
      if (place !== undefined) return place.reason
      const numbers = numbersOf(cells, places, style)
      if (typeof numbers === "string") return numbers
      if (level === "property") days.add(dateOf(cells))
      return rows.add({
        ...numbers,
        date: dateOf(cells),
        ...defined("query", query(cells)),
        ...defined("page", page(cells)),
        ...defined("country", country(cells), codeOf),
        ...defined("device", device(cells), nameOf),
        ...defined("site", site(cells)),
        line
      })
    }
  }
}

/** The kinds of search that Search Console counts separately; most tables leave the kind empty. */
const searchTypes = new Set(["", "web", "image", "video", "news", "discover", "googlenews", "google news"])

/**
 * Checks the property of a row: without the site, the row belongs to another host. Two properties with the site count the same searches, so a table of both
 * would count each search twice.
 */
const sites = ({ host }: Options) => {
  let [first, other] = ["", ""]
  return (cell: string | undefined): "other" | { readonly reason: string } | undefined => {
    const name = cell?.trim() ?? ""
    if (name === first || name === "") return undefined
    if (name === other) return "other"
    const property = Property.parse(name.includes(":") ? name : `https://${name}/`)
    if (Either.isLeft(property)) return { reason: property.left }
    if (!Property.covers(property.right, bareHost(host))) {
      other = name
      return "other"
    }
    if (first !== "")
      return { reason: `the table has rows of two Search Console properties, ${first} and ${name}. Import one of them` }
    first = name
    return undefined
  }
}

/** The first and the last day of a table by day, including days without data. */
const charted = (file: string) => {
  let range: ExportDays["range"] = null
  const add = (text: string) => {
    const read = Days.read(text)
    if (!("day" in read)) return
    const { day } = read
    if (range === null) range = { end: day, start: day }
    else if (day < range.start) range = { ...range, start: day }
    else if (day > range.end) range = { ...range, end: day }
  }
  const said = (): Pick<Batch, "exported"> => ({ exported: { by: "chart", file, range } })
  return { add, said }
}

/** An object with the key if there is a value, else an empty object. */
const defined = (name: string, value: string | undefined, read: (text: string) => string = identity) =>
  value === undefined ? {} : { [name]: read(value) }

const levelOf = (columns: Columns): Level =>
  columns.has("query") ? "queries" : columns.has("page") ? "pages" : "property"

const isBlank = (cell: string | undefined) => cell !== undefined && cell.trim() === ""

const noNumbers = { clicks: 0, impressions: 0, sumTop: 0 }

const numbersOf = (
  cells: ReadonlyArray<string>,
  places: { readonly clicks: number; readonly impressions: number; readonly position: number; readonly ctr: number },
  language: Values.Style
): Pick<Candidate, "clicks" | "impressions" | "sumTop"> | string => {
  const cell = cells[places.position] ?? ""
  // A chart has such rows for days without data.
  if (isBlank(cells[places.clicks]) && isBlank(cells[places.impressions])) return noNumbers
  const style = Values.styleOf(cell, cells[places.ctr] ?? "", language)
  const clicks = Values.count(cells[places.clicks] ?? "", style)
  const impressions = Values.count(cells[places.impressions] ?? "", style)
  if (Number.isNaN(clicks)) return `clicks "${cells[places.clicks]}" are not a whole number of at least 0`
  if (Number.isNaN(impressions))
    return `impressions "${cells[places.impressions]}" are not a whole number of at least 0`
  if (impressions === 0) return { clicks, impressions, sumTop: 0 }
  const position = Values.position(cell)
  return position >= 1
    ? { clicks, impressions, sumTop: Values.sumOfPositions(position, impressions) }
    : `position "${cell}" is not a number of at least 1`
}
