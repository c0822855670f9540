import * as Either from "effect/Either"
import { bareHost } from "../../../foundation/schema/Scalars.ts"
import * as PagePath from "../PagePath.ts"
import * as Property from "../Property.ts"
import {
  addDropped,
  type Batch,
  type Dropped,
  ImportFailed,
  type Met,
  noneDropped,
  type RawRow,
  type SnapshotRow,
  type SnapshotTable,
  type Table,
  type Time
} from "../RawRow.ts"
import * as Days from "./Days.ts"

/** A decoder's options, from the site and the request. */
export interface Options {
  /** The project's host, with a port if it has one. */
  readonly host: string
  /** The project's origin, unless https at the host. */
  readonly origin?: string
  /** The Search Console property, when the rows may name other hosts of a domain property. */
  readonly property?: Property.Property
  /** The day of all rows: the missing day of files without dates, and the only day that other files may have. */
  readonly date?: string
  /** The newest day that can have data; later days are refused. */
  readonly notAfter?: string
  /** Dimensions of the keys in an API response; default: date, query, page. */
  readonly dimensions?: ReadonlyArray<string>
}

/** A row from a format, without the fields that the source lacks. The format has only checked that numbers are numbers. */
export interface Candidate {
  readonly date: string
  readonly query?: string
  readonly page?: string
  readonly country?: string
  readonly device?: string
  readonly appearance?: string
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
  readonly line: number
  /** The Search Console property of the row, in formats that name it. */
  readonly site?: string
}

/** Checks rows by the rules of all formats and keeps them until they are taken. */
export interface Collector {
  /** Adds a row; returns the reason of a refusal, or undefined. */
  readonly add: (candidate: Candidate) => string | undefined
  readonly drop: (reason: keyof Dropped) => undefined
  readonly take: () => Batch
}

/** A collector of rows with days. */
interface DayCollector extends Collector {
  /** The days of the rows since the last call. */
  readonly takeDays: () => ReadonlySet<string>
}

const longestQuery = 4096
const longestDimension = 100

/** Whether a time is an hour of Search Console's API. Midnight does not count, because other tools write days with it. */
const isHour = (time: Time | null) =>
  time !== null && time.zone === "pacific" && time.seconds > 0 && time.seconds % 3600 === 0

const shapeOf = ({ level }: Table, { country, device }: Candidate) =>
  [level, ...(country === undefined ? [] : ["country"]), ...(device === undefined ? [] : ["device"])].join(" ")

/** The place of a counted row; `path` is null in tables without pages. */
interface Place {
  readonly path: string | null
  readonly spelling: string | null
  readonly address: string
}

/** Checks candidates by the rules of all tables, and counts rows that are left out. */
const judging = (options: Options, keepsAnonymised: boolean) => {
  const pages = pageReaders(options)
  let dropped = noneDropped
  const drop = (reason: keyof Dropped) => {
    dropped = addDropped(dropped, { ...noneDropped, [reason]: 1 })
    return undefined
  }
  /** The place of a counted row, or the reason of a refusal; undefined for a row that is left out. */
  const judge = (row: Candidate): Place | string | undefined => {
    const problem = checkNumbers(row) ?? checkDimensions(row)
    if (problem !== undefined) return problem
    const place = row.page === undefined ? undefined : pages(row.site)(row.page)
    if (place?._tag === "Refused") return place.reason
    if (place?._tag === "OtherHost") return drop("otherHost")
    if (row.query === "") drop("anonymised")
    if (row.query === "" && !keepsAnonymised) return undefined
    if (row.impressions === 0) return drop("noImpressions")
    return { address: place?.address ?? "", path: place?.path ?? null, spelling: place?.spelling ?? null }
  }
  const takeDropped = () => {
    const counted = dropped
    dropped = noneDropped
    return counted
  }
  return { drop, judge, takeDropped }
}

/** Makes the collector of one table; `hasHours` means that the table names hours beside its days. */
export const collector = (options: Options, table: Table, hasHours = false): DayCollector => {
  const dayOf = days(options)
  const { drop, judge, takeDropped } = judging(options, table.level === "url")
  let rows: Array<RawRow> = []
  let met: Array<Met> = []
  let taken = new Set<string>()
  const add = (row: Candidate) => {
    const { isNew, read: date } = dayOf(row.date)
    if ("reason" in date) return date.reason
    const { day, time } = date
    if (isNew) met.push({ day, file: table.file, isHour: hasHours || isHour(time), shape: shapeOf(table, row), time })
    taken.add(day)
    const place = judge(row)
    if (typeof place !== "object") return place
    rows.push({
      date: day,
      seconds: time?.seconds ?? null,
      query: row.query === undefined || row.query === "" ? null : row.query,
      page: place.path,
      spelling: place.spelling,
      address: place.address,
      country: row.country ?? null,
      device: row.device ?? null,
      appearance: row.appearance ?? null,
      impressions: row.impressions,
      clicks: row.clicks,
      sumTop: row.sumTop,
      table,
      line: row.line
    })
    return undefined
  }
  const take = (): Batch => {
    const batch = { rows, dropped: takeDropped(), met }
    rows = []
    met = []
    return batch
  }
  const takeDays = () => {
    const days = taken
    taken = new Set()
    return days
  }
  return { add, drop, take, takeDays }
}

