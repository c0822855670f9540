import { type Column, latinLanguages } from "./HeaderNames.ts"
import type { Style } from "./Numbers.ts"
import { otherLanguages } from "./OtherHeaderNames.ts"

export type { Column } from "./HeaderNames.ts"

const languages = [...latinLanguages, ...otherLanguages]

/** Case, blanks, accents and marks of direction set aside, so that composed and decomposed spellings meet. */
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

/** The column that a header cell names, in any of the languages known; undefined when it names none. */
export const columnOf = (cell: string): Known | undefined => known.get(folded(cell))

/** Whether a header cell names one of two compared periods of a metric, such as `Last 28 days Clicks`. */
export const isComparedMetric = (cell: string): boolean => {
  const text = folded(cell)
  return metrics.some((name) => text !== name && (text.endsWith(` ${name}`) || text.startsWith(`${name} `)))
}

const metrics = languages.flatMap(({ names }) => [...(names.clicks ?? []), ...(names.impressions ?? [])]).map(folded)
