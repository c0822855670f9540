import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type { Batch, Incomplete, Level } from "../RawRow.ts"
import { collector, failing, type Options, type Reader } from "./Collector.ts"
import * as Days from "./Days.ts"
import { isRecord, jsonReader, type OnDocument, type OnObject, parse, type Row, reader, type Selects } from "./Json.ts"
import { codeOf, nameOf } from "./Values.ts"

/** The default dimensions of a request's keys, in order. */
export const defaultDimensions = ["date", "query", "page"] as const

/** Dimensions that the API can combine with date, query and page. */
const supported = new Set(["date", "hour", "query", "page", "country", "device"])

/**
 * Reads responses of `searchanalytics.query`: one document, several in a row or one a line, or an array; and rows of responses in the same forms. Rows have
 * their dimensions as `keys`, or, from other tools, each under its name. Positions are exact ratios, so position × impressions returns the integer sum.
 */
export const apiReader = (file: string, options: Options): Reader => {
  const dimensions = options.dimensions ?? defaultDimensions
  const refusal = refusalOf(dimensions, options)
  if (refusal !== undefined) return { push: () => failing(file, 0, refusal), end: () => failing(file, 0, refusal) }
  let rows = collector(options, { exact: true, file, level: levelOf(dimensions) }, dimensions.includes("hour"))
  /** The names of the rows' dimensions; undefined while rows have keys. */
  let own: ReadonlyArray<string> | undefined
  let isKeyed = false

  /** The values of a row's dimensions by name, or the problem with the row. */
  const keysOf = (row: Row): ReadonlyMap<string, string> | string => {
    const { keys } = row
    if (keys === undefined) return namedKeysOf(row)
    if (own !== undefined) return "this row has keys, but earlier rows have named dimensions"
    isKeyed = true
    if (!isTexts(keys)) return "keys must be an array of texts"
    return keys.length === dimensions.length
      ? new Map(dimensions.map((name, index) => [name, keys[index] ?? ""]))
      : `${keys.length} keys where the dimensions are ${dimensions.join(", ")}`
  }

  /** Rows with names declare their dimensions, which must be equal for all rows of a file. */
  const namedKeysOf = (row: Row): ReadonlyMap<string, string> | string => {
    const names = [...supported, "searchAppearance"].filter((name) => row[name] !== undefined)
    if (isKeyed || names.length === 0) return "this row has no keys"
    if (own === undefined) {
      const refused = refusalOf(names, options)
      if (refused !== undefined) return refused
      own = names
      rows = collector(options, { exact: true, file, level: levelOf(names) }, names.includes("hour"))
    }
    if (own.join() !== names.join()) return `a row has ${names.join(", ")} where rows before it have ${own.join(", ")}`
    const values = names.map((name) => row[name])
    return isTexts(values)
      ? new Map(names.map((name, index) => [name, values[index] ?? ""]))
      : "a dimension is not a text"
  }

  const onRow: OnObject = (json, line) => {
    const parsed = parse(json)
    if (Either.isLeft(parsed)) return parsed.left
    if (!isRecord(parsed.right)) return "a row is not an object"
    const keys = keysOf(parsed.right)
    if (typeof keys === "string") return keys
    const search = searchOf(parsed.right)
    if (search !== "web") return search === "other" ? rows.drop("otherSearchType") : search.reason
    const unknown = parsed.right.keys === undefined ? unknownOf(parsed.right) : undefined
    if (unknown !== undefined) return unknown
    const { clicks, impressions, position } = parsed.right
    if (typeof clicks !== "number" || typeof impressions !== "number") return "clicks or impressions are not numbers"
    if (impressions !== 0 && !(typeof position === "number" && position >= 1)) {
      return `position ${JSON.stringify(position)} is not a number of at least 1`
    }
    return rows.add({
      date: keys.get("hour") ?? keys.get("date") ?? options.date ?? "",
      ...defined("query", keys.get("query")),
      ...defined("page", keys.get("page")),
      ...defined("country", keys.get("country"), codeOf),
      ...defined("device", keys.get("device"), nameOf),
      impressions,
      clicks,
      sumTop: typeof position === "number" ? Math.round(position * impressions) : 0,
      line
    })
  }
  let answers = 0
  let incomplete: ReadonlyArray<Incomplete> = []
  const onAnswers: OnDocument = (json) => {
    answers += 1
    const read = answersOf(json, dimensions.includes("page"))
    const days = rows.takeDays()
    if (typeof read === "string") return read
    const { firstIncomplete } = read
    if (firstIncomplete !== undefined)
      incomplete = [...incomplete, ...[...days].filter((day) => day >= firstIncomplete).map((day) => ({ day, file }))]
    return undefined
  }
  const take = (): Batch => {
    const batch = { ...rows.take(), incomplete }
    incomplete = []
    return batch
  }
  const inner = jsonReader(file, reader(isRow, onRow, onAnswers), take)
  const end = () =>
    Either.flatMap(inner.end(), (batch) =>
      answers === 0 ? failing(file, 0, "the file is empty: it has no API response") : Either.right(batch)
    )
  return { push: inner.push, end }
}