/**
 * Makes the collector of one table without dates. The export button of a domain property exports the pages of all hosts below the domain. Pages of hosts below
 * the site's host are left out even without a named property.
 */
export const snapshotCollector = (options: Options, table: SnapshotTable): Collector => {
  const property = { _tag: "Domain", domain: bareHost(options.host) } as const
  const { drop, judge, takeDropped } = judging({ property, ...options }, false)
  let snapshots: Array<SnapshotRow> = []
  const add = (row: Candidate) => {
    const place = judge(row)
    if (typeof place !== "object") return place
    const { clicks, country, device, impressions, line, query, sumTop } = row
    const key = place.path ?? query ?? country ?? device ?? ""
    if (key === "") return "the first cell of the row is empty"
    // Different spellings of one page are rows that add up.
    snapshots.push({
      address: `${place.address}${place.spelling ?? ""}`,
      clicks,
      impressions,
      key,
      line,
      sumTop,
      table
    })
    return undefined
  }
  const take = (): Batch => {
    const batch = { rows: [], dropped: takeDropped(), snapshots }
    snapshots = []
    return batch
  }
  return { add, drop, take }
}

/** One page reader per property. Pages on the site's host are read even with an unknown property name. */
const pageReaders = (options: Options) => {
  const plain = PagePath.reader(options)
  const named = new Map<string, PagePath.PageReader>()
  return (site: string | undefined) => {
    if (site === undefined || options.property !== undefined) return plain
    const known = named.get(site)
    if (known !== undefined) return known
    const made = Property.parse(site).pipe(
      Either.filterOrLeft(
        (found) => found._tag === "Domain" && Property.covers(found, options.host),
        () => "another property"
      ),
      Either.match({ onLeft: () => plain, onRight: (property) => PagePath.reader({ ...options, property }) })
    )
    if (named.size < propertiesRemembered) named.set(site, made)
    return made
  }
}

/** The most remembered properties. A file names one, rarely a few. */
const propertiesRemembered = 16

const checkNumbers = ({ clicks, impressions, sumTop }: Candidate) => {
  if (!isCount(impressions)) return "impressions must be a whole number of at least 0"
  if (!isCount(clicks)) return "clicks must be a whole number of at least 0"
  if (clicks > impressions) return `${clicks} clicks are more than ${impressions} impressions`
  if (impressions === 0) return undefined
  if (!Number.isFinite(sumTop)) return "position is not a number"
  return sumTop < impressions ? "position must be at least 1" : undefined
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0

const checkDimensions = ({ country = "", device = "", query = "" }: Candidate) => {
  if (query.length > longestQuery) return `the query is longer than ${longestQuery} characters`
  if (query.includes("\0")) return "the query contains a NUL character"
  const isStrange = [country, device].some((name) => name.length > longestDimension || name.includes("\0"))
  return isStrange ? "the country or device is not valid text" : undefined
}

/** The oldest accepted day. Search Console has no older data, and each month of data makes a partition. */
const oldest = "2000-01-01"

const checkDay = (day: string, { date, notAfter }: Options): string | undefined => {
  if (day < oldest) return `${day} lies before ${oldest}`
  if (date !== undefined && day !== date) return `${day} is another day than ${date}, which the table must be of`
  if (notAfter !== undefined && day > notAfter) return `${day} lies after ${notAfter}, the last day with data`
  return undefined
}

/** Checks each day once, because files have few days with many rows each, and reports the day as new. */
const days = (options: Options) => {
  const known = new Map<string, Days.Read>()
  return (text: string): { readonly isNew: boolean; readonly read: Days.Read } => {
    const before = known.get(text)
    if (before !== undefined) return { isNew: false, read: before }
    const found = Days.read(text)
    const reason = "day" in found ? checkDay(found.day, options) : undefined
    const read = reason === undefined ? found : { reason }
    if (known.size < daysRemembered) known.set(text, read)
    return { isNew: true, read }
  }
}

/** The most remembered days, enough for the hours of a year; a further day is new each time. */
const daysRemembered = 16_384

/** The batches of a piece of input. The first failure is the last element, where the reader stops. */
export type Batches = IterableIterator<Either.Either<Batch, ImportFailed>>

/** The refusal of a file at a line (1-based; 0 = the file as a whole). */
export const failing = (file: string, line: number, reason: string): Either.Either<Batch, ImportFailed> =>
  Either.left(new ImportFailed({ file, line, reason }))

/**
 * Turns the bytes of one file into rows, one batch on demand. Memory does not grow with the packed or unpacked size of the file. Stateful: one decoder reads
 * one file; the caller reads the result of a call to its end before the next call, and does not use a decoder after a failure.
 */
export interface Decoder {
  readonly push: (bytes: Uint8Array) => Batches
  readonly end: () => Batches
}

/** Turns the text of one file into rows; each piece makes one batch. */
export interface Reader {
  readonly push: (bytes: Uint8Array) => Either.Either<Batch, ImportFailed>
  readonly end: () => Either.Either<Batch, ImportFailed>
}

/** The most bytes that a reader gets at a time. */
const piece = 256 * 1024

/** The decoder that gives all bytes to a reader. */
export const ofReader = ({ end, push }: Reader): Decoder => ({
  push: function* (bytes) {
    for (let at = 0; at < bytes.length; at += piece) yield push(bytes.subarray(at, at + piece))
  },
  end: function* () {
    yield end()
  }
})
