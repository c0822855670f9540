import type { Table } from "../RawRow.ts"
import { type Collector, collector } from "./Collector.ts"
import * as Numbers from "./Numbers.ts"
import type { Options } from "./Options.ts"

/** What a table of the bulk export is made of: its level, the field of its positions, and the flags of search appearance in it. */
export interface Layout {
  readonly level: "url" | "property"
  readonly sum: "sum_position" | "sum_top_position"
  readonly hasCountry: boolean
  readonly hasDevice: boolean
  readonly flags: ReadonlyArray<string>
}

const counted = ["data_date", "impressions", "clicks"] as const

/** The fields that each table has; a query that is null may be absent in JSON. */
const required = {
  url: [...counted, "url", "query", "sum_position"],
  property: [...counted, "sum_top_position"]
} as const

/** The layout of a table with these fields, or why it is none of the bulk export. */
export const layoutOf = (fields: ReadonlyArray<string>): Layout | string => {
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
export const collectorOf = (file: string, layout: Layout, options: Options): Collector =>
  collector(options, tableOf(file, layout))

/** Reads rows into the collector. Positions are zero-based in this format. */
export const read = (rows: Collector, field: (name: string) => unknown, layout: Layout, line: number) => {
  const type = field("search_type") ?? "WEB"
  if (typeof type !== "string" || type.toUpperCase() !== "WEB") return rows.drop("otherSearchType")
  const [date, site] = [field("data_date"), field("site_url")]
  if (typeof date !== "string") return "data_date is not text"
  const impressions = Numbers.integer(field("impressions"))
  const clicks = Numbers.integer(field("clicks"))
  const sum = Numbers.integer(field(layout.sum))
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
