import { fold } from "../Fold.ts"
import type { RawRow } from "../RawRow.ts"

/** The columns of a line, in order; `folded` is null where folding changes nothing. */
export const columns = [
  "part",
  "day",
  "query",
  "page",
  "folded",
  "variant",
  "impressions",
  "clicks",
  "sum_top"
] as const

/** Writes rows of one part as lines of PostgreSQL's `COPY … FROM STDIN` text format: tab-separated, backslash-escaped. */
export const lines = (part: number, rows: ReadonlyArray<RawRow>): string => {
  let text = ""
  for (const row of rows) {
    const folded = fold(row.query)
    text += `${part}\t${row.date}\t${escaped(row.query)}\t${escaped(row.page)}\t${folded === row.query ? "\\N" : escaped(folded)}\t${row.variant}\t${row.impressions}\t${row.clicks}\t${row.sumTop}\n`
  }
  return text
}

const special = /[\\\t\n\r]/
const everySpecial = /[\\\t\n\r]/g
const replacements: { readonly [character: string]: string } = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }

const escaped = (text: string) =>
  special.test(text) ? text.replace(everySpecial, (character) => replacements[character] ?? character) : text
