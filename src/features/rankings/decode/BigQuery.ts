import * as Either from "effect/Either"
import { emptyBatch, type Table } from "../RawRow.ts"
import { type Collector, collector, type Options, type Reader } from "./Collector.ts"
import * as Json from "./Json.ts"
import * as SearchConsoleCsv from "./SearchConsoleCsv.ts"
import { integer } from "./Values.ts"

/** The layout of a table of the bulk export: its level, its field of positions, and its flags of search appearance. */
interface Layout {
  readonly level: "url" | "property"
  readonly sum: "sum_position" | "sum_top_position"
  readonly hasCountry: boolean
  readonly hasDevice: boolean
  readonly flags: ReadonlyArray<string>
}

const counted = ["data_date", "impressions", "clicks"] as const

/** The required fields of each table; in JSON a null query may be absent. */
const required = {
  url: [...counted, "url", "query", "sum_position"],
  property: [...counted, "sum_top_position"]
} as const

/** The layout of a table with these fields, or why it is not from the bulk export. */
const tableLayout = (fields: ReadonlyArray<string>): Layout | string => {
  const level = fields.includes("sum_top_position") && !fields.includes("sum_position") ? "property" : "url"
  const missing = required[level].filter((name) => !fields.includes(name))
  if (missing.length > 0) return `no field ${missing.join(", ")}: not a table of a bulk export`
  return {
    level,
    sum: level === "url" ? "sum_position" : "sum_top_position",
    hasCountry: fields.includes("country"),
    hasDevice: fields.includes("device"),
    flags: fields.filter((name) => name.startsWith("is_") && !name.startsWith("is_anonymized_")).sort()
  }
}

/** The table with a layout in a file. */
const tableOf = (file: string, { level }: Layout): Table => ({ exact: true, file, level })

/** The collector of a table. */
const collectorOf = (file: string, layout: Layout, options: Options): Collector =>
  collector(options, tableOf(file, layout))

/** Reads rows into the collector. Positions are zero-based in this format. */
const read = (rows: Collector, field: (name: string) => unknown, layout: Layout, line: number) => {
  const type = field("search_type") ?? "WEB"
  if (typeof type !== "string" || type.toUpperCase() !== "WEB") return rows.drop("otherSearchType")
  const [date, site] = [dayOf(field("data_date")), field("site_url")]
  if (typeof date !== "string") return "data_date is not text"
  const impressions = integer(field("impressions"))
  const clicks = integer(field("clicks"))
  const sum = integer(field(layout.sum))
  if (!(sum >= 0)) return `${layout.sum} ${JSON.stringify(field(layout.sum))} is not a whole number of at least 0`
  const text = textOf(field, layout)
  if (typeof text === "string") return text
  return rows.add({
    ...text,
    ...dimensionsOf(field, layout),
    date,
    impressions,
    clicks,
    sumTop: sum + impressions,
    line,
    ...(typeof site === "string" && site !== "" ? { site } : {})
  })
}

/** A day in the export's form, or in the form of BigQuery's clients in JSON: `{"value": "2026-10-01"}`. */
const dayOf = (date: unknown) => (Json.isRecord(date) ? date.value : date)

/** Query and page of a row; the rows of a property add up all queries. */
const textOf = (field: (name: string) => unknown, { level }: Layout) => {
  if (level === "property") return {}
  const [page, query] = [field("url"), field("query") ?? ""]
  if (typeof page !== "string" || typeof query !== "string") return "url and query are not all text"
  return { page, query: String(field("is_anonymized_query")).toLowerCase() === "true" ? "" : query }
}

const dimensionsOf = (field: (name: string) => unknown, { flags, hasCountry, hasDevice }: Layout) => ({
  ...(hasCountry ? { country: String(field("country") ?? "").toLowerCase() } : {}),
  ...(hasDevice ? { device: String(field("device") ?? "").toUpperCase() } : {}),
  ...(flags.length > 0 ? { appearance: flags.filter((name) => isOn(field(name))).join(",") } : {})
})

const isOn = (flag: unknown) => String(flag).toLowerCase() === "true"

/** Reads a table of the bulk export as CSV. */
export const reader = (file: string, options: Options): Reader =>
  SearchConsoleCsv.tableReader(file, (cells) => {
    const header = cells.map((cell) => cell.trim())
    const layout = tableLayout(header)
    return typeof layout === "string" ? Either.left(layout) : Either.right(csvTable(file, header, layout, options))
  })

const csvTable = (
  file: string,
  header: ReadonlyArray<string>,
  layout: Layout,
  options: Options
): SearchConsoleCsv.Table => {
  const collector = collectorOf(file, layout, options)
  const places = new Map(header.map((name, index) => [name, index]))
  let current: ReadonlyArray<string> = []
  const field = (name: string) => {
    const place = places.get(name)
    const cell = place === undefined ? undefined : current[place]
    return cell === "" ? undefined : cell
  }
  return {
    collector,
    onRecord: (record, line) => {
      if (record.length !== header.length) return `${record.length} cells where the header has ${header.length}`
      current = record
      return read(collector, field, layout, line)
    }
  }
}

/** Reads a table of the bulk export as JSON: one object a line, or an array of objects. Null fields may be absent. */
export const bigQueryJsonReader = (file: string, options: Options): Reader => {
  const layoutOf = layouts()
  let level: Layout["level"] | undefined
  let rows: Collector | undefined
  const onObject: Json.OnObject = (json, line) => {
    const parsed = Json.parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    const row = parsed.right
    if (!Json.isRecord(row)) return "not an object"
    const layout = layoutOf(Object.keys(row))
    if (typeof layout === "string") return layout
    if (level !== undefined && level !== layout.level)
      return "the file mixes rows of both bulk export tables. Import each table in its own file"
    level = layout.level
    rows ??= collectorOf(file, layout, options)
    return read(rows, (name) => row[name], layout, line)
  }
  const objects = Json.reader(isRow, onObject, onDocument)
  return Json.jsonReader(file, objects, () => rows?.take() ?? emptyBatch)
}

/** Finds the layout once for consecutive rows with equal fields. */
const layouts = () => {
  let known: ReadonlyArray<string> = []
  let layout: Layout | string = "no fields"
  return (fields: ReadonlyArray<string>) => {
    if (fields.length === known.length && fields.every((field, index) => field === known[index])) return layout
    known = fields
    layout = tableLayout(fields.includes("query") ? fields : [...fields, "query"])
    return layout
  }
}

const isRow: Json.Selects = (open) => open.length === 0 || (open.length === 1 && open[0]?.kind === "[")

const onDocument: Json.OnDocument = (json) => {
  if (json === "0") return undefined
  const rest = Json.parse(json)
  if (Either.isLeft(rest)) return rest.left
  return Array.isArray(rest.right) && rest.right.every((value) => value === 0)
    ? undefined
    : "not rows of a BigQuery bulk export"
}
