import type { PageMetrics } from "./PageMetrics.ts"

/** The counts of all pages in columns, ordered by volume: what the tests over pages compute on, thousands of times. */
export interface PageTable {
  readonly size: number
  /** 1 for a page of the treatment arm. */
  readonly treated: Uint8Array
  readonly preImpressions: Float64Array
  readonly preConversions: Float64Array
  readonly postImpressions: Float64Array
  readonly postConversions: Float64Array
}

const key = (page: PageMetrics) => [
  page.preImpressions + page.postImpressions,
  page.preImpressions,
  page.preConversions,
  page.postConversions,
  page.arm === "control" ? 0 : 1
]

const byKey = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const at = a.findIndex((value, index) => value !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** The pages as a table; the order in which they were listed leaves no trace. */
export const pageTable = (pages: ReadonlyArray<PageMetrics>): PageTable => {
  const sorted = pages
    .map((page) => ({ key: key(page), page }))
    .sort((a, b) => byKey(a.key, b.key))
    .map(({ page }) => page)
  return {
    size: sorted.length,
    treated: Uint8Array.from(sorted, ({ arm }) => (arm === "treatment" ? 1 : 0)),
    preImpressions: Float64Array.from(sorted, ({ preImpressions }) => preImpressions),
    preConversions: Float64Array.from(sorted, ({ preConversions }) => preConversions),
    postImpressions: Float64Array.from(sorted, ({ postImpressions }) => postImpressions),
    postConversions: Float64Array.from(sorted, ({ postConversions }) => postConversions)
  }
}

/** A number of a column; the index is one of the table's. */
export const at = (column: Float64Array | Uint8Array, index: number): number => column[index] ?? 0
