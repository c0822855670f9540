import { fold } from "../../../foundation/text/Words.ts"
import type { RawRow } from "../RawRow.ts"

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
  "sum_top"
] as const

/** The numbers that an import has given to what a row came from, and to what sets it apart. */
interface Numbered {
  readonly part: (row: RawRow) => number
  readonly variant: (row: RawRow) => number
}

/** Writes a row as a line of PostgreSQL's `COPY … FROM STDIN` text format: tab-separated, backslash-escaped. */
export const line = (row: RawRow, { part, variant }: Numbered): string => {
  const folded = row.query === null ? null : fold(row.query)
  return `${part(row)}\t${row.line}\t${row.date}\t${nullable(row.query)}\t${nullable(row.page)}\t${folded === row.query ? "\\N" : nullable(folded)}\t${variant(row)}\t${row.impressions}\t${row.clicks}\t${row.sumTop}\n`
}

const special = /[\\\t\n\r]/
const everySpecial = /[\\\t\n\r]/g
const replacements: { readonly [character: string]: string } = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }

/** A text as a cell, null as what stands for it. */
export const nullable = (text: string | null) => (text === null ? "\\N" : escaped(text))

const escaped = (text: string) =>
  special.test(text) ? text.replace(everySpecial, (character) => replacements[character] ?? character) : text
