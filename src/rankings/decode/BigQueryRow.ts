import { type Collector, collector } from "./Collector.ts"
import * as Numbers from "./Numbers.ts"
import type { Options } from "./Options.ts"

/** The fields of the bulk export's url table that rankings need. */
const required = ["data_date", "url", "query", "impressions", "clicks", "sum_position"] as const

/** Dimensions that a query over the table may have grouped away: rows with and without them must not be added up. */
const groupable = ["country", "device"] as const

/** Why a table with these fields is not the url table of a bulk export; undefined when it is. */
export const refusalOf = (fields: ReadonlyArray<string>): string | undefined => {
  if (fields.includes("sum_top_position") && !fields.includes("sum_position")) {
    return "this is the site table of the bulk export, which has no pages; export the url table (searchdata_url_impression)"
  }
  const missing = required.filter((name) => !fields.includes(name))
  return missing.length === 0 ? undefined : `no field ${missing.join(", ")}: not the url table of a bulk export`
}

/** The collector for a table with these fields. */
export const collectorOf = (fields: ReadonlyArray<string>, options: Options): Collector =>
  collector(options, ["bulk", ...groupable.filter((name) => fields.includes(name))].join(","), true)

/** Fields that set rows of one date, query and url apart, in a fixed order. */
export const apart = (fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.filter((name) => isGroupable(name) || (name.startsWith("is_") && name !== "is_anonymized_query")).sort()

const isGroupable = (name: string) => groupable.some((known) => known === name)

/**
 * Reads rows into the collector. The export does not consolidate its rows, so the numbers are a part of a row's identity:
 * rows that differ only there are parts of one sum. Positions are zero-based in this format.
 */
export const read = (rows: Collector, field: (name: string) => unknown, others: ReadonlyArray<string>) => {
  const type = field("search_type") ?? "WEB"
  if (typeof type !== "string" || type.toUpperCase() !== "WEB") return rows.drop("otherSearchType")
  const query = field("query") ?? ""
  if (query === "" || String(field("is_anonymized_query")).toLowerCase() === "true") return rows.drop("anonymised")
  const [date, page, site] = [field("data_date"), field("url"), field("site_url")]
  if (typeof date !== "string" || typeof page !== "string" || typeof query !== "string") {
    return "data_date, url and query are not all text"
  }
  const impressions = Numbers.integer(field("impressions"))
  const clicks = Numbers.integer(field("clicks"))
  const sum = Numbers.integer(field("sum_position"))
  if (!(sum >= 0)) return `sum_position ${JSON.stringify(field("sum_position"))} is not a whole number of at least 0`
  return rows.add({
    date,
    query,
    page,
    impressions,
    clicks,
    sumTop: sum + impressions,
    others: `${impressions} ${clicks} ${sum}${setApart(field, others)}`,
    ...(typeof site === "string" && site !== "" ? { site } : {})
  })
}

/** A flag that is off says as much as one that is absent: formats differ in which they write. */
const setApart = (field: (name: string) => unknown, others: ReadonlyArray<string>) => {
  let text = ""
  for (const name of others) {
    const value = String(field(name) ?? "")
    if (value !== "" && value !== "false") text += `\0${name}\0${value}`
  }
  return text
}
