import { type Steps, sorted } from "../../../../foundation/schema/Steps.ts"
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

const volume = (page: PageMetrics) => page.preImpressions + page.postImpressions

const rank = ({ arm }: PageMetrics) => (arm === "control" ? 0 : 1)

const byVolume = (a: PageMetrics, b: PageMetrics): number =>
  volume(a) - volume(b) ||
  a.preImpressions - b.preImpressions ||
  a.preConversions - b.preConversions ||
  a.postConversions - b.postConversions ||
  rank(a) - rank(b)

/** The cost of sorting a page, in characters. */
const sorting = 20

/** The pages as a table; the order in which they were listed leaves no trace. */
export const pageTable = function* (pages: ReadonlyArray<PageMetrics>): Steps<PageTable> {
  const size = pages.length
  const table = {
    size,
    treated: new Uint8Array(size),
    preImpressions: new Float64Array(size),
    preConversions: new Float64Array(size),
    postImpressions: new Float64Array(size),
    postConversions: new Float64Array(size)
  }
  for (const [row, page] of (yield* sorted(pages, sorting, byVolume)).entries()) {
    table.treated[row] = page.arm === "treatment" ? 1 : 0
    table.preImpressions[row] = page.preImpressions
    table.preConversions[row] = page.preConversions
    table.postImpressions[row] = page.postImpressions
    table.postConversions[row] = page.postConversions
  }
  return table
}

/** A number of a column; the index is one of the table's. */
export const at = (column: Float64Array | Uint8Array, index: number): number => column[index] ?? 0
