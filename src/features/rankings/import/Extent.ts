import * as Schema from "effect/Schema"
import type { RawRow } from "../RawRow.ts"

/** How many rows there are, and the first and last of their days; null without rows. */
export const Extent = Schema.Struct({
  rows: Schema.Number,
  first_day: Schema.NullOr(Schema.String),
  last_day: Schema.NullOr(Schema.String)
})
export type Extent = typeof Extent.Type

/** The extent of no rows. */
export const nothing: Extent = { first_day: null, last_day: null, rows: 0 }

/** Rows whose query is anonymised count for their page only, and as left out. */
const isWhole = ({ query, table }: RawRow) => query !== null || table.level !== "url"

/** The extent with more rows in it. Days written YYYY-MM-DD are in order as texts. */
export const extended = (extent: Extent, rows: ReadonlyArray<RawRow>): Extent => {
  let [first, last, count] = [extent.first_day, extent.last_day, extent.rows]
  for (const row of rows) {
    if (first === null || row.date < first) first = row.date
    if (last === null || row.date > last) last = row.date
    if (isWhole(row)) count += 1
  }
  return { first_day: first, last_day: last, rows: count }
}

/** Two extents as one. */
export const joined = (a: Extent, b: Extent): Extent => {
  const firsts = [a.first_day, b.first_day].filter((day) => day !== null).sort()
  const lasts = [a.last_day, b.last_day].filter((day) => day !== null).sort()
  return { first_day: firsts.at(0) ?? null, last_day: lasts.at(-1) ?? null, rows: a.rows + b.rows }
}
