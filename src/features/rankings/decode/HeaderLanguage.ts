import type { Style } from "./Numbers.ts"

/** The columns that a search performance table may have. */
export type Column = "date" | "query" | "page" | "clicks" | "impressions" | "ctr" | "position" | "country" | "device"

/** A language of the interface: how it writes numbers, and its names of the columns. */
export interface Language {
  readonly style: Style
  readonly names: { readonly [column in Column]?: ReadonlyArray<string> }
}

/** A language from its style and names. */
export const language = (style: Style, names: Language["names"]): Language => ({ style, names })
