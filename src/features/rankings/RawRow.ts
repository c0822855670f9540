import * as Data from "effect/Data"
import * as Schema from "effect/Schema"

/** The most characters of a reason, which may quote a header of thousands of columns. */
const longest = 1000

/** Input that cannot be imported: the file (and the member of an archive), the line (1-based; 0 = the file as a whole) and why. */
export class ImportFailed extends Data.TaggedError("ImportFailed")<{
  readonly file: string
  readonly line: number
  readonly reason: string
}> {
  constructor({ file, line, reason }: { readonly file: string; readonly line: number; readonly reason: string }) {
    super({ file, line, reason: reason.length > longest ? `${reason.slice(0, longest)}…` : reason })
  }

  override get message() {
    return this.line === 0 ? `${this.file}: ${this.reason}` : `${this.file}:${this.line}: ${this.reason}`
  }
}

/** The levels of Search Console's counts: queries on pages, pages (with anonymised queries), the property as a whole. */
export type Level = "queries" | "pages" | "property"

/**
 * The table of rows: a file, or a member of an archive. `level` is "url" for the bulk export's url table: its rows count for queries and for pages. `exact` is
 * false when the exporter rounded positions.
 */
export interface Table {
  readonly file: string
  readonly level: Level | "url"
  readonly exact: boolean
}

/**
 * A time beside a day, in seconds: `clock` by the clock since midnight, `seconds` since the day began in Pacific time. Both differ on days of 23 or 25 hours;
 * `seconds` is negative for a time that Pacific clocks skip. In another time zone both are the clock's. A time without a zone is Pacific.
 */
export const Time = Schema.Struct({
  clock: Schema.Int,
  seconds: Schema.Int,
  zone: Schema.Literal("pacific", "other", "none")
})
export type Time = typeof Time.Type

/**
 * A day in a table, with the time beside it, even if all its rows are left out. `shape` names the level of the table, and its country and device, if any.
 * `isHour` is true when the source names hours.
 */
export const Met = Schema.Struct({
  file: Schema.String,
  shape: Schema.String,
  day: Schema.String,
  time: Schema.NullOr(Time),
  isHour: Schema.Boolean
})
export type Met = typeof Met.Type

/** A day with numbers that the source marks as not final. */
export const Incomplete = Schema.Struct({ file: Schema.String, day: Schema.String })
export type Incomplete = typeof Incomplete.Type

/**
 * One measurement of a day, or of an hour. `query` and `page` are null above their level; `address` is empty for a page at the project's origin, else scheme,
 * host and fragment; `spelling` is null for a page in canonical form; a dimension that the source lacks is null. `sumTop` is the sum of one-based top positions
 * over the impressions.
 */
export interface RawRow {
  readonly date: string
  /** Seconds since the day began; null for a whole day. */
  readonly seconds: number | null
  readonly query: string | null
  readonly page: string | null
  readonly spelling: string | null
  readonly address: string
  readonly country: string | null
  readonly device: string | null
  readonly appearance: string | null
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
  readonly table: Table
  /** The first line of the row in its table, from 1. */
  readonly line: number
}

/** The dimension of a table without dates. */
export const SnapshotKind = Schema.Literal("queries", "pages", "countries", "devices")
export type SnapshotKind = typeof SnapshotKind.Type

/** A table without dates: each row is a sum over a range of days. */
export interface SnapshotTable {
  readonly file: string
  readonly kind: SnapshotKind
}

/** The sums of a range of days for a query, page path, country or device; `address` and `sumTop` as in a raw row. */
export interface SnapshotRow {
  readonly key: string
  readonly address: string
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
  readonly table: SnapshotTable
  /** The first line of the row in its table, from 1. */
  readonly line: number
}

/** The first and the last day of an export, as `YYYY-MM-DD`: from its list of filters, if named there, and from its chart. */
export const ExportDays = Schema.Struct({
  by: Schema.Literal("filters", "chart"),
  file: Schema.String,
  range: Schema.NullOr(Schema.Struct({ start: Schema.String, end: Schema.String }))
})
export type ExportDays = typeof ExportDays.Type

/** Well-formed source rows that were left out of the rankings, counted by reason. */
export const Dropped = Schema.Struct({
  anonymised: Schema.NonNegativeInt.annotations({
    description: "Rows without a query, which Search Console hides"
  }),
  otherSearchType: Schema.NonNegativeInt.annotations({ description: "Rows of image, video, news or Discover search" }),
  otherHost: Schema.NonNegativeInt.annotations({ description: "Rows of pages on other hosts" }),
  noImpressions: Schema.NonNegativeInt.annotations({ description: "Rows without impressions" })
}).annotations({
  identifier: "DroppedRows",
  description: "Rows that were skipped, by reason"
})
export type Dropped = typeof Dropped.Type

/** The content of a piece of input. */
export interface Batch {
  readonly rows: ReadonlyArray<RawRow>
  readonly dropped: Dropped
  readonly snapshots?: ReadonlyArray<SnapshotRow>
  readonly exported?: ExportDays
  /** Skipped tables, each with the reason. */
  readonly passedOver?: ReadonlyArray<string>
  /** Days that are new in the table. */
  readonly met?: ReadonlyArray<Met>
  readonly incomplete?: ReadonlyArray<Incomplete>
}

/** Nothing left out. */
export const noneDropped: Dropped = { anonymised: 0, otherSearchType: 0, otherHost: 0, noImpressions: 0 }

/** Adds the counts of two pieces. */
export const addDropped = (a: Dropped, b: Dropped): Dropped => ({
  anonymised: a.anonymised + b.anonymised,
  otherSearchType: a.otherSearchType + b.otherSearchType,
  otherHost: a.otherHost + b.otherHost,
  noImpressions: a.noImpressions + b.noImpressions
})

/** No rows. */
export const emptyBatch: Batch = { rows: [], dropped: noneDropped }

/** Joins two pieces of one input. */
export const joined = (a: Batch, b: Batch): Batch => ({
  rows: a.rows.length === 0 ? b.rows : b.rows.length === 0 ? a.rows : [...a.rows, ...b.rows],
  dropped: addDropped(a.dropped, b.dropped),
  snapshots: [...(a.snapshots ?? []), ...(b.snapshots ?? [])],
  passedOver: [...(a.passedOver ?? []), ...(b.passedOver ?? [])],
  met: [...(a.met ?? []), ...(b.met ?? [])],
  incomplete: [...(a.incomplete ?? []), ...(b.incomplete ?? [])]
})

/** All rows left out, for any reason. */
export const totalDropped = (dropped: Dropped): number =>
  dropped.anonymised + dropped.otherSearchType + dropped.otherHost + dropped.noImpressions
