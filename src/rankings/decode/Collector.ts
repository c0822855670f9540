import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Day from "../../schema/Day.ts"
import * as PagePath from "../PagePath.ts"
import * as Property from "../Property.ts"
import { addDropped, type Batch, type Dropped, noneDropped, type RawRow } from "../RawRow.ts"
import * as Variant from "../Variant.ts"
import type { Options } from "./Options.ts"

/** A row as a format hands it over: the numbers are checked to be numbers, nothing else. */
export interface Candidate {
  readonly date: string
  readonly query: string
  readonly page: string
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
  /** Other dimensions that set the row apart from its like; empty when there are none. */
  readonly others: string
  /** The Search Console property of the row, in formats that name it. */
  readonly site?: string
}

/** Checks candidate rows against the rules common to all formats and keeps them until they are taken. */
export interface Collector {
  /** Returns the reason of refusal, or undefined. */
  readonly add: (candidate: Candidate) => string | undefined
  readonly drop: (reason: keyof Dropped) => undefined
  readonly take: () => Batch
}

/** Search Console holds nothing older, and each month of data makes a partition. */
const oldest = "2000-01-01"

const longestQuery = 4096

/** Makes the collector of one file. */
export const collector = (options: Options, shape: string, exact: boolean): Collector => {
  const pages = pageReaders(options)
  const checkDate = dateChecker(options.notAfter)
  let rows: Array<RawRow> = []
  let dropped = noneDropped
  const drop = (reason: keyof Dropped) => {
    dropped = addDropped(dropped, { ...noneDropped, [reason]: 1 })
    return undefined
  }
  const add = (row: Candidate) => {
    const problem = checkDate(row.date) ?? checkNumbers(row)
    if (problem !== undefined) return problem
    const place = pages(row.site)(row.page)
    if (place._tag === "Refused") return place.reason
    if (place._tag === "OtherHost") return drop("otherHost")
    if (row.query === "") return drop("anonymised")
    if (row.impressions === 0) return drop("noImpressions")
    if (row.query.length > longestQuery) return `the query is longer than ${longestQuery} characters`
    if (row.query.includes("\0")) return "the query holds a NUL character"
    rows.push({
      date: row.date,
      query: row.query,
      page: place.path,
      variant: row.others === "" ? place.variant : Variant.hash(row.others, place.variant),
      impressions: row.impressions,
      clicks: row.clicks,
      sumTop: row.sumTop
    })
    return undefined
  }
  const take = (): Batch => {
    const batch = { rows, dropped, shape, exact }
    rows = []
    dropped = noneDropped
    return batch
  }
  return { add, drop, take }
}

/** One page reader a property; an unknown property name makes no difference to what is on the site's own host. */
const pageReaders = ({ host, property }: Options) => {
  const plain = PagePath.reader(host, property)
  const named = new Map<string, PagePath.PageReader>()
  return (site: string | undefined) => {
    if (site === undefined || property !== undefined) return plain
    const known = named.get(site)
    if (known !== undefined) return known
    const made = Property.parse(site).pipe(
      Either.filterOrLeft(
        (found) => Property.covers(found, host),
        () => "another property"
      ),
      Either.match({ onLeft: () => plain, onRight: (found) => PagePath.reader(host, found) })
    )
    if (named.size < propertiesRemembered) named.set(site, made)
    return made
  }
}

/** A file names one property, rarely a few. */
const propertiesRemembered = 16

const checkNumbers = ({ clicks, impressions, sumTop }: Candidate) => {
  if (!isCount(impressions)) return "the impressions are not a whole number of at least 0"
  if (!isCount(clicks)) return "the clicks are not a whole number of at least 0"
  if (clicks > impressions) return `${clicks} clicks are more than ${impressions} impressions`
  if (impressions === 0) return undefined
  if (!Number.isFinite(sumTop)) return "the position is not a number"
  return sumTop < impressions ? "the position is before the first place" : undefined
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0

/** Files hold few days and many rows of each: a day is looked at once. */
const dateChecker = (notAfter: string | undefined) => {
  const good = new Set<string>()
  return (date: string) => {
    if (good.has(date)) return undefined
    if (Option.isNone(Day.parse(date))) return `"${date}" is not a day written YYYY-MM-DD`
    if (date < oldest) return `${date} lies before ${oldest}`
    if (notAfter !== undefined && date > notAfter) return `${date} lies after ${notAfter}, the last day with data`
    if (good.size < datesRemembered) good.add(date)
    return undefined
  }
}

const datesRemembered = 1024
