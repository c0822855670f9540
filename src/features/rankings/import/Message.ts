import { plural } from "../../../foundation/text/Words.ts"
import type { Dropped, ExportDays, Table } from "../RawRow.ts"
import type { Extent } from "./Loads.ts"
import type { StoredSnapshot } from "./Snapshots.ts"

/** The outcome of an import's files. */
interface Outcome {
  readonly dated: ReadonlyArray<Pick<Table, "file" | "level"> & { readonly extent: Extent }>
  readonly dropped: Dropped
  readonly exported: ReadonlyArray<ExportDays>
  /** Days that are not final yet. */
  readonly incomplete: ReadonlyArray<string>
  /** The sender's name of a file. */
  readonly named: (file: string) => string
  readonly passedOver: ReadonlyArray<string>
  readonly snapshots: ReadonlyArray<StoredSnapshot>
}

/** The most sentences about files; a bulk export may have thousands of files. */
const most = 30

const levels = {
  pages: "page totals by day",
  property: "site totals by day",
  queries: "queries on pages by day",
  url: "pages and queries by day"
}

const leftOut = {
  anonymised: "without a query",
  noImpressions: "without impressions",
  otherHost: "of other hosts",
  otherSearchType: "of other search types"
} as const

const reasons = ["anonymised", "noImpressions", "otherHost", "otherSearchType"] as const

const count = (rows: number) => rows.toLocaleString("en-US")
const rowsOf = (rows: number) => `${count(rows)} ${rows === 1 ? "row" : "rows"}`
const daysOf = (first: string, last: string) => (first === last ? first : `${first} to ${last}`)

const ofDated = ({ extent: { first_day, last_day, rows }, level }: Outcome["dated"][number]) =>
  `${rowsOf(rows)} of ${levels[level]}${first_day === null || last_day === null ? "" : `, ${daysOf(first_day, last_day)}`}`

const singular = { countries: "country", devices: "device", pages: "page", queries: "query" } as const

const ofSnapshot = ({ kind, range, rows }: StoredSnapshot) =>
  `snapshot of ${count(rows)} ${rows === 1 ? singular[kind] : kind}, ${range === null ? "without a date range: import the whole ZIP, or set its first and last day (start, end)" : daysOf(range.start, range.end)}`

/** A sentence about days that Search Console was still collecting; empty without such days. */
export const waitingFor = (days: ReadonlyArray<string>): string =>
  days.length === 0
    ? ""
    : ` Skipped, because Search Console was still collecting data: ${days.slice(0, most).join(", ")}${days.length > most ? " …" : ""}. Import these days again in a few days.`

/** A sentence about the interpretation of each file, then the rows and tables that were left out. */
export const messageOf = ({ dated, dropped, exported, incomplete, named, passedOver, snapshots }: Outcome): string => {
  const files = [
    ...dated.map((table) => `${named(table.file)}: ${ofDated(table)}.`),
    ...snapshots.map((snapshot) => `${named(snapshot.file)}: ${ofSnapshot(snapshot)}.`),
    ...[...new Set(exported.flatMap(({ by, file }) => (by === "filters" ? [file] : [])))].map(
      (file) => `${named(file)}: the filters of the export.`
    )
  ]
  const rows = reasons.flatMap((why) => (dropped[why] > 0 ? [`${rowsOf(dropped[why])} ${leftOut[why]}`] : []))
  return [
    ...(files.length === 0 ? ["No rows to import."] : files.slice(0, most)),
    ...(files.length > most ? [`And ${plural(files.length - most, "more file")}.`] : []),
    ...(rows.length === 0 ? [] : [`Skipped: ${rows.join(", ")}.`]),
    ...passedOver.slice(0, most).map((table) => `Skipped: ${named(table)}.`)
  ]
    .join(" ")
    .concat(waitingFor(incomplete))
}
