/**
 * One measured fact: a query that showed a page on a day. `sumTop` is the sum of one-based top positions over the
 * impressions. `variant` (an integer below 2^53) tells apart source rows that fall on the same date, query and page,
 * such as `http:` and `https:` addresses or the devices of a bulk export: these add up, a repeated one does not.
 */
export interface RawRow {
  readonly date: string
  readonly query: string
  readonly page: string
  readonly variant: number
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
}

/** How many well-formed source rows were left out, by reason. */
export interface Dropped {
  readonly anonymised: number
  readonly otherSearchType: number
  readonly otherHost: number
  readonly noImpressions: number
}

/**
 * What a piece of input held. Rows of one `shape` (format family and dimensions) are comparable one by one; `exact` is
 * false when positions were rounded by the exporter.
 */
export interface Batch {
  readonly rows: ReadonlyArray<RawRow>
  readonly dropped: Dropped
  readonly shape: string
  readonly exact: boolean
}

/** Nothing left out. */
export const noneDropped: Dropped = { anonymised: 0, otherSearchType: 0, otherHost: 0, noImpressions: 0 }

/** Adds what two pieces left out. */
export const addDropped = (a: Dropped, b: Dropped): Dropped => ({
  anonymised: a.anonymised + b.anonymised,
  otherSearchType: a.otherSearchType + b.otherSearchType,
  otherHost: a.otherHost + b.otherHost,
  noImpressions: a.noImpressions + b.noImpressions
})

/** No rows, and no shape yet. */
export const emptyBatch: Batch = { rows: [], dropped: noneDropped, shape: "", exact: true }

/** Joins two pieces of one file. */
export const joined = (a: Batch, b: Batch): Batch => ({
  rows: a.rows.length === 0 ? b.rows : b.rows.length === 0 ? a.rows : [...a.rows, ...b.rows],
  dropped: addDropped(a.dropped, b.dropped),
  shape: b.shape === "" ? a.shape : b.shape,
  exact: a.exact && b.exact
})

/** All rows left out, whatever the reason. */
export const totalDropped = (dropped: Dropped): number =>
  dropped.anonymised + dropped.otherSearchType + dropped.otherHost + dropped.noImpressions