/** An object with the key if there is a value, else an empty object. */
const defined = (name: string, value: string | undefined, read: (text: string) => string = identity) =>
  value === undefined ? {} : { [name]: read(value) }

const levelOf = (dimensions: ReadonlyArray<string>): Level =>
  dimensions.includes("query") ? "queries" : dimensions.includes("page") ? "pages" : "property"

const refusalOf = (dimensions: ReadonlyArray<string>, options: Options) => {
  const unknown = dimensions.filter((name) => !supported.has(name))
  if (unknown.some((name) => name.toLowerCase() === "searchappearance"))
    return "API responses by search appearance cannot be imported. Use a bulk export"
  if (unknown.length > 0) return `the dimension ${unknown.join(", ")} cannot be imported`
  if (!dimensions.includes("date") && !dimensions.includes("hour") && options.date === undefined)
    return "the dimension date is missing. Request the data by date, query and page"
  return dimensions.includes("query") && !dimensions.includes("page")
    ? "the dimension page is missing. Request the data by date, query and page"
    : undefined
}

/** Names of the member with the kind of search, in the spellings of tools. */
const searches = ["searchType", "search_type", "type"]

const otherSearches = new Set(["image", "video", "news", "discover", "googlenews"])

/** The kind of search of a row; web by default. */
const searchOf = (row: Row): "web" | "other" | { readonly reason: string } => {
  for (const name of searches) {
    const search = String(row[name] ?? "web").toLowerCase()
    if (otherSearches.has(search)) return "other"
    if (search !== "web") return { reason: `${name} ${JSON.stringify(row[name])} is not a search type` }
  }
  return "web"
}

/** Finds an unknown member: rows that differ only in this member would look like parts of one fact. */
const unknownOf = (row: Row) => {
  const name = Object.keys(row).find((key) => !ofRows.has(key) && row[key] !== null)
  return name === undefined
    ? undefined
    : `the member ${JSON.stringify(name.slice(0, 100))} is unknown, and rows that differ only there would count as one. Remove it, or request the data without that dimension`
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((item) => typeof item === "string")

/** Members of rows that responses do not have. */
const ofRows = new Set([
  ...supported,
  ...searches,
  "searchAppearance",
  "keys",
  "clicks",
  "impressions",
  "ctr",
  "position"
])

/** A row is an element of a response's array `rows`, or a top-level object that begins like a row. */
const isRow: Selects = (open, first) => {
  const depth = open[0]?.kind === "[" ? 1 : 0
  if (open.length === depth) {
    const name = first()
    return name === undefined ? undefined : ofRows.has(name)
  }
  const answer = open[depth]
  return open.length === depth + 2 && open[depth + 1]?.kind === "[" && answer?.kind === "{" && answer.key === "rows"
}

/** The metadata of responses: the first day that is not final, if any. A top-level row is 0 here. */
const answersOf = (json: string, hasPages: boolean): { readonly firstIncomplete: string | undefined } | string => {
  const rest = parse(json)
  if (Either.isLeft(rest)) return rest.left
  const answers: ReadonlyArray<unknown> = Array.isArray(rest.right) ? rest.right : [rest.right]
  const days: Array<string> = []
  for (const answer of answers) {
    if (answer === 0) continue
    const problem = problemOf(answer, hasPages)
    if (problem !== undefined) return problem
    const found = incompleteDays(answer)
    if (typeof found === "string") return found
    days.push(...found)
  }
  return { firstIncomplete: days.sort().at(0) }
}

/** The metadata with the first moment of unfinished data, in the spellings of the API and of its clients. */
const untilFinal = ["first_incomplete_date", "first_incomplete_hour", "firstIncompleteDate", "firstIncompleteHour"]

const incompleteDays = (answer: unknown): ReadonlyArray<string> | string => {
  const metadata = isRecord(answer) && isRecord(answer.metadata) ? answer.metadata : {}
  const days: Array<string> = []
  for (const name of untilFinal) {
    const text = metadata[name]
    if (text === undefined || text === null || text === "") continue
    const found = Days.read(String(text))
    if ("reason" in found) return `metadata.${name}: ${found.reason}`
    days.push(found.day)
  }
  return days
}

/** Responses without data have no `rows`; an error response has nothing else. */
const problemOf = (answer: unknown, hasPages: boolean) => {
  if (!isRecord(answer)) return "not a response of the Search Console API"
  if (isRecord(answer.error)) {
    return `the file contains an error of the API, not data: ${String(answer.error.message ?? "no message")}`
  }
  const { responseAggregationType: aggregation, rows } = answer
  if (rows !== undefined && !(Array.isArray(rows) && rows.every((row) => row === 0)))
    return "rows must be an array of objects"
  if (hasPages && aggregation === "byProperty" && Array.isArray(rows) && rows.length > 0)
    return "the rows are aggregated by property. Request them with the dimension page"
  const isAnswer =
    rows !== undefined || aggregation !== undefined || "metadata" in answer || Object.keys(answer).length === 0
  return isAnswer ? undefined : "not a response of the Search Console API"
}
